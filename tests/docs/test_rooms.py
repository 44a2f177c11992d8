"""CONTRIBUTING's map of the rooms is that of `src/`."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pliant"
ROOMS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_room_says_what_is_in_it(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert said is not None and len(said) > 30, room


def test_the_map_has_every_room_and_no_other() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([\w/.]+)` \|", text, re.MULTILINE))
    floors = {str(room.relative_to(PACKAGE)) for room in ROOMS} - {"."}
    laws = {name for name in floors if name.startswith("laws/")}
    papers = {name for name in floors if name.startswith("experiments/")} - {"experiments/support"}
    files = {name for name in named if name.endswith((".py", ".toml"))}
    assert all((PACKAGE / name).exists() for name in named), named
    assert floors - laws - papers == named - files - {"actuators", "data"}
