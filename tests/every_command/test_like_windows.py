"""Every command on a Python that lacks what it lacks on Windows, with a console of 1981."""

from pathlib import Path

import pytest

from pliant.cli.command_line import commands

from .paths import PATHS, taken

NEEDS = {"convert": "pyarrow", "record": "dynamixel_sdk", "ros": "cyclonedds", "view": "mjviser"}
CONSOLE = {"PYTHONIOENCODING": "cp437", "PYTHONWARNDEFAULTENCODING": "1", "PLIANT_DEBUG": "1"}


def test_every_command_has_a_path() -> None:
    assert list(PATHS) == list(commands())


@pytest.mark.slow
@pytest.mark.parametrize("command", PATHS)
def test_a_command_works_where_windows_lacks_what_this_system_has(
    command: str, folder: Path
) -> None:
    pytest.importorskip(NEEDS.get(command, "pliant"))
    done = taken(command, folder, "like_windows", **CONSOLE)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    words = PATHS[command].split()
    if "--output" in words:
        assert (folder / words[words.index("--output") + 1]).exists()
