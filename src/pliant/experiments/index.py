"""List of experiments, the modules in a paper's folder with NAME, TITLE and run, and the numbers of each.

`SOURCES` in a module states the sources of its numbers: it maps names of settings (nested ones with dots) and of
constants, several separated by commas, to the source.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from pliant.errors import check_known
from pliant.experiments.support.recipe import Recipe
from pliant.subset.text import syntax_tree

__all__ = ["check_names", "recipe", "titles"]


@cache
def titles() -> dict[str, str]:
    """Name to title of every experiment, without importing them."""
    found: dict[str, str] = {}
    for path in _modules():
        given = _texts(path)
        if {"NAME", "TITLE"} <= given.keys():
            found[given["NAME"]] = given["TITLE"]
    return dict(sorted(found.items()))


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that is not an experiment."""
    for name in names:
        check_known(name, titles(), "unknown experiment")


def recipe(name: str) -> Recipe:
    """The experiment `name`.

    Raises:
        PliantError: there is no such experiment.
    """
    check_names([name])
    path = next(path for path in _modules() if _texts(path).get("NAME") == name)
    return cast("Recipe", import_module(f"{__package__}.{path.parent.name}.{path.stem}"))


def _modules() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*/*.py"))


@cache
def _texts(path: Path) -> dict[str, str]:
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


ROOM = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Number:
    """A setting or a constant, with its value and source as text."""

    name: str
    value: str
    source: str


def numbers(recipe: Recipe) -> list[Number]:
    """All settings of an experiment, and all constants that it uses, at their defaults."""
    module: Any = recipe  # which is a module
    settings = dict(_settings(module.Settings()))
    found = [Number(name, _text(x), _source(name, _homes(module))) for name, x in settings.items()]
    return found + [
        Number(name, _text(x), sources(home)[name])
        for name, (x, home) in _constants(module).items()
    ]


def constant_homes(module: ModuleType) -> dict[str, str]:
    """Constants of an experiment to the name of their module."""
    return {
        name: home.__name__.rpartition(".")[2] for name, (_, home) in _constants(module).items()
    }


def sources(module: ModuleType) -> dict[str, str]:
    """Each name in the `SOURCES` of a module to its source."""
    given: dict[str, str] = getattr(module, "SOURCES", {})
    return {name: source for names, source in given.items() for name in names.split(", ")}


def _settings(of: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    for one in fields(of):
        value = getattr(of, one.name)
        if is_dataclass(value):
            yield from _settings(value, f"{within}{one.name}.")
        else:
            yield f"{within}{one.name}", value


def _homes(module: ModuleType) -> list[ModuleType]:
    """The module, then those of experiments that it imports, names or whole, and so on."""
    found, waiting = [module], [module]
    while waiting:
        for value in vars(waiting.pop()).values():
            name = value.__name__ if isinstance(value, ModuleType) else _module(value)
            home = sys.modules[name] if name.startswith(f"{ROOM}.") else module
            if home not in found:
                found.append(home)
                waiting.append(home)
    return found


def _module(of: Any) -> str:
    return str(getattr(of, "__module__", ""))


def _source(name: str, homes: list[ModuleType]) -> str:
    return next(said[name] for home in homes if name in (said := sources(home)))


def _constants(module: ModuleType) -> dict[str, tuple[Any, ModuleType]]:
    """Constants of the module and of the experiment's other modules, with their homes."""
    return {
        name: (getattr(home, name), home)
        for home in _homes(module)
        for name in sources(home)
        if name.isupper() and hasattr(home, name) and _used(name, home, module)
    }


def _used(name: str, home: ModuleType, module: ModuleType) -> bool:
    """Whether it belongs to the experiment: from its paper's folder, or imported by name."""
    own = home.__name__.rpartition(".")[0] == module.__name__.rpartition(".")[0]
    return own or name in vars(module)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if callable(value):
        return ""
    if isinstance(value, Path):
        return value.name
    if isinstance(value, tuple | list):
        parts = [_text(x) for x in cast("Sequence[Any]", value)]
        return ", ".join(parts) or "–"
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return ", ".join(f"{key}: {_text(x)}" for key, x in pairs)
    if is_dataclass(value):
        parts = [(one.name, _text(getattr(value, one.name))) for one in fields(value)]
        return ", ".join(f"{name} {text}" for name, text in parts if text)
    return str(value)
