"""The typed tree's variables, structures, arrays and memory in LLVM's assembly."""

from collections.abc import Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower.llvm_lines import Lines
from pliant.lower.types import BYTE, INTEGER, LANES, Array, Cell, Pointer, Record, Type


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
        return self.array(cast("Array", n.type), f"@table.{n.name}", list(shape))

    def array(
        self, kind: Array, place: str, shape: Sequence[str], strides: Sequence[str] = ()
    ) -> str:
        """An array's address, shape and, unless it is dense, strides [cells]."""
        sizes = [*shape, *(() if kind.dense else strides)]
        return self.built(self.unit.name(kind), [("ptr", place), *(("i64", n) for n in sizes)])

    def stride(self, x: str, kind: Array, axis: int) -> str | None:
        """Cells from one place to the next along an axis; None: one."""
        if not kind.dense:
            return self.part(kind, x, 1 + kind.rank + axis)
        made = None
        for after in range(axis + 1, kind.rank):
            size = self.part(kind, x, 1 + after)
            made = size if made is None else self.new(f"mul nsw i64 {made}, {size}")
        return made

    def offset(self, x: str, kind: Array, places: Sequence[str]) -> str:
        """The address of an element."""
        at = None
        for axis, place in enumerate(places):
            step = self.stride(x, kind, axis)
            one = place if step is None else self.new(f"mul nsw i64 {place}, {step}")
            at = one if at is None else self.new(f"add nsw i64 {at}, {one}")
        first = self.part(kind, x, 0)
        return first if at is None else self.moved(first, kind.cell, at)

    def moved(self, place: str, cell: Cell, count: str) -> str:
        """An address, so many cells further."""
        return self.new(f"getelementptr inbounds {cell.llvm}, ptr {place}, i64 {count}")

    def place(
        self, base: t.Expression, places: Sequence[t.Expression], value: Type
    ) -> tuple[str, Cell | None]:
        """The address of a cell, or of a row of lanes, and the cell."""
        kind = base.type
        if isinstance(kind, Pointer):
            assert isinstance(kind.to, Cell)
            return self.moved(self.e(base), kind.to, self.row(kind, places)), kind.to
        assert isinstance(kind, Array)
        x = self.e(base)
        if value is LANES:
            first = self.part(kind, x, 0)
            at = self.e(places[0])
            return self.new(
                f"getelementptr inbounds {self.unit.lanes}, ptr {first}, i64 {at}"
            ), None
        return self.offset(x, kind, [self.e(one) for one in places]), kind.cell

    def row(self, kind: Pointer, places: Sequence[t.Expression]) -> str:
        """Cells from a pointer to a place in its rows."""
        at = self.e(places[0])
        if kind.row > 1:
            at = self.new(f"mul nsw i64 {at}, {kind.row}")
        return at if len(places) == 1 else self.new(f"add nsw i64 {at}, {self.e(places[1])}")

    def of_Load(self, n: t.Load) -> str:
        place, cell = self.place(n.base, n.places, n.type)
        if n.type is LANES:
            return self.new(f"load {self.unit.lanes}, ptr {place}, align 8")
        assert cell is not None
        return self.loaded(place, cell)

    def loaded(self, place: str, cell: Cell) -> str:
        """The value of a cell."""
        value = self.new(f"load {cell.llvm}, ptr {place}")
        if cell.value is INTEGER and cell.size < 8:
            return self.new(f"{'zext' if cell is BYTE else 'sext'} {cell.llvm} {value} to i64")
        return value

    def of_Member(self, n: t.Member) -> str:
        record = cast("Pointer", n.base.type).to
        assert isinstance(record, Record)
        offset, what = record.fields[n.name]
        place = self.new(f"getelementptr inbounds i8, ptr {self.e(n.base)}, i64 {offset}")
        if isinstance(what, Cell):
            return self.loaded(place, what)
        return place if isinstance(what, Record) else self.new(f"load ptr, ptr {place}")

    def of_Length(self, n: t.Length) -> str:
        return self.part(n.base.type, self.e(n.base), 1 + n.axis)

    def of_Reshape(self, n: t.Reshape) -> str:
        first = self.part(n.base.type, self.e(n.base), 0)
        return self.array(cast("Array", n.type), first, [self.e(one) for one in n.shape])

    def of_Room(self, n: t.Room) -> str:
        kind, size = cast("Array", n.type), n.rows * self.unit.width
        return self.array(kind, self.slot(f"[{size} x {kind.cell.llvm}], align 64"), [str(size)])

    def of_Cut(self, n: t.Cut) -> str:
        kind, x = n.base.type, self.e(n.base)
        if isinstance(kind, Pointer):
            assert isinstance(kind.to, Cell)
            [cut] = n.cuts
            at = cut[0] if isinstance(cut, tuple) else cut
            return self.moved(x, kind.to, self.row(kind, [at]))
        assert isinstance(kind, Array)
        missing = kind.rank - len(n.cuts)
        whole: tuple[t.Expression, None] = (t.Const(INTEGER, 0), None)
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
        return self.array(cast("Array", n.type), place, shape, strides)

    def _clamped(
        self, x: str, kind: Array, axis: int, low: t.Expression, high: t.Expression | None
    ) -> tuple[str, str]:
        """Begin and length of a slice, which ends with the array: a[2:9] of five numbers has three."""
        size = self.part(kind, x, 1 + axis)
        end = size if high is None else self.lesser(self.e(high), size)
        if isinstance(low, t.Const) and low.value == 0:
            return "0", end
        begin = self.lesser(self.e(low), end)
        return begin, self.new(f"sub nsw i64 {end}, {begin}")
