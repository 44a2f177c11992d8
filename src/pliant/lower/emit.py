"""Linked definitions as the source text of one module, for each target language."""

import ast
import copy
from collections.abc import Mapping

from pliant.lower.link import MATH, Function, Linker
from pliant.lower.source import FLOAT, Structure

_NOTE = '"""Generated from laws and a topology; every edit is lost."""\n'


def python(linker: Linker) -> str:
    """Plain Python: the reference."""
    parts = [_NOTE, *_imports(linker), "from typing import NamedTuple"]
    for item in linker.definitions:
        parts.append(_named_tuple(item) if isinstance(item, Structure) else _function(item))
    return "\n".join(parts) + "\n"


def numba(linker: Linker, entries: Mapping[str, str], header: str = "") -> str:
    """Numba. `entries` gives the decorator of each function that is called from outside.

    Only those are cached on disk: a cached function carries the compiled ones that it calls.
    Division by zero gives infinity, as in C, instead of a check at each division.
    """
    parts = [_NOTE, *_imports(linker), "from typing import NamedTuple", "import numba", header]
    for item in linker.definitions:
        if isinstance(item, Structure):
            parts.append(_named_tuple(item))
        else:
            decorator = entries.get(item.name, '@numba.njit(error_model="numpy")')
            parts.append(f"{decorator}\n{_function(item)}")
    return "\n".join(parts) + "\n"


def warp(linker: Linker) -> str:
    """NVIDIA Warp, float32: every function a `wp.func`, every named tuple a `wp.struct`."""
    parts = [_NOTE, "import warp as wp"]
    for item in linker.definitions:
        if isinstance(item, Structure):
            # A struct of C has at least one member.
            fields = item.fields or [("empty", FLOAT)]
            lines = [f"    {name}: {_warp_type(kind)}" for name, kind in fields]
            parts.append("@wp.struct\nclass " + item.name + ":\n" + "\n".join(lines))
        else:
            parts.append("@wp.func\n" + _warp_function(item))
    return "\n".join(parts) + "\n"


def _imports(linker: Linker) -> list[str]:
    lines = [f"from math import {name} as {MATH}{name}" for name in sorted(linker.math)]
    for local, (module, name) in sorted(linker.externals.items()):
        lines.append(
            f"import {module} as {local}" if name is None else f"from {module} import {name} as {local}"
        )
    return lines


def _named_tuple(structure: Structure) -> str:
    lines = [
        f"    {name}: {FLOAT if kind == FLOAT else kind.name}"  # type: ignore[union-attr]
        for name, kind in structure.fields
    ]
    return f"class {structure.name}(NamedTuple):\n" + ("\n".join(lines) or "    pass")


def _function(function: Function) -> str:
    return ast.unparse(ast.fix_missing_locations(function.node))


def _warp_type(kind: str | Structure | None) -> str:
    return kind.name if isinstance(kind, Structure) else "wp.float32"


def _warp_function(function: Function) -> str:
    node = _Floats().visit(copy.deepcopy(function.node))
    for argument, (_, kind) in zip(node.args.args, function.arguments, strict=True):
        argument.annotation = ast.parse(_warp_type(kind), mode="eval").body
    return ast.unparse(ast.fix_missing_locations(node)).replace(MATH, "wp.")


class _Floats(ast.NodeTransformer):
    """Warp does not mix integers with floats; in a law every number is a float."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return ast.copy_location(ast.Constant(float(node.value)), node)
        return node
