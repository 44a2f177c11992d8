"""LLVM IR instructions, and the typed tree's variables, structures, arrays and memory in it."""

from collections.abc import Callable, Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower import types as ty

BY_ADDRESS = 8
"""A structure of more numbers than this is passed by reference."""


class Unit:
    """Names and declarations that the functions of a module share."""

    def __init__(self, program: t.Program) -> None:
        self.program, self.width = program, program.width
        self.declared: set[str] = set()
        self.names: dict[ty.Type, str] = {}
        self.lanes, self.mask = f"<{self.width} x double>", f"<{self.width} x i1>"
        self.words = f"<{self.width} x i64>"
        vector = '"min-legal-vector-width"="512" "prefer-vector-width"="512"'
        self.attributes = vector if self.width > 4 else ""

    def name(self, kind: ty.Type) -> str:
        """LLVM's name of a type."""
        if kind not in self.names:
            self.names[kind] = self._name(kind)
        return self.names[kind]

    def _name(self, kind: ty.Type) -> str:
        simple = {ty.FLOAT: "double", ty.INTEGER: "i64", ty.TRUTH: "i1", ty.NOTHING: "void"}
        simple |= {ty.LANES: self.lanes, ty.MASK: self.mask}
        if isinstance(kind, ty.Pointer):
            return "ptr"
        if isinstance(kind, ty.Array):
            numbers = kind.rank * (1 if kind.dense else 2)
            return "{" + ", ".join(["ptr", *["i64"] * numbers]) + "}"
        if isinstance(kind, ty.Struct):
            return "{" + ", ".join(self.name(one) for _, one in kind.fields) + "}"
        return simple[kind]


def is_large(kind: ty.Type) -> bool:
    """Whether a value is passed by reference."""
    return isinstance(kind, ty.Struct) and kind.numbers() > BY_ADDRESS


class Lines:
    """Lines of one function.

    Attributes:
        slots: stack allocations. ended: the basic block has its terminator.
        loops: enclosing loops: the block after each, and that of its next iteration.
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
        """A stack slot."""
        self.count += 1
        self.slots.append(f"  %s{self.count} = alloca {kind}")
        return f"%s{self.count}"

    def label(self) -> str:
        """A new label."""
        self.count += 1
        return f"b{self.count}"

    def begin(self, name: str) -> None:
        """Start a basic block; the one before branches to it unless it has ended."""
        self.end(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.block_name, self.ended = name, False

    def end(self, text: str) -> None:
        """Add a terminator to the block, unless it has one."""
        if not self.ended:
            self.do(text)
        self.ended = True

    def called(self, returns: ty.Type, name: str, given: Sequence[str]) -> str:
        """A call; its result, if there is one."""
        text = f"call {self.unit.name(returns)} @{name}({', '.join(given)})"
        if returns is ty.NOTHING:
            self.do(text)
            return ""
        return self.new(text)

    def built(self, kind: str, values: Sequence[tuple[str, str]]) -> str:
        """An aggregate from its parts."""
        made = "zeroinitializer" if not values else "undef"
        for k, (part, value) in enumerate(values):
            made = self.new(f"insertvalue {kind} {made}, {part} {value}, {k}")
        return made

    def part(self, kind: ty.Type, value: str, place: int) -> str:
        """One part of an aggregate: a field, or an array's address, shape or strides."""
        return self.new(f"extractvalue {self.unit.name(kind)} {value}, {place}")

    def by_field(
        self, kind: ty.Type, given: Sequence[tuple[ty.Type, str]], made: Callable[..., str]
    ) -> str:
        """A value that `made` computes from its type and the given ones; structures field by field."""
        if not isinstance(kind, ty.Struct):
            return made(kind, *given)
        parts: list[tuple[str, str]] = []
        for k, (_, field) in enumerate(kind.fields):
            inside = [
                (cast("ty.Struct", one).fields[k][1], self.part(one, value, k))
                for one, value in given
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


class Memory(Lines):
    """Reading, and the addresses of variables and elements."""

    def of_Var(self, n: t.Var) -> str:
        return self.new(f"load {self.unit.name(n.type)}, ptr %v.{n.name}")

    def address(self, n: t.Expression) -> str | None:
        """Address of a structure, if it is a variable or in one."""
        if isinstance(n, t.Var):
            return f"%v.{n.name}"
        if isinstance(n, t.Get) and (inside := self.address(n.of)):
            kind = self.unit.name(n.of.type)
            return self.new(f"getelementptr inbounds {kind}, ptr {inside}, i32 0, i32 {n.index}")
        return None

    def of_Get(self, n: t.Get) -> str:
        if isinstance(n.of, t.Make):
            return self.e(n.of.parts[n.index])
        place = self.address(n)
        if place is not None:
            return self.new(f"load {self.unit.name(n.type)}, ptr {place}")
        return self.part(n.of.type, self.e(n.of), n.index)

    def of_Make(self, n: t.Make) -> str:
        parts = [(self.unit.name(one.type), self.e(one)) for one in n.parts]
        return self.built(self.unit.name(n.type), parts)

    def of_Table(self, n: t.Table) -> str:
        shape = map(str, self.unit.program.tables[n.name].shape)
        return self.array(cast("ty.Array", n.type), f"@table.{n.name}", list(shape))

    def array(
        self, kind: ty.Array, place: str, shape: Sequence[str], strides: Sequence[str] = ()
    ) -> str:
        """An array's address, shape and, unless dense, strides [cells]."""
        sizes = [*shape, *(() if kind.dense else strides)]
        return self.built(self.unit.name(kind), [("ptr", place), *(("i64", n) for n in sizes)])

    def stride(self, x: str, kind: ty.Array, axis: int) -> str | None:
        """Stride along an axis [cells]; None: one."""
        if not kind.dense:
            return self.part(kind, x, 1 + kind.rank + axis)
        made = None
        for after in range(axis + 1, kind.rank):
            size = self.part(kind, x, 1 + after)
            made = size if made is None else self.new(f"mul nsw i64 {made}, {size}")
        return made

    def offset(self, x: str, kind: ty.Array, places: Sequence[str]) -> str:
        """The address of an element."""
        at = None
        for axis, place in enumerate(places):
            step = self.stride(x, kind, axis)
            one = place if step is None else self.new(f"mul nsw i64 {place}, {step}")
            at = one if at is None else self.new(f"add nsw i64 {at}, {one}")
        first = self.part(kind, x, 0)
        return first if at is None else self.moved(first, kind.cell, at)

    def moved(self, place: str, cell: ty.Cell, count: str) -> str:
        """An address advanced by `count` cells."""
        return self.new(f"getelementptr inbounds {cell.llvm}, ptr {place}, i64 {count}")

    def place(
        self, base: t.Expression, places: Sequence[t.Expression], value: ty.Type
    ) -> tuple[str, ty.Cell | None]:
        """The address of a cell, or of a row of lanes, and the cell."""
        kind = base.type
        if isinstance(kind, ty.Pointer):
            assert isinstance(kind.to, ty.Cell)
            return self.moved(self.e(base), kind.to, self.row(kind, places)), kind.to
        assert isinstance(kind, ty.Array)
        x = self.e(base)
        if value is ty.LANES:
            first = self.part(kind, x, 0)
            at = self.e(places[0])
            return self.new(
                f"getelementptr inbounds {self.unit.lanes}, ptr {first}, i64 {at}"
            ), None
        return self.offset(x, kind, [self.e(one) for one in places]), kind.cell

    def row(self, kind: ty.Pointer, places: Sequence[t.Expression]) -> str:
        """Offset [cells] of a place in a pointer's rows."""
        at = self.e(places[0])
        if kind.row > 1:
            at = self.new(f"mul nsw i64 {at}, {kind.row}")
        return at if len(places) == 1 else self.new(f"add nsw i64 {at}, {self.e(places[1])}")

    def of_Load(self, n: t.Load) -> str:
        place, cell = self.place(n.base, n.places, n.type)
        if n.type is ty.LANES:
            return self.new(f"load {self.unit.lanes}, ptr {place}, align 8")
        assert cell is not None
        return self.loaded(place, cell)

    def loaded(self, place: str, cell: ty.Cell) -> str:
        """The value of a cell."""
        value = self.new(f"load {cell.llvm}, ptr {place}")
        if cell.value is ty.INTEGER and cell.size < 8:
            return self.new(f"{'zext' if cell is ty.BYTE else 'sext'} {cell.llvm} {value} to i64")
        return value

    def of_Member(self, n: t.Member) -> str:
        record = cast("ty.Pointer", n.base.type).to
        assert isinstance(record, ty.Record)
        offset, what = record.fields[n.name]
        place = self.new(f"getelementptr inbounds i8, ptr {self.e(n.base)}, i64 {offset}")
        if isinstance(what, ty.Cell):
            return self.loaded(place, what)
        return place if isinstance(what, ty.Record) else self.new(f"load ptr, ptr {place}")

    def of_Length(self, n: t.Length) -> str:
        return self.part(n.base.type, self.e(n.base), 1 + n.axis)

    def of_Reshape(self, n: t.Reshape) -> str:
        first = self.part(n.base.type, self.e(n.base), 0)
        return self.array(cast("ty.Array", n.type), first, [self.e(one) for one in n.shape])

    def of_Room(self, n: t.Room) -> str:
        kind, size = cast("ty.Array", n.type), n.rows * self.unit.width
        return self.array(kind, self.slot(f"[{size} x {kind.cell.llvm}], align 64"), [str(size)])

    def of_Cut(self, n: t.Cut) -> str:
        kind, x = n.base.type, self.e(n.base)
        if isinstance(kind, ty.Pointer):
            assert isinstance(kind.to, ty.Cell)
            [cut] = n.cuts
            at = cut[0] if isinstance(cut, tuple) else cut
            return self.moved(x, kind.to, self.row(kind, [at]))
        assert isinstance(kind, ty.Array)
        missing = kind.rank - len(n.cuts)
        whole: tuple[t.Expression, None] = (t.Const(ty.INTEGER, 0), None)
        starts: list[str] = []
        shape: list[str] = []
        strides: list[str] = []
        for axis, cut in enumerate([*n.cuts, *[whole] * missing]):
            if isinstance(cut, tuple):
                low, size = self._clamped(x, kind, axis, *cut)
                starts.append(low)
                shape.append(size)
                strides.append(self.stride(x, kind, axis) or "1")
            else:
                starts.append(self.e(cut))
        place = self.offset(x, kind, starts)
        return self.array(cast("ty.Array", n.type), place, shape, strides)

    def _clamped(
        self, x: str, kind: ty.Array, axis: int, low: t.Expression, high: t.Expression | None
    ) -> tuple[str, str]:
        """Begin and length of a slice, clipped to the array: a[2:9] of five numbers has three."""
        size = self.part(kind, x, 1 + axis)
        end = size if high is None else self.lesser(self.e(high), size)
        if isinstance(low, t.Const) and low.value == 0:
            return "0", end
        begin = self.lesser(self.e(low), end)
        return begin, self.new(f"sub nsw i64 {end}, {begin}")
