"""Every command on a Python that lacks what it lacks on Windows, with a console of 1981."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pliant.cli.command_line import FORMER, commands

from .paths import PATHS, Ended, taken

NEEDS = {"convert": "pyarrow", "record": "dynamixel_sdk", "ros": "cyclonedds", "view": "mjviser"}
CONSOLE = {"PYTHONIOENCODING": "cp437", "PYTHONWARNDEFAULTENCODING": "1", "PLIANT_DEBUG": "1"}


def test_every_command_has_a_path() -> None:
    assert [name for name in PATHS if name not in FORMER] == list(commands())


@pytest.fixture(scope="module")
def ended(folder: Path) -> Callable[[str], Ended]:
    return taken(folder, "like_windows", **CONSOLE)


@pytest.mark.long
@pytest.mark.parametrize("command", PATHS)
def test_a_command_works_where_windows_lacks_what_this_system_has(
    command: str, folder: Path, ended: Callable[[str], Ended]
) -> None:
    pytest.importorskip(NEEDS.get(command, "pliant"))
    done = ended(command)
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    words = PATHS[command].split()
    if "--output" in words:
        assert (folder / words[words.index("--output") + 1]).exists()
