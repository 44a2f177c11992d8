"""The pages of the commands have every option of the parser."""

import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "extensions" / "commands.py"))


def test_every_command_answers_a_need() -> None:
    page = (DOCS / "how_to" / "which_command.md").read_text("utf-8")
    named = re.findall(r"^\|.*\| `pliant ([\w-]+)", page, re.MULTILINE)
    assert set(named) == set(MADE["names"]())


@pytest.mark.parametrize("command", MADE["names"]())
def test_a_page_has_each_option_on_a_line_of_its_own(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = MADE["page"](command)
    assert capsys.readouterr().out == ""
    assert "│" not in page
    assert "─" not in page
    assert "`--json`\n: " in page
    assert "`--debug`\n: " in page
