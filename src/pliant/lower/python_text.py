"""The typed tree as plain Python: the reference, for a few calls and for tests.

Whole numbers are floats where the tree says so, because Python's integers have no end.
"""

from collections.abc import Iterator, Sequence

from pliant.lower import typed as t
from pliant.lower.types import FLOAT, INTEGER, TRUTH, Struct, Type

NOTE = '"""Generated from laws and a topology; every edit is lost."""'
_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
}
_TESTS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_WHOLE = {"ceil", "floor", "trunc"}
"""Functions of `math` that give an integer in Python, and a float elsewhere."""


def python_text(program: t.Program) -> str:
    """A module with every structure and function of the program."""
    used = {n.name for f in program.functions for n in t.walk(f.body) if isinstance(n, t.Math)}
    lines = [NOTE, "from typing import NamedTuple", "from math import inf, nan"]
    lines += [f"from math import {name} as math__{name}" for name in sorted(used)]
    for kind in structures(program):
        fields = [f"    {name}: {_annotation(one)}" for name, one in kind.fields]
        lines += [f"class {kind.name}(NamedTuple):", *(fields or ["    pass"])]
    writer = Writer()
    for function in program.functions:
        given = ", ".join(plain(name) for name, _ in function.arguments)
        lines += [f"def {function.name}({given}):", *writer.block(function.body, 1)]
    return "\n".join(lines) + "\n"


def structures(program: t.Program) -> list[Struct]:
    """The named tuples of a program, each behind those that it holds."""
    found: dict[Struct, None] = {}

    def add(kind: Type) -> None:
        if isinstance(kind, Struct) and kind not in found:
            for _, inside in kind.fields:
                add(inside)
            if not kind.name.startswith("("):
                found[kind] = None

    for function in program.functions:
        for kind in (*function.variables.values(), function.returns):
            add(kind)
        for node in t.walk(function.body):
            if isinstance(node, t.Make):
                add(node.type)
    return [*found]


def plain(name: str) -> str:
    """A variable's name as Python spells it."""
    return name.replace(".", "__")


def _annotation(kind: Type) -> str:
    return kind.name if isinstance(kind, Struct) else "float"


class Writer:
    """Statements and expressions as text; a dialect of Python changes what it spells otherwise."""

    def block(self, body: Sequence[t.Statement], depth: int) -> list[str]:
        """Lines of a block."""
        lines = [line for node in body for line in self.statement(node)] or ["pass"]
        return ["    " * depth + line for line in lines]

    def statement(self, node: t.Statement) -> Iterator[str]:
        """Lines of a statement."""
        match node:
            case t.Set(name=name, value=value):
                yield f"{plain(name)} = {self.e(value)}"
            case t.Store(base=base, places=places, value=value):
                yield f"{self.e(base)}[{self.all(places)}] = {self.e(value)}"
            case t.Do(value=value):
                yield self.e(value)
            case t.Return(value=value):
                yield "return" if value is None else f"return {self.e(value)}"
            case t.If(test=test, body=body, orelse=orelse):
                yield f"if {self.e(test)}:"
                yield from self.block(body, 1)
                if orelse:
                    yield "else:"
                    yield from self.block(orelse, 1)
            case t.While(test=test, body=body):
                yield f"while {self.e(test)}:"
                yield from self.block(body, 1)
            case t.For(name=name, low=low, high=high, step=step, body=body):
                yield f"for {plain(name)} in range({self.e(low)}, {self.e(high)}, {step}):"
                yield from self.block(body, 1)
            case _:
                yield type(node).__name__.lower()

    def all(self, nodes: Sequence[t.Expression]) -> str:
        """Several expressions with commas between them."""
        return ", ".join(map(self.e, nodes))

    def e(self, node: t.Expression) -> str:
        """An expression."""
        return getattr(self, f"of_{type(node).__name__}")(node)

    def of_Const(self, n: t.Const) -> str:
        """A number: a float with a point."""
        return repr(float(n.value)) if n.type is FLOAT else repr(n.value)

    def of_Cast(self, n: t.Cast) -> str:
        """A number as another kind."""
        name = {FLOAT: "float", INTEGER: "int", TRUTH: "bool"}[n.type]
        return f"{name}({self.e(n.x)})"

    def of_Math(self, n: t.Math) -> str:
        """A function of `math`."""
        called = f"math__{n.name}({self.all(n.args)})"
        return f"float({called})" if n.name in _WHOLE else called

    def of_Unary(self, n: t.Unary) -> str:
        """One operand."""
        x = self.e(n.x)
        return {"neg": f"(-{x})", "not": f"(not {x})", "abs": f"abs({x})"}[n.op]

    def of_Binary(self, n: t.Binary) -> str:
        """Two operands."""
        x, y = self.e(n.x), self.e(n.y)
        return f"{n.op}({x}, {y})" if n.op in ("min", "max") else f"({x} {_BINARY[n.op]} {y})"

    def of_Get(self, n: t.Get) -> str:
        """A field by its name, or, of a tuple, by its place."""
        assert isinstance(n.of.type, Struct)
        name = n.of.type.fields[n.index][0]
        return f"{self.e(n.of)}[{name}]" if name.isdigit() else f"{self.e(n.of)}.{name}"

    def of_Make(self, n: t.Make) -> str:
        """A named tuple, or a tuple."""
        inside = self.all(n.parts)
        return f"({inside},)" if n.type.name.startswith("(") else f"{n.type.name}({inside})"

    def of_Choose(self, n: t.Choose) -> str:
        """One of two values."""
        return f"({self.e(n.yes)} if {self.e(n.test)} else {self.e(n.no)})"

    def of_Var(self, n: t.Var) -> str:
        """A variable."""
        return plain(n.name)

    def of_Compare(self, n: t.Compare) -> str:
        """A comparison."""
        return f"({self.e(n.x)} {_TESTS[n.op]} {self.e(n.y)})"

    def of_Logic(self, n: t.Logic) -> str:
        """`and`, `or`."""
        return f"({self.e(n.x)} {n.op} {self.e(n.y)})"

    def of_Call(self, n: t.Call) -> str:
        """A function of the program."""
        return f"{n.function.name}({self.all(n.args)})"

    def of_Load(self, n: t.Load) -> str:
        """An element."""
        return f"{self.e(n.base)}[{self.all(n.places)}]"

    def of_Length(self, n: t.Length) -> str:
        """Size of an array."""
        return f"len({self.e(n.base)})"
