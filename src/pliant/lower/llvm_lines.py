"""Instructions of LLVM's assembly, one after another, and the names of types in it."""

from collections.abc import Callable, Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower.types import (
    FLOAT,
    INTEGER,
    LANES,
    MASK,
    NOTHING,
    TRUTH,
    Array,
    Pointer,
    Struct,
    Type,
)

BY_ADDRESS = 8
"""A structure of more numbers than this is handed on by its address."""


class Unit:
    """Names and declarations that the functions of a module share."""

    def __init__(self, program: t.Program) -> None:
        self.program, self.width = program, program.width
        self.declared: set[str] = set()
        self.names: dict[Type, str] = {}
        self.lanes, self.mask = f"<{self.width} x double>", f"<{self.width} x i1>"
        self.words = f"<{self.width} x i64>"
        vector = '"min-legal-vector-width"="512" "prefer-vector-width"="512"'
        self.attributes = vector if self.width > 4 else ""

    def name(self, kind: Type) -> str:
        """LLVM's name of a type."""
        if kind not in self.names:
            self.names[kind] = self._name(kind)
        return self.names[kind]

    def _name(self, kind: Type) -> str:
        simple = {FLOAT: "double", INTEGER: "i64", TRUTH: "i1", NOTHING: "void"}
        simple |= {LANES: self.lanes, MASK: self.mask}
        if isinstance(kind, Pointer):
            return "ptr"
        if isinstance(kind, Array):
            numbers = kind.rank * (1 if kind.dense else 2)
            return "{" + ", ".join(["ptr", *["i64"] * numbers]) + "}"
        if isinstance(kind, Struct):
            return "{" + ", ".join(self.name(one) for _, one in kind.fields) + "}"
        return simple[kind]


def is_large(kind: Type) -> bool:
    """Whether a value is handed on by its address."""
    return isinstance(kind, Struct) and kind.numbers() > BY_ADDRESS


class Lines:
    """Lines of one function.

    Attributes:
        slots: those that make room on the stack. ended: nothing can follow in this block.
        loops: those around the line at hand: where each ends, where its next turn begins.
    """

    def __init__(self, unit: Unit, function: t.Function) -> None:
        self.unit, self.function = unit, function
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.count = 0
        self.block_name = "entry"
        self.ended = False
        self.loops: list[tuple[str, str]] = []

    def new(self, text: str) -> str:
        """A new value."""
        self.count += 1
        self.lines.append(f"  %x{self.count} = {text}")
        return f"%x{self.count}"

    def do(self, text: str) -> None:
        """An instruction without a value."""
        self.lines.append("  " + text)

    def slot(self, kind: str) -> str:
        """Room on the stack."""
        self.count += 1
        self.slots.append(f"  %s{self.count} = alloca {kind}")
        return f"%s{self.count}"

    def label(self) -> str:
        """The name of a block to come."""
        self.count += 1
        return f"b{self.count}"

    def begin(self, name: str) -> None:
        """Go on in a new block; the one before falls into it unless it has ended."""
        self.end(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.block_name, self.ended = name, False

    def end(self, text: str) -> None:
        """End the block, unless it has ended."""
        if not self.ended:
            self.do(text)
        self.ended = True

    def called(self, returns: Type, name: str, given: Sequence[str]) -> str:
        """A call; its value, if there is one."""
        text = f"call {self.unit.name(returns)} @{name}({', '.join(given)})"
        if returns is NOTHING:
            self.do(text)
            return ""
        return self.new(text)

    def built(self, kind: str, values: Sequence[tuple[str, str]]) -> str:
        """An aggregate of its parts."""
        made = "zeroinitializer" if not values else "undef"
        for k, (part, value) in enumerate(values):
            made = self.new(f"insertvalue {kind} {made}, {part} {value}, {k}")
        return made

    def part(self, kind: Type, value: str, place: int) -> str:
        """One part of an aggregate: a field, or of an array its address, shape, strides."""
        return self.new(f"extractvalue {self.unit.name(kind)} {value}, {place}")

    def by_field(
        self, kind: Type, given: Sequence[tuple[Type, str]], made: Callable[..., str]
    ) -> str:
        """A value of numbers, which `made` makes of its type and those given; of structures field by field."""
        if not isinstance(kind, Struct):
            return made(kind, *given)
        parts: list[tuple[str, str]] = []
        for k, (_, field) in enumerate(kind.fields):
            inside = [
                (cast("Struct", one).fields[k][1], self.part(one, value, k)) for one, value in given
            ]
            parts.append((self.unit.name(field), self.by_field(field, inside, made)))
        return self.built(self.unit.name(kind), parts)

    def splat(self, value: str, kind: str) -> str:
        """A vector with the same value in each lane."""
        width = self.unit.width
        if not value.startswith("%"):
            return f"<{', '.join([f'{kind} {value}'] * width)}>"
        many = f"<{width} x {kind}>"
        first = self.new(f"insertelement {many} poison, {kind} {value}, i32 0")
        order = f"<{width} x i32> zeroinitializer"
        return self.new(f"shufflevector {many} {first}, {many} poison, {order}")

    def lesser(self, x: str, y: str) -> str:
        """The smaller of two integers."""
        return self.new(f"select i1 {self.new(f'icmp slt i64 {x}, {y}')}, i64 {x}, i64 {y}")

    def e(self, node: t.Expression) -> str:
        """The value of an expression."""
        return getattr(self, f"of_{type(node).__name__}")(node)
