"""Every number of an experiment has its place in the paper, or is said to be assumed."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import pliant.experiments
from pliant.experiments.index import numbers, recipe, sources, titles

ROOM = Path(pliant.experiments.__file__).parent
MODULES = [
    path
    for path in sorted(ROOM.glob("*/*.py"))
    if path.parent.name != "support" or path.stem in ("benches", "compliant_truth")
]
PLACE = re.compile(
    r"assumed|Figs?\. \d|section [\dIV]|Table [IVX]+|AlterEgo|published|catalogue"
    r"|authors' (programs|released)|Compliant Joint Toolbox"
)
NO_PHYSICS = {
    *("GREY", "BLUE", "RED", "PALE", "WOOD", "VIEW", "FRAMES"),  # pictures
    *("COUNT", "DEVELOPMENT", "HELD_OUT", "SHOWN", "PUBLISHED"),  # counts, seeds and choices
    *("TIP", "ARM", "AXES", "SIDES", "TWELVE_BIT"),  # placeholders, bits, directions
}
"""Constants that say nothing about what is simulated."""


def dotted(path):
    return f"pliant.experiments.{path.parent.name}.{path.stem}"


def constants(path):
    """Names at the top level that are assigned a number, or something with one in it."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            parts = [part for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            if any(type(part.value) in (int, float) for part in parts):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (x.id for x in ast.walk(ast.Tuple(targets)) if isinstance(x, ast.Name))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_constant_has_a_source(path):
    said = sources(import_module(dotted(path)))
    names = {name for name in constants(path) if name.isupper()} - NO_PHYSICS - {"NOTES"}
    assert names - set(said) == set()


@pytest.mark.parametrize("name", titles())
def test_every_setting_has_a_source_that_names_a_place_or_says_assumed(name):
    found = numbers(recipe(name))
    assert len(found) >= len(sources(recipe(name)))
    for number in found:
        assert PLACE.search(number.source), f"{number.name}: {number.source}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_source_is_of_something_that_is_not_there(path):
    module = import_module(dotted(path))
    of_settings = set()
    if hasattr(module, "Settings") and hasattr(module, "NAME"):
        of_settings = {number.name for number in numbers(module)}
    elif hasattr(module, "Settings"):
        of_settings = set(module.Settings.__dataclass_fields__)
    assert set(sources(module)) <= of_settings | set(vars(module))
