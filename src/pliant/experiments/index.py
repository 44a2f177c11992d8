"""The experiments there are: every module of a paper's folder with NAME, TITLE and run."""

import ast
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from pliant.errors import PliantError
from pliant.experiments.support.recipe import Recipe
from pliant.subset.text import syntax_tree

__all__ = ["check_names", "recipe", "titles"]


@cache
def titles() -> dict[str, str]:
    """Name to title of every experiment; nothing is imported for it."""
    found: dict[str, str] = {}
    for path in _modules():
        given = _constants(path)
        if {"NAME", "TITLE"} <= given.keys():
            found[given["NAME"]] = given["TITLE"]
    return dict(sorted(found.items()))


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that is no experiment's."""
    for name in names:
        if name not in titles():
            raise PliantError("unknown experiment", found=name, accepted=titles())


def recipe(name: str) -> Recipe:
    """The experiment `name`.

    Raises:
        PliantError: there is none of that name.
    """
    check_names([name])
    path = next(path for path in _modules() if _constants(path).get("NAME") == name)
    return cast("Recipe", import_module(f"{__package__}.{path.parent.name}.{path.stem}"))


def _modules() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*/*.py"))


@cache
def _constants(path: Path) -> dict[str, str]:
    """Texts that the module assigns at its top level."""
    body = syntax_tree(path.read_text("utf-8")).body
    return {
        node.targets[0].id: node.value.value
        for node in body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
