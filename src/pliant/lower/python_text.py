"""The typed tree as plain Python: the reference, for a few calls and for tests; and as text for people.

Integers are floats wherever the tree has floats, because Python's integers are unbounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, cast

from pliant.errors import PliantError
from pliant.lower import typed as t
from pliant.lower.operations import ARITHMETIC, TESTS
from pliant.lower.types import FLOAT, INTEGER, TRUTH, Struct, Type

NOTE = '"""Generated from laws and a topology; edits are lost."""'
_WHOLE = {"ceil", "floor", "trunc"}
"""Functions of `math` that return an integer in Python, and a float elsewhere."""


def python_text(program: t.Program) -> str:
    """A module with every structure and function of the program."""
    lines = [NOTE, "from typing import NamedTuple", "from math import inf, nan"]
    lines += [f"from math import {name} as math__{name}" for name in sorted(math_used(program))]
    for kind in structures(program):
        lines += [f"class {kind.name}(NamedTuple):", *fields_of(kind, "float")]
    for function in program.functions:
        lines += Writer(function).definition()
    return "\n".join(lines) + "\n"


def shown(program: t.Program) -> str:
    """A program for people: with all types, and the file and line of each statement."""
    return "\n\n".join("\n".join(_Shown(f).definition()) for f in program.functions)


def math_used(program: t.Program) -> dict[str, int]:
    """Functions of `math` that a program calls, and how many numbers each takes."""
    nodes = [n for f in program.functions for n in t.walk(f.body)]
    return {n.name: len(n.args) for n in nodes if isinstance(n, t.Math)}


def structures(program: t.Program) -> list[Struct]:
    """The named tuples of a program, each after those that it contains."""
    found: dict[Struct, None] = {}

    def add(kind: Type) -> None:
        if isinstance(kind, Struct) and kind not in found:
            for _, inside in kind.fields:
                add(inside)
            if kind.is_named:
                found[kind] = None

    for function in program.functions:
        for kind in (*function.variables.values(), function.returns):
            add(kind)
        for node in t.walk(function.body):
            if isinstance(node, t.Make):
                add(node.type)
    return [*found]


def plain(name: str) -> str:
    """A variable's name in Python."""
    return name.replace(".", "__")


def fields_of(kind: Struct, number: str, nothing: str = "pass") -> list[str]:
    """Lines of a class with a structure's fields, whose numbers are of type `number`."""
    return [f"    {name}: {annotation(one, number)}" for name, one in kind.fields] or [
        f"    {nothing}"
    ]


def annotation(kind: Type, number: str) -> str:
    """A type as an annotation."""
    return kind.name if isinstance(kind, Struct) else number


class Writer:
    """A function as text; subclasses for other languages, or dialects of Python, override what differs."""

    where = "in Python"
    """Part of the error about constructs that the language cannot express."""
    indent = "    "

    def __init__(self, function: t.Function) -> None:
        self.function = function
        self.line = 0

    def fault(self, node: t.Expression | t.Statement) -> PliantError:
        """The error about a node that cannot be expressed, with its line."""
        return PliantError(
            f"cannot be written {self.where}",
            file=self.function.path,
            field=f"line {self.line}, {self.function.plain.rpartition('__')[2]}()",
            found=type(node).__name__,
        )

    def definition(self) -> list[str]:
        given = ", ".join(self.argument(name, kind) for name, kind in self.function.arguments)
        return [f"def {self.function.name}({given}):", *self.block(self.function.body)]

    def argument(self, name: str, kind: Type) -> str:
        """An argument in the function's signature."""
        return plain(name)

    def block(self, body: Sequence[t.Statement]) -> list[str]:
        """Lines of a block, indented one level."""
        lines: list[str] = []
        for node in body:
            self.line = node.line
            lines += self.statement(node)
        return [self.indent + line for line in lines or ["pass"]]

    def statement(self, node: t.Statement) -> Iterator[str]:
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
                yield from self.block(body)
                if orelse:
                    yield "else:"
                    yield from self.block(orelse)
            case t.While(test=test, body=body):
                yield f"while {self.e(test)}:"
                yield from self.block(body)
            case t.For(name=name, low=low, high=high, step=step, body=body):
                yield f"for {plain(name)} in range({self.e(low)}, {self.e(high)}, {step}):"
                yield from self.block(body)
            case t.Break() | t.Continue():
                yield type(node).__name__.lower()
            case _:
                raise self.fault(node)

    def all(self, nodes: Sequence[t.Expression]) -> str:
        """Several expressions separated by commas."""
        return ", ".join(map(self.e, nodes))

    def e(self, node: t.Expression) -> str:
        spelled = getattr(self, f"of_{type(node).__name__}", None)
        if spelled is None:
            raise self.fault(node)
        return spelled(node)

    def of_Const(self, n: t.Const) -> str:
        """A number: a float with a decimal point."""
        return repr(float(n.value)) if n.type is FLOAT else repr(n.value)

    def of_Cast(self, n: t.Cast) -> str:
        name = {FLOAT: "float", INTEGER: "int", TRUTH: "bool"}[n.type]
        return f"{name}({self.e(n.x)})"

    def of_Math(self, n: t.Math) -> str:
        called = f"math__{n.name}({self.all(n.args)})"
        return f"float({called})" if n.name in _WHOLE else called

    def of_Unary(self, n: t.Unary) -> str:
        x = self.e(n.x)
        return {"neg": f"(-{x})", "not": f"(not {x})", "abs": f"abs({x})"}[n.op]

    def of_Binary(self, n: t.Binary) -> str:
        if n.op in ("min", "max"):
            return f"{n.op}({self.e(n.x)}, {self.e(n.y)})"
        return f"({self.e(n.x)} {ARITHMETIC[n.op].symbol} {self.e(n.y)})"

    def of_Get(self, n: t.Get) -> str:
        """A field by its name, or, in a tuple, by its index."""
        assert isinstance(n.of.type, Struct)
        name = n.of.type.fields[n.index][0]
        return f"{self.e(n.of)}[{name}]" if name.isdigit() else f"{self.e(n.of)}.{name}"

    def of_Make(self, n: t.Make) -> str:
        """A named tuple, or a tuple."""
        inside = self.all(n.parts)
        assert isinstance(n.type, Struct)
        return f"{n.type.name}({inside})" if n.type.is_named else f"({inside},)"

    def of_Choose(self, n: t.Choose) -> str:
        return f"({self.e(n.yes)} if {self.e(n.test)} else {self.e(n.no)})"

    def of_Var(self, n: t.Var) -> str:
        return plain(n.name)

    def of_Compare(self, n: t.Compare) -> str:
        return f"({self.e(n.x)} {TESTS[n.op].symbol} {self.e(n.y)})"

    def of_Logic(self, n: t.Logic) -> str:
        return f"({self.e(n.x)} {n.op} {self.e(n.y)})"

    def of_Call(self, n: t.Call) -> str:
        return f"{n.function.name}({self.all(n.args)})"

    def of_Load(self, n: t.Load) -> str:
        return f"{self.e(n.base)}[{self.all(n.places)}]"

    def of_Length(self, n: t.Length) -> str:
        return f"len({self.e(n.base)})"


class _Shown(Writer):
    """Text for people, with the lines of the law; a node that Python cannot express appears by its name."""

    def definition(self) -> list[str]:
        head, *body = super().definition()
        f = self.function
        return [f"{head.removesuffix(':')} -> {f.returns}:  # {f.path.name}", *body]

    def argument(self, name: str, kind: Type) -> str:
        return f"{name}: {kind}"

    def statement(self, node: t.Statement) -> Iterator[str]:
        first, *more = super().statement(node)
        if isinstance(node, t.Set):
            first = f"{node.name}: {node.value.type} = {self.e(node.value)}"
        yield f"{first}  # {node.line}"
        yield from more

    def e(self, node: t.Expression) -> str:
        if isinstance(node, t.Cast) or not hasattr(self, f"of_{type(node).__name__}"):
            inside = [self._part(getattr(node, one.name)) for one in fields(node)[1:]]
            name = str(node.type) if isinstance(node, t.Cast) else type(node).__name__
            return f"{name}({', '.join(inside)})"
        return super().e(node)

    def _part(self, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self._part, cast('list[Any]', value)))}]"
        if isinstance(value, t.Function):
            return value.name
        return self.e(value) if isinstance(value, t.Expression) else str(value)
