"""Binary operations, and constant folding of nodes of the typed tree."""

import ast
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from pliant.lower import typed as t
from pliant.lower.types import FLOAT, INTEGER, LANES, MASK, TRUTH, Struct, Type

_python: Any = operator  # it does not declare all types


class Operation(NamedTuple):
    """One operation; `real` and `whole` are LLVM's instructions for floats and integers, if it has one."""

    syntax: type[ast.AST]
    symbol: str
    value: Callable[[Any, Any], Any]
    real: str = ""
    whole: str = ""


ARITHMETIC = {
    "add": Operation(ast.Add, "+", _python.add, "fadd", "add"),
    "sub": Operation(ast.Sub, "-", _python.sub, "fsub", "sub"),
    "mul": Operation(ast.Mult, "*", _python.mul, "fmul", "mul"),
    "div": Operation(ast.Div, "/", _python.truediv, "fdiv"),
    "floordiv": Operation(ast.FloorDiv, "//", _python.floordiv),
    "mod": Operation(ast.Mod, "%", _python.mod),
    "and": Operation(ast.BitAnd, "&", _python.and_, "", "and"),
    "or": Operation(ast.BitOr, "|", _python.or_, "", "or"),
    "xor": Operation(ast.BitXor, "^", _python.xor, "", "xor"),
    "shl": Operation(ast.LShift, "<<", _python.lshift, "", "shl"),
    "shr": Operation(ast.RShift, ">>", _python.rshift, "", "ashr"),
}
TESTS = {
    "lt": Operation(ast.Lt, "<", _python.lt, "fcmp olt", "icmp slt"),
    "le": Operation(ast.LtE, "<=", _python.le, "fcmp ole", "icmp sle"),
    "gt": Operation(ast.Gt, ">", _python.gt, "fcmp ogt", "icmp sgt"),
    "ge": Operation(ast.GtE, ">=", _python.ge, "fcmp oge", "icmp sge"),
    "eq": Operation(ast.Eq, "==", _python.eq, "fcmp oeq", "icmp eq"),
    "ne": Operation(ast.NotEq, "!=", _python.ne, "fcmp une", "icmp ne"),
}
NAMED = {one.syntax: name for name, one in (ARITHMETIC | TESTS).items()}
"""Names of the operations by Python's syntax."""


def constant(value: Any) -> t.Const:
    """A number or truth of Python or NumPy."""
    if isinstance(value, (int, float)):  # bool is an int
        kind = TRUTH if isinstance(value, bool) else INTEGER if isinstance(value, int) else FLOAT
        return t.Const(kind, value)
    return constant(value.item())  # of NumPy


def as_type(x: t.Expression, kind: Type) -> t.Expression:
    """The same value as another type; a structure field by field."""
    if x.type is kind:
        return x
    if isinstance(kind, Struct) and isinstance(x.type, Struct):
        parts: list[t.Expression] = [
            as_type(t.Get(there, x, k), wanted)
            for k, ((_, there), (_, wanted)) in enumerate(
                zip(x.type.fields, kind.fields, strict=True)
            )
        ]
        return t.Make(kind, parts)
    if isinstance(x, t.Const) and kind in (FLOAT, LANES):
        return t.Const(kind, float(x.value))
    if isinstance(x, t.Const) and kind is INTEGER and x.type is TRUTH:
        return t.Const(kind, int(x.value))
    return t.Cast(kind, x)


def logic(op: str, x: t.Expression, y: t.Expression) -> t.Expression:
    """`and`, `or`, folded if one side is constant."""
    ends = op == "or"
    if isinstance(x, t.Const):
        return x if bool(x.value) is ends else y
    if isinstance(y, t.Const) and bool(y.value) is not ends:
        return x
    if MASK in (x.type, y.type):
        return t.Binary(MASK, op, as_type(x, MASK), as_type(y, MASK))
    return t.Logic(TRUTH, op, x, y)


def arithmetic(op: str, kind: Type, x: t.Expression, y: t.Expression) -> t.Expression:
    """An operation of two numbers of type `kind`."""
    if isinstance(x, t.Const) and isinstance(y, t.Const) and op in ARITHMETIC:
        try:
            value = ARITHMETIC[op].value(x.value, y.value)
        except (ArithmeticError, TypeError, ValueError):  # raised when the law runs
            return t.Binary(kind, op, x, y)
        return t.Const(kind, float(value) if kind in (FLOAT, LANES) else value)
    return t.Binary(kind, op, x, y)


def comparison(op: str, x: t.Expression, y: t.Expression) -> t.Expression:
    """A comparison of two numbers of one type."""
    if isinstance(x, t.Const) and isinstance(y, t.Const):
        return t.Const(TRUTH, TESTS[op].value(x.value, y.value))
    return t.Compare(MASK if x.type is LANES else TRUTH, op, x, y)


def opposite(x: t.Expression) -> t.Expression:
    """`not` of a truth."""
    return t.Const(TRUTH, not x.value) if isinstance(x, t.Const) else t.Unary(x.type, "not", x)
