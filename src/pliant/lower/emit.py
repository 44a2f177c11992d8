"""Linked definitions as the source text of one module, for each target language."""

import ast
import dataclasses
from collections.abc import Callable, Mapping

from pliant.lower.branchless import branchless
from pliant.lower.link import MATH, Function, Linker
from pliant.lower.source import FLOAT, Structure
from pliant.lower.tree import copied
from pliant.subset.text import syntax_tree

_NOTE = '"""Generated from laws and a topology; every edit is lost."""\n'


def python(linker: Linker) -> str:
    """Plain Python: the reference. Whole numbers are floats: Python's integers have no end."""
    parts = [_NOTE, *_imports(linker), "from typing import NamedTuple"]
    for name in sorted(linker.math & {"ceil", "floor", "trunc"}):
        parts.append(
            f"{MATH}whole_{name} = {MATH}{name}\n"
            f"def {MATH}{name}(x):\n    return float({MATH}whole_{name}(x))"
        )
    for item in linker.definitions:
        if isinstance(item, Structure):
            parts.append(_named_tuple(item))
        else:
            parts.append(_function(_Floats().on(item) if item.is_physics else item))
    return "\n".join(parts) + "\n"


def numba(
    linker: Linker, entries: Mapping[str, str], header: str = "", *, in_lanes: bool = False
) -> str:
    """Numba. `entries` gives the decorator of each function that is called from outside.

    Only those are cached on disk: a cached function carries the compiled ones that it calls.
    Division by zero gives infinity, as in C, instead of a check at each division. All is inlined:
    what a step computes twice, such as a spring's torque on both its ends, is then computed once.
    In lanes, functions that have no loop have no branch either (`branchless`).
    """
    if in_lanes:
        linker.externals |= LANES
    spelled = _in_lanes(linker) if in_lanes else _function
    parts = [_NOTE, *_imports(linker), "from typing import NamedTuple", "import numba", header]
    for name in sorted(linker.math & _NUMBA_MATH.keys()):
        [node] = syntax_tree(_NUMBA_MATH[name]).body
        assert isinstance(node, ast.FunctionDef)
        function = spelled(Function(node.name, [("x", FLOAT)], FLOAT, node))
        parts.append(f"from math import exp as {MATH}exp\n{_INLINED}\n{function}")
    for item in linker.definitions:
        if isinstance(item, Structure):
            parts.append(_named_tuple(item))
        else:
            decorator = entries.get(item.name, _APART if item.name in _RARE else _INLINED)
            parts.append(f"{decorator}\n{spelled(item)}")
    return "\n".join(parts) + "\n"


_CHOICES = ("select", "both", "either", "opposite", "wide", "row", "put")
LANES: dict[str, tuple[str, str | None]] = {
    **{name: ("pliant.lower.lane_choice", name) for name in _CHOICES},
    **{name: (f"pliant.lower.{name}", None) for name in ("lanes", "elementary")},
}
"""Imports of a module for lanes."""


def _in_lanes(linker: Linker) -> Callable[[Function], str]:
    structures = frozenset(x.name for x in linker.definitions if isinstance(x, Structure))
    return lambda function: _function(branchless(function, structures))


def warp(linker: Linker, entries: Mapping[str, str] | None = None) -> str:
    """NVIDIA Warp, float32: every function a `wp.func`, every named tuple a `wp.struct`.

    `entries` gives the decorator of each function that is something else.
    """
    decorators = entries or {}
    parts = [
        _NOTE,
        "from typing import Any",
        "import warp as wp",
        'wp.set_module_options({"enable_backward": False})',
    ]
    for name, texts in _WARP_MATH.items():
        if name in linker.math:
            parts += [f"@wp.func\n{text}" for text in texts]
    for item in linker.definitions:
        if isinstance(item, Structure):
            # A struct of C has at least one member.
            fields = item.fields or [("empty", FLOAT)]
            lines = [f"    {name}: {_warp_type(kind)}" for name, kind in fields]
            parts.append("@wp.struct\nclass " + item.name + ":\n" + "\n".join(lines))
        else:
            parts.append(f"{decorators.get(item.name, '@wp.func')}\n{_warp_function(item)}")
    return "\n".join(dict.fromkeys(parts)) + "\n"


def _imports(linker: Linker) -> list[str]:
    lines = [f"from math import {name} as {MATH}{name}" for name in sorted(linker.math)]
    for local, (module, name) in sorted(linker.externals.items()):
        what = f"import {module}" if name is None else f"from {module} import {name}"
        lines.append(f"{what} as {local}")
    return lines


def _named_tuple(structure: Structure) -> str:
    lines = [
        f"    {name}: {FLOAT if kind == FLOAT else kind.name}"  # type: ignore[union-attr]
        for name, kind in structure.fields
    ]
    return f"class {structure.name}(NamedTuple):\n" + ("\n".join(lines) or "    pass")


def _function(function: Function) -> str:
    return ast.unparse(function.node)


def _warp_type(kind: str | Structure | None) -> str:
    return kind.name if isinstance(kind, Structure) else "wp.float32"


def _warp_function(function: Function) -> str:
    spelled = _Warp() if function.is_physics else _WarpNames()
    node = spelled.visit(copied(function.node))
    for argument, (name, kind) in zip(node.args.args, function.arguments, strict=True):
        own = function.annotations.get(name, "Any")
        text = own if kind is None else _warp_type(kind)
        argument.annotation = ast.parse(text, mode="eval").body
    return ast.unparse(node)


class _Floats(ast.NodeTransformer):
    """Rewriting of a law's numbers: each becomes a float."""

    def on(self, function: Function) -> Function:
        """`function`, changed."""
        return dataclasses.replace(function, node=self.visit(copied(function.node)))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return ast.copy_location(ast.Constant(float(node.value)), node)
        return node


class _WarpNames(ast.NodeTransformer):
    """Warp's names of the functions of `math`, and of `min` and `max`."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id.removeprefix(MATH)
        if name == node.id or name in _WARP_MATH:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("wp", ast.Load()), name, node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Split calls of min and max into calls of two values."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in {"min", "max"}:
            nested = node.args[0]
            for value in node.args[1:]:
                nested = ast.copy_location(ast.Call(node.func, [nested, value], []), node)
            return nested
        return node


class _Warp(_WarpNames, _Floats):
    """Rewriting for Warp, which does not mix integers with floats."""


# As in `mujoco.native.memory`: no way in from Python, no counting of references.
_LEAN = 'error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False'
_INLINED = f"@numba.njit({_LEAN}, forceinline=True)"
_APART = f"@numba.njit({_LEAN})"
_RARE = {"drive__drive_along"}
"""Large, and called only where a spring is stiff: not to burden every other step."""
_NUMBA_MATH = {
    "cosh": """def math__cosh(x):
    e = math__exp(abs(x))
    return 0.5 * (e + 1.0 / e)""",
    "sinh": """def math__sinh(x):
    a = abs(x)
    if a > 0.5:
        e = math__exp(a)
        return (0.5 * (e - 1.0 / e)) * (1.0 if x > 0.0 else -1.0)
    y = x * x
    return x * (1.0 + y * (1.0 / 6.0) * (1.0 + y * (1.0 / 20.0) * (1.0 + y * (1.0 / 42.0) * (
        1.0 + y * (1.0 / 72.0) * (1.0 + y * (1.0 / 110.0) * (1.0 + y * (1.0 / 156.0)))))))""",
}
"""Replacements to 1e-15, three times as fast as the C library; the series avoids cancellation."""
_LOG1P = """def math__log1p(x: wp.float32):
    u = 1.0 + x
    if u == 1.0:
        return x
    return wp.log(u) * x / (u - 1.0)"""

_WARP_MATH = {
    "acosh": ["def math__acosh(x: wp.float32):\n    return wp.log(x + wp.sqrt(x * x - 1.0))"],
    "asinh": [
        _LOG1P,
        """def math__asinh(x: wp.float32):
    a = wp.abs(x)
    return wp.copysign(math__log1p(a + a * a / (1.0 + wp.sqrt(a * a + 1.0))), x)""",
    ],
    "atanh": [
        _LOG1P,
        "def math__atanh(x: wp.float32):\n    return 0.5 * math__log1p(2.0 * x / (1.0 - x))",
    ],
    "expm1": [
        """def math__expm1(x: wp.float32):
    u = wp.exp(x)
    if u == 1.0:
        return x
    if u - 1.0 == -1.0 or u - 1.0 == u:
        return u - 1.0
    return (u - 1.0) * x / wp.log(u)"""
    ],
    "fabs": ["def math__fabs(x: wp.float32):\n    return wp.abs(x)"],
    "hypot": [
        "def math__hypot(x: wp.float32, y: wp.float32):\n    return wp.length(wp.vec2(x, y))"
    ],
    "log1p": [_LOG1P],
}
"""Functions that Warp lacks, accurate to float32 near zero too (Kahan's log1p and expm1)."""
