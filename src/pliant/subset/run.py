"""A checked file as a module of plain Python, built from the very text that was checked.

Nothing is imported, and only `def` is executed: named tuples, constants and imports are built here
from the syntax tree. Its functions see four builtins. Every number is a float, so no integer grows
without bound.
"""

import ast
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple

from pliant import ports
from pliant.subset import CheckedSource, check_source
from pliant.subset.declared import annotated
from pliant.subset.imports import MATH, law_file
from pliant.subset.text import parsed

_BUILTINS = {"abs": abs, "min": min, "max": max, "float": float}


def _as_float(function: Callable[[float], int]) -> Callable[[float], float]:
    def whole(x: float) -> float:
        return float(function(x))

    return whole


_MATH: dict[str, Any] = {name: getattr(math, name) for name in MATH} | {
    "ceil": _as_float(math.ceil),
    "floor": _as_float(math.floor),
    "trunc": _as_float(math.trunc),
}


_made: dict[Path, ModuleType] = {}


def module_of(path: Path) -> ModuleType:
    """The law or topology at `path`, checked, as a module."""
    if path not in _made:
        _made[path] = _module(path, check_source(path))
    return _made[path]


def made() -> list[ModuleType]:
    """All modules built so far."""
    return list(_made.values())


def _module(path: Path, checked: CheckedSource) -> ModuleType:
    # Parsed again from the same text: the checked tree itself goes to the compilers.
    tree = parsed(checked.source.text, str(path))
    module = ModuleType(path.stem, ast.get_docstring(tree, clean=False))
    names: dict[str, Any] = vars(module)
    names |= {"__builtins__": _BUILTINS, "__file__": str(path)}
    for node in tree.body:
        match node:
            case ast.ImportFrom():
                names |= _imported(node)
            case ast.ClassDef():
                names[node.name] = _named_tuple(node)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                names[name] = ast.literal_eval(value)
            case _:
                pass
    functions = ast.Module([n for n in tree.body if isinstance(n, ast.FunctionDef)], [])
    for node in ast.walk(functions):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = float(node.value)
    exec(compile(functions, str(path), "exec", dont_inherit=True), names)  # noqa: S102 - only `def`
    return module


def _imported(node: ast.ImportFrom) -> dict[str, Any]:
    """Values of imported names; names from `typing` have none."""
    assert node.module is not None  # was checked
    found: dict[str, Any] = {}
    for alias in node.names:
        local = alias.asname or alias.name
        if node.module == "math":
            found[local] = _MATH[alias.name]
        elif node.module == "pliant.ports":
            found[local] = getattr(ports, alias.name)
        elif (file := law_file(f"{node.module}.{alias.name}")) is not None:
            found[local] = module_of(file)
        elif (file := law_file(node.module)) is not None:
            found[local] = vars(module_of(file))[alias.name]
    return found


def _named_tuple(node: ast.ClassDef) -> Any:
    fields = [
        (
            part.target.id,
            Annotated[(float, *more)] if (more := annotated(part.annotation)) else float,
        )
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
    made: Any = NamedTuple(node.name, fields)
    return made
