"""The pages of the commands have every option of the parser."""

import runpy
from pathlib import Path

import pytest

EXTENSION = Path(__file__).parents[2] / "docs" / "extensions" / "commands.py"
MADE = runpy.run_path(str(EXTENSION))


def test_every_command_answers_a_need() -> None:
    assert set(MADE["names"]()) == set(MADE["NEEDS"])


@pytest.mark.parametrize("command", MADE["NEEDS"])
def test_a_page_has_each_option_on_a_line_of_its_own(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = MADE["page"](command)
    assert capsys.readouterr().out == ""
    assert "│" not in page
    assert "─" not in page
    assert "`--json`\n: " in page
    assert "`--debug`\n: " in page
