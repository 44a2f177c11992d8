"""CONTRIBUTING's map of the rooms is that of `src/`."""

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pliant"
ROOMS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
MADE = runpy.run_path(str(ROOT / "docs" / "extensions" / "rooms.py"), run_name="rooms")


# That of mujoco_warp is `long`, by its name.
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_room_says_what_is_in_it(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert said is not None and len(said) > 30, room


def test_the_map_in_contributing_is_current() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert MADE["MAP"].findall(text) == [f"\n{MADE['short']()}\n"], (
        "python docs/extensions/rooms.py"
    )


def test_the_map_of_the_site_has_every_room() -> None:
    named = {line.split("`")[1] for line in MADE["page"]().splitlines() if line.startswith("| `")}
    assert {room.relative_to(PACKAGE).as_posix() for room in ROOMS} - {"."} <= named


def test_the_files_of_the_walks_exist() -> None:
    text = (ROOT / "docs" / "contributing" / "walks.md").read_text("utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)*\.py)`", text)
    assert len(named) > 40
    assert [name for name in named if not (PACKAGE / name).is_file()] == []
