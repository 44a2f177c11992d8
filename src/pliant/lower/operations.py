"""Operations of two numbers: in Python's syntax, as Python and C spell them, their value, and LLVM's word."""

import ast
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

_python: Any = operator  # it does not declare all types


class Operation(NamedTuple):
    """One operation; `real` and `whole` are LLVM's on floats and on integers, where it has one."""

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
