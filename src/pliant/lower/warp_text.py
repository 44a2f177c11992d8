"""The typed tree for NVIDIA Warp, float32: every function a `wp.func`, every structure a `wp.struct`.

Only laws go through the tree. An engine's kernel for Warp is written in Warp's own dialect, with its
arrays, and is copied to the module with linked names.
"""

import ast
from collections.abc import Mapping, Sequence

from pliant.lower import typed as t
from pliant.lower.link import MATH, Function
from pliant.lower.python_text import NOTE, Writer, annotation, fields_of, plain, structures
from pliant.lower.syntax import copied
from pliant.lower.types import ANY, FLOAT, NAMED, Type

REPLACED = {
    name: f"float32_math__{name}" for name in ("acosh", "asinh", "atanh", "expm1", "hypot", "log1p")
}
"""Functions of `math` that Warp lacks, and their replacements."""
_NUMBER = "wp.float32"


def warp_text(
    program: t.Program, kernels: Sequence[Function], decorators: Mapping[str, str]
) -> str:
    """A module.

    Args:
        program: the laws.
        kernels: functions in Warp's dialect. decorators: of those that are not a `wp.func`.
    """
    lines = [
        NOTE,
        "from typing import Any",
        "import warp as wp",
        'wp.set_module_options({"enable_backward": False})',
    ]
    for kind in structures(program):
        # A C struct needs at least one member.
        lines += ["@wp.struct", f"class {kind.name}:"]
        lines += fields_of(kind, _NUMBER, f"empty: {_NUMBER}")
    for function in program.functions:
        lines += ["@wp.func", *_WarpWriter(function).definition()]
    for kernel in kernels:
        lines += [decorators.get(kernel.name, "@wp.func"), _as_written(kernel)]
    return "\n".join(lines) + "\n"


class _WarpWriter(Writer):
    """Warp's dialect."""

    def argument(self, name: str, kind: Type) -> str:
        number = _NUMBER if kind is FLOAT else "Any"
        return f"{plain(name)}: {annotation(kind, number)}"

    def of_Const(self, n: t.Const) -> str:
        text = super().of_Const(n)
        return text.replace("inf", "wp.inf").replace("nan", "wp.nan")

    def of_Math(self, n: t.Math) -> str:
        return f"wp.{n.name}({self.all(n.args)})"

    def of_Unary(self, n: t.Unary) -> str:
        return f"wp.abs({self.e(n.x)})" if n.op == "abs" else super().of_Unary(n)

    def of_Binary(self, n: t.Binary) -> str:
        text = super().of_Binary(n)
        return f"wp.{text}" if n.op in ("min", "max") else text


def _as_written(kernel: Function) -> str:
    node = _Names().visit(copied(kernel.node))
    for argument, (name, kind) in zip(node.args.args, kernel.arguments, strict=True):
        own = kernel.annotations.get(name, "Any")
        if kind is not ANY:
            own = kind.name
        spelled = _NUMBER if kind is FLOAT else own
        argument.annotation = ast.parse("Any" if own in _OURS else spelled, mode="eval").body
    return ast.unparse(node)


_OURS = {name for name in NAMED if name not in ("float", "int", "bool")}


class _Names(ast.NodeTransformer):
    """Warp's names for functions of `math`, and `min` and `max` of more than two."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id.removeprefix(MATH)
        if name == node.id:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("wp", ast.Load()), name, node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in {"min", "max"}:
            nested = node.args[0]
            for value in node.args[1:]:
                nested = ast.copy_location(ast.Call(node.func, [nested, value], []), node)
            return nested
        return node
