"""The typed tree as LLVM IR, one module per program.

Variables are stack slots, which LLVM's first pass promotes to registers. A structure of many numbers is
passed by reference: passing each of them costs LLVM more than the function. No operations are
reordered or fused into multiply-adds, so results are the same as in Python.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from pliant.lower import typed as t
from pliant.lower.llvm_memory import Unit, is_large
from pliant.lower.llvm_values import Values
from pliant.lower.types import INTEGER, LANES, NOTHING, TRUTH, Array, Type

PREFIX = "pliant_outside_"
"""Prefix of the names of functions of the process in the module."""


class Calls(Values):
    """Calls of one function."""

    def of_Call(self, n: t.Call) -> str:
        given = [
            (one.type, (self.address(one) if is_large(one.type) else None) or self.kept(one))
            for one in n.args
        ]
        return self.called(n.type, f"in.{n.function.name}", self.handed(given))

    def kept(self, n: t.Expression) -> str:
        """A value as it is passed: itself or its address."""
        return self.copied(n.type, self.e(n)) if is_large(n.type) else self.e(n)

    def copied(self, kind: Type, value: str) -> str:
        """The address of a copy."""
        place = self.slot(self.unit.name(kind))
        self.do(f"store {self.unit.name(kind)} {value}, ptr {place}")
        return place

    def handed(self, values: Sequence[tuple[Type, str]]) -> list[str]:
        """Arguments of a call; large structures by reference."""
        return [
            f"{'ptr' if is_large(kind) else self.unit.name(kind)} {value}" for kind, value in values
        ]

    def of_EachLane(self, n: t.EachLane) -> str:
        """One call per lane, not inlined: a function of many branches would take too much code in every lane."""
        given = [(one.type, self.e(one)) for one in n.args]
        made, single = "undef", n.function.returns
        for lane in range(self.unit.width):
            call: list[tuple[Type, str]] = []
            for one, (_, kind) in zip(given, n.function.arguments, strict=True):
                value = self.by_field(kind, [one], partial(self.lane, lane))
                call.append((kind, self.copied(kind, value) if is_large(kind) else value))
            result = self.called(single, f"in.{n.function.name}", self.handed(call))
            pair = [(n.type, made), (single, result)]
            made = self.by_field(n.type, pair, partial(self.with_lane, lane))
        return made

    def lane(self, lane: int, single: Type, many: tuple[Type, str]) -> str:
        """One lane of a value; a number that is the same in all lanes is used directly."""
        kind, value = many
        if kind is single:
            return value
        return self.new(f"extractelement {self.unit.name(kind)} {value}, i32 {lane}")

    def with_lane(
        self, lane: int, kind: Type, many: tuple[Type, str], one: tuple[Type, str]
    ) -> str:
        """A value in lanes with one lane replaced."""
        single = f"{self.unit.name(one[0])} {one[1]}"
        return self.new(f"insertelement {self.unit.name(kind)} {many[1]}, {single}, i32 {lane}")

    def of_Outside(self, n: t.Outside) -> str:
        kinds = [self.unit.name(one.type) for one in n.args]
        name = PREFIX + n.symbol
        self.unit.declared.add(f"declare {self.unit.name(n.type)} @{name}({', '.join(kinds)})")
        given = [f"{kind} {self.e(one)}" for kind, one in zip(kinds, n.args, strict=True)]
        return self.called(n.type, name, given)


_READ_ONLY = "ptr noalias readonly"
"""Attributes of a structure's address, for structures that the function does not store to."""


def llvm_text(program: t.Program) -> str:
    """The whole module."""
    unit = Unit(program)
    bodies = [_Body(unit, function).text() for function in program.functions]
    entries = [_entry(unit, name, function) for name, function in program.entries.items()]
    return "\n".join([*_tables(program), *sorted(unit.declared), *bodies, *entries]) + "\n"


def _tables(program: t.Program) -> Iterator[str]:
    for name, table in program.tables.items():
        cell = "i8" if table.dtype.itemsize == 1 else "i64"
        values = ", ".join(f"{cell} {int(x)}" for x in table.ravel())
        yield f"@table.{name} = internal constant [{table.size} x {cell}] [{values}]"


def _entry(unit: Unit, name: str, function: t.Function) -> str:
    """A C function that calls one of the program: arrays as address and shape, truth values as integers."""
    body = _Body(unit, function)
    head: list[str] = []
    given: list[tuple[str, str]] = []
    for k, (argument, kind) in enumerate(function.arguments):
        if isinstance(kind, Array):
            shape = [f"%n{k}.{axis}" for axis in range(kind.rank)]
            head += [f"ptr %p{k}", *(f"i64 {one}" for one in shape)]
            given.append((unit.name(kind), body.array(kind, f"%p{k}", shape)))
        elif kind is TRUTH:
            head.append(f"i64 %p{k}")
            given.append(("i1", body.new(f"trunc i64 %p{k} to i1")))
        elif argument in function.narrow:
            head.append(f"i32 %p{k}")
            given.append(("i64", body.new(f"sext i32 %p{k} to i64")))
        else:
            head.append(f"{unit.name(kind)} %p{k}")
            given.append((unit.name(kind), f"%p{k}"))
    values = ", ".join(f"{kind} {value}" for kind, value in given)
    returned = unit.name(function.returns)
    if function.returns is NOTHING:
        body.do(f"call void @in.{function.name}({values})")
        body.do("ret void")
    else:
        value = body.new(f"call {returned} @in.{function.name}({values})")
        if function.returns is TRUTH:
            value, returned = body.new(f"zext i1 {value} to i64"), "i64"
        if "return" in function.narrow:
            value, returned = body.new(f"trunc i64 {value} to i32"), "i32"
        body.do(f"ret {returned} {value}")
    lines = "\n".join(body.lines)
    return f"define {returned} @{name}({', '.join(head)}) {unit.attributes} {{\n{lines}\n}}"


class _Body(Calls):
    """One function: its statements."""

    def text(self) -> str:
        """The definition."""
        f, unit = self.function, self.unit
        written = {n.name for n in t.walk(f.body) if isinstance(n, (t.Set, t.For))}
        given: list[str] = []
        for name, kind in f.arguments:
            if is_large(kind) and name not in written:  # used in the caller's memory
                given.append(f"{_READ_ONLY} %v.{name}")
                continue
            given.append(f"{'ptr' if is_large(kind) else unit.name(kind)} %a.{name}")
            value = f"%a.{name}"
            if is_large(kind):
                value = self.new(f"load {unit.name(kind)}, ptr {value}")
            self.do(f"store {unit.name(kind)} {value}, ptr %v.{name}")
        kept = {line.removeprefix(f"{_READ_ONLY} %v.") for line in given}
        self.slots += [
            f"  %v.{name} = alloca {unit.name(kind)}"
            for name, kind in f.variables.items()
            if name not in kept
        ]
        self.block(f.body)
        self.end("ret void" if f.returns is NOTHING else "unreachable")
        how = "noinline" if f.apart else "alwaysinline"
        head = f"define internal {unit.name(f.returns)} @in.{f.name}({', '.join(given)})"
        return "\n".join(
            [f"{head} {how} {unit.attributes} {{", "entry:", *self.slots, *self.lines, "}"]
        )

    def block(self, body: Sequence[t.Statement]) -> None:
        for node in body:
            if self.ended:
                return
            getattr(self, f"do_{type(node).__name__}")(node)

    def do_Set(self, n: t.Set) -> None:
        self.do(f"store {self.unit.name(n.value.type)} {self.e(n.value)}, ptr %v.{n.name}")

    def do_Do(self, n: t.Do) -> None:
        self.e(n.value)

    def do_Return(self, n: t.Return) -> None:
        if n.value is None:
            self.end("ret void")
        else:
            self.end(f"ret {self.unit.name(n.value.type)} {self.e(n.value)}")

    def do_Store(self, n: t.Store) -> None:
        value = self.e(n.value)
        place, cell = self.place(n.base, n.places, n.value.type)
        if n.value.type is LANES:
            self.do(f"store {self.unit.lanes} {value}, ptr {place}, align 8")
            return
        assert cell is not None
        if cell.value is INTEGER and cell.size < 8:
            value = self.new(f"trunc i64 {value} to {cell.llvm}")
        self.do(f"store {cell.llvm} {value}, ptr {place}")

    def do_If(self, n: t.If) -> None:
        yes, no, after = self.label(), self.label(), self.label()
        self.end(f"br i1 {self.e(n.test)}, label %{yes}, label %{no}")
        left = True
        for name, body in ((yes, n.body), (no, n.orelse)):
            self.begin(name)
            self.block(body)
            left &= self.ended
            self.end(f"br label %{after}")
        self.begin(after)
        if left:
            self.end("unreachable")

    def do_While(self, n: t.While) -> None:
        turn, inside, done = self.label(), self.label(), self.label()
        self.begin(turn)
        self.end(f"br i1 {self.e(n.test)}, label %{inside}, label %{done}")
        self.begin(inside)
        self.loops.append((done, turn))
        self.block(n.body)
        self.loops.pop()
        self.end(f"br label %{turn}")
        self.begin(done)

    def do_For(self, n: t.For) -> None:
        """A loop with its own counter, as the body may change the variable."""
        turn, inside, step, done = (self.label() for _ in range(4))
        low, high, at = self.e(n.low), self.e(n.high), self.slot("i64")
        self.do(f"store i64 {low}, ptr {at}")
        self.begin(turn)
        k = self.new(f"load i64, ptr {at}")
        test = self.new(f"icmp {'slt' if n.step > 0 else 'sgt'} i64 {k}, {high}")
        self.end(f"br i1 {test}, label %{inside}, label %{done}")
        self.begin(inside)
        kind = self.function.variables[n.name]
        value = k if kind is INTEGER else self.converted(k, INTEGER, kind)
        self.do(f"store {self.unit.name(kind)} {value}, ptr %v.{n.name}")
        self.loops.append((done, step))
        self.block(n.body)
        self.loops.pop()
        self.begin(step)
        k = self.new(f"load i64, ptr {at}")
        self.do(f"store i64 {self.new(f'add nsw i64 {k}, {n.step}')}, ptr {at}")
        self.end(f"br label %{turn}")
        self.begin(done)

    def do_Break(self, n: t.Break) -> None:
        self.end(f"br label %{self.loops[-1][0]}")

    def do_Continue(self, n: t.Continue) -> None:
        self.end(f"br label %{self.loops[-1][1]}")
