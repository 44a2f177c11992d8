"""The typed tree as LLVM's assembly, one module a program.

Variables are stack slots, which LLVM's first pass makes registers. A structure of many numbers is
handed on by its address: a call with each of them costs LLVM more than the function. Nothing is
reordered, no multiplication is fused with an addition: the same numbers come out as in Python.
"""

import struct as bits
from collections.abc import Iterator, Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower.operations import ARITHMETIC, TESTS
from pliant.lower.types import (
    BYTE,
    FLOAT,
    INTEGER,
    LANES,
    MASK,
    NOTHING,
    TRUTH,
    Array,
    Cell,
    Pointer,
    Record,
    Struct,
    Type,
)

BY_ADDRESS = 8
"""A structure of more numbers than this is handed on by its address."""
PREFIX = "pliant_outside_"
"""First part of the names of a process's own functions in the module."""
_OF_LLVM = {"sqrt", "floor", "ceil", "trunc", "copysign", "exp", "log", "sin", "cos", "pow"}
_VECTOR = {"sqrt", "floor", "ceil", "trunc", "copysign"}
"""Functions that the processor has for a vector; the others go lane by lane."""
_REORDERED = " reassoc nsz contract"
_READ_ONLY = "ptr noalias readonly"
"""Attributes of a structure's address: no store of the function changes it."""


def llvm_text(program: t.Program) -> str:
    """The whole module."""
    unit = _Unit(program)
    bodies = [_Body(unit, function).text() for function in program.functions]
    entries = [_entry(unit, name, function) for name, function in program.entries.items()]
    return "\n".join([*_tables(program), *sorted(unit.declared), *bodies, *entries]) + "\n"


def entry_kinds(function: t.Function) -> list[str]:
    """Kinds of an entry's arguments, one letter each: p address, n integer, i one of 32 bits, f float.

    An array is p and its shape.
    """
    kinds: list[str] = []
    for name, kind in function.arguments:
        if isinstance(kind, Array):
            kinds += ["p", *["n"] * kind.rank]
        elif name in function.narrow:
            kinds.append("i")
        else:
            kinds.append("p" if isinstance(kind, Pointer) else "f" if kind is FLOAT else "n")
    return kinds


def _tables(program: t.Program) -> Iterator[str]:
    for name, table in program.tables.items():
        cell = "i8" if table.dtype.itemsize == 1 else "i64"
        values = ", ".join(f"{cell} {int(x)}" for x in table.ravel())
        yield f"@table.{name} = internal constant [{table.size} x {cell}] [{values}]"


def _entry(unit: "_Unit", name: str, function: t.Function) -> str:
    """A function of C that calls one of the program: arrays as address and shape, truths as integers."""
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


class _Unit:
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


def _large(kind: Type) -> bool:
    return isinstance(kind, Struct) and kind.numbers() > BY_ADDRESS


def _number(value: float) -> str:
    """A float by its bits."""
    return f"0x{bits.unpack('<Q', bits.pack('<d', float(value)))[0]:016X}"


class _Body:
    """One function."""

    def __init__(self, unit: _Unit, function: t.Function) -> None:
        self.unit, self.function = unit, function
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.count = 0
        self.block_name = "entry"
        self.ended = False
        self.loops: list[tuple[str, str]] = []
        """The loops around: where each ends, where its next turn begins."""

    # --- lines -------------------------------------------------------------------------------------

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

    def text(self) -> str:
        """The definition."""
        f, unit = self.function, self.unit
        written = {n.name for n in t.walk(f.body) if isinstance(n, (t.Set, t.For))}
        given: list[str] = []
        for name, kind in f.arguments:
            if _large(kind) and name not in written:  # used where the caller has it
                given.append(f"{_READ_ONLY} %v.{name}")
                continue
            given.append(f"{'ptr' if _large(kind) else unit.name(kind)} %a.{name}")
            value = f"%a.{name}"
            if _large(kind):
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

    # --- statements --------------------------------------------------------------------------------

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

    def do_Fill(self, n: t.Fill) -> None:
        """Element by element: either side may have gaps."""
        into, value = n.into, n.value
        a, b = cast("Array", into.type), value.type
        target, source = self.e(into), self.e(value)
        places: list[str] = []
        ends: list[tuple[str, str, str]] = []
        for axis in range(a.rank):
            size = self.new(f"extractvalue {self.unit.name(a)} {target}, {1 + axis}")
            at, turn, done = self.slot("i64"), self.label(), self.label()
            self.do(f"store i64 0, ptr {at}")
            self.begin(turn)
            k = self.new(f"load i64, ptr {at}")
            inside = self.label()
            test = self.new(f"icmp slt i64 {k}, {size}")
            self.end(f"br i1 {test}, label %{inside}, label %{done}")
            self.begin(inside)
            places.append(k)
            ends.append((at, turn, done))
        cell = a.cell.llvm
        x = source
        if isinstance(b, Array):
            x = self.new(f"load {cell}, ptr {self.offset(source, b, places)}")
        self.do(f"store {cell} {x}, ptr {self.offset(target, a, places)}")
        for k, (at, turn, done) in reversed([*zip(places, ends, strict=True)]):
            self.do(f"store i64 {self.new(f'add i64 {k}, 1')}, ptr {at}")
            self.end(f"br label %{turn}")
            self.begin(done)

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
        """Counted apart from the variable, which the body may change."""
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

    # --- values ------------------------------------------------------------------------------------

    def e(self, node: t.Expression) -> str:
        """The value of an expression."""
        return getattr(self, f"of_{type(node).__name__}")(node)

    def of_Const(self, n: t.Const) -> str:
        if n.type is TRUTH:
            return "true" if n.value else "false"
        if n.type is INTEGER:
            return str(int(n.value))
        return self.splat(_number(n.value), "double") if n.type is LANES else _number(n.value)

    def splat(self, value: str, kind: str) -> str:
        """A vector with the same value in each lane."""
        width = self.unit.width
        if not value.startswith("%"):
            return f"<{', '.join([f'{kind} {value}'] * width)}>"
        many = f"<{width} x {kind}>"
        first = self.new(f"insertelement {many} poison, {kind} {value}, i32 0")
        order = f"<{width} x i32> zeroinitializer"
        return self.new(f"shufflevector {many} {first}, {many} poison, {order}")

    def of_Var(self, n: t.Var) -> str:
        return self.new(f"load {self.unit.name(n.type)}, ptr %v.{n.name}")

    def built(self, kind: str, values: Sequence[tuple[str, str]]) -> str:
        """An aggregate of its parts."""
        made = "zeroinitializer" if not values else "undef"
        for k, (part, value) in enumerate(values):
            made = self.new(f"insertvalue {kind} {made}, {part} {value}, {k}")
        return made

    def array(
        self, kind: Array, place: str, shape: Sequence[str], strides: Sequence[str] = ()
    ) -> str:
        """An array's address, shape and, unless it is dense, strides [cells]."""
        sizes = [*shape, *(() if kind.dense else strides)]
        return self.built(self.unit.name(kind), [("ptr", place), *(("i64", n) for n in sizes)])

    def of_Table(self, n: t.Table) -> str:
        shape = map(str, self.unit.program.tables[n.name].shape)
        return self.array(cast("Array", n.type), f"@table.{n.name}", list(shape))

    def of_Make(self, n: t.Make) -> str:
        parts = [(self.unit.name(one.type), self.e(one)) for one in n.parts]
        return self.built(self.unit.name(n.type), parts)

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
        return self.new(f"extractvalue {self.unit.name(n.of.type)} {self.e(n.of)}, {n.index}")

    def of_Call(self, n: t.Call) -> str:
        given: list[str] = []
        for one in n.args:
            if not _large(one.type):
                given.append(f"{self.unit.name(one.type)} {self.e(one)}")
                continue
            place = self.address(one)
            if place is None:
                place = self.slot(self.unit.name(one.type))
                self.do(f"store {self.unit.name(one.type)} {self.e(one)}, ptr {place}")
            given.append(f"ptr {place}")
        return self.called(n.type, f"in.{n.function.name}", given)

    def of_EachLane(self, n: t.EachLane) -> str:
        """Call after call; a function of many branches is not worth its place in each lane."""
        given = [(one.type, self.e(one)) for one in n.args]
        made = "undef"
        for lane in range(self.unit.width):
            call = [
                (kind, self.lane(value, one, kind, lane))
                for (one, value), (_, kind) in zip(given, n.function.arguments, strict=True)
            ]
            result = self.called(n.function.returns, f"in.{n.function.name}", self.handed(call))
            made = self.with_lane(made, result, n.type, n.function.returns, lane)
        return made

    def handed(self, values: Sequence[tuple[Type, str]]) -> list[str]:
        """Arguments of a call; large structures by the address of a copy."""
        given: list[str] = []
        for kind, value in values:
            if _large(kind):
                place = self.slot(self.unit.name(kind))
                self.do(f"store {self.unit.name(kind)} {value}, ptr {place}")
                given.append(f"ptr {place}")
            else:
                given.append(f"{self.unit.name(kind)} {value}")
        return given

    def lane(self, value: str, kind: Type, single: Type, lane: int) -> str:
        """One lane of a value, whose type is then `single`."""
        name = self.unit.name(kind)
        if isinstance(kind, Struct) and isinstance(single, Struct):
            parts: list[tuple[str, str]] = []
            for k, ((_, many), (_, one)) in enumerate(zip(kind.fields, single.fields, strict=True)):
                field = self.new(f"extractvalue {name} {value}, {k}")
                parts.append((self.unit.name(one), self.lane(field, many, one, lane)))
            return self.built(self.unit.name(single), parts)
        if kind in (LANES, MASK):
            return self.new(f"extractelement {name} {value}, i32 {lane}")
        return value

    def with_lane(self, many: str, one: str, kind: Type, single: Type, lane: int) -> str:
        """A value of lanes with one lane of another value."""
        name, part = self.unit.name(kind), self.unit.name(single)
        if not (isinstance(kind, Struct) and isinstance(single, Struct)):
            return self.new(f"insertelement {name} {many}, {part} {one}, i32 {lane}")
        for k, ((_, wide), (_, narrow)) in enumerate(zip(kind.fields, single.fields, strict=True)):
            before = self.new(f"extractvalue {name} {many}, {k}")
            new = self.new(f"extractvalue {part} {one}, {k}")
            after = self.with_lane(before, new, wide, narrow, lane)
            many = self.new(f"insertvalue {name} {many}, {self.unit.name(wide)} {after}, {k}")
        return many

    def called(self, returns: Type, name: str, given: Sequence[str]) -> str:
        """A call; its value, if there is one."""
        text = f"call {self.unit.name(returns)} @{name}({', '.join(given)})"
        if returns is NOTHING:
            self.do(text)
            return ""
        return self.new(text)

    def of_Outside(self, n: t.Outside) -> str:
        kinds = [self.unit.name(one.type) for one in n.args]
        name = PREFIX + n.symbol
        self.unit.declared.add(f"declare {self.unit.name(n.type)} @{name}({', '.join(kinds)})")
        given = [f"{kind} {self.e(one)}" for kind, one in zip(kinds, n.args, strict=True)]
        return self.called(n.type, name, given)

    # --- arithmetic --------------------------------------------------------------------------------

    def of_Cast(self, n: t.Cast) -> str:
        return self.converted(self.e(n.x), n.x.type, n.type)

    def converted(self, value: str, old: Type, new: Type) -> str:
        """A value as another type."""
        unit = self.unit
        if isinstance(new, Array):
            return self._with_strides(value, cast("Array", old), new)
        if isinstance(new, Pointer) and isinstance(old, Array):
            return self.new(f"extractvalue {unit.name(old)} {value}, 0")
        if isinstance(new, Pointer):
            return self.new(f"inttoptr i64 {value} to ptr")
        if isinstance(old, Pointer):
            return self.new(f"ptrtoint ptr {value} to i64")
        if new is MASK:
            return self.splat(value, "i1")
        if new is LANES:
            if old is MASK:
                return self.new(f"uitofp {unit.mask} {value} to {unit.lanes}")
            number = value if old is FLOAT else self.converted(value, old, FLOAT)
            return self.splat(number, "double")
        if (old, new) == (FLOAT, INTEGER):
            unit.declared.add("declare i64 @llvm.fptosi.sat.i64.f64(double)")
            return self.new(f"call i64 @llvm.fptosi.sat.i64.f64(double {value})")
        how = {(TRUTH, INTEGER): "zext", (TRUTH, FLOAT): "uitofp", (INTEGER, FLOAT): "sitofp"}
        return self.new(f"{how[old, new]} {unit.name(old)} {value} to {unit.name(new)}")

    def _with_strides(self, value: str, old: Array, new: Array) -> str:
        place = self.new(f"extractvalue {self.unit.name(old)} {value}, 0")
        shape = [
            self.new(f"extractvalue {self.unit.name(old)} {value}, {1 + axis}")
            for axis in range(old.rank)
        ]
        strides = [self.stride(value, old, axis) or "1" for axis in range(old.rank)]
        return self.array(new, place, shape, strides)

    def of_Unary(self, n: t.Unary) -> str:
        x, kind = self.e(n.x), self.unit.name(n.type)
        if n.op == "not":
            ones = "true" if n.type is TRUTH else self.splat("true", "i1")
            return self.new(f"xor {kind} {x}, {ones}")
        if n.type is INTEGER:
            negative = self.new(f"sub i64 0, {x}")
            if n.op == "neg":
                return negative
            return self.new(
                f"select i1 {self.new(f'icmp slt i64 {x}, 0')}, i64 {negative}, i64 {x}"
            )
        return self.new(f"fneg {kind} {x}") if n.op == "neg" else self.of_llvm("fabs", n.type, [x])

    def of_Binary(self, n: t.Binary) -> str:
        x, y, kind = self.e(n.x), self.e(n.y), self.unit.name(n.type)
        real = n.type in (FLOAT, LANES)
        if n.op in ("min", "max"):
            test = TESTS["lt" if n.op == "min" else "gt"]
            how = test.real if real else test.whole
            other = self.new(f"{how} {kind} {y}, {x}")
            mask = self.unit.mask if n.type is LANES else "i1"
            return self.new(f"select {mask} {other}, {kind} {y}, {kind} {x}")
        if n.op in ("floordiv", "mod"):
            return self._divided(n.op, x, y, n.type)
        loose = _REORDERED if real and self.function.any_order else ""
        how = ARITHMETIC[n.op].real if real else ARITHMETIC[n.op].whole
        return self.new(f"{how}{loose} {kind} {x}, {y}")

    def _divided(self, op: str, x: str, y: str, kind: Type) -> str:
        """Python's integer division, rounded down."""
        assert kind is INTEGER
        rest = self.new(f"srem i64 {x}, {y}")
        apart = self.new(f"icmp slt i64 {self.new(f'xor i64 {rest}, {y}')}, 0")
        inexact = self.new(f"icmp ne i64 {rest}, 0")
        below = self.new(f"and i1 {apart}, {inexact}")
        if op == "mod":
            return self.new(
                f"select i1 {below}, i64 {self.new(f'add i64 {rest}, {y}')}, i64 {rest}"
            )
        whole = self.new(f"sdiv i64 {x}, {y}")
        return self.new(f"select i1 {below}, i64 {self.new(f'sub i64 {whole}, 1')}, i64 {whole}")

    def of_Compare(self, n: t.Compare) -> str:
        x, y, kind = self.e(n.x), self.e(n.y), n.x.type
        if kind in (FLOAT, LANES):
            return self.new(f"{TESTS[n.op].real} {self.unit.name(kind)} {x}, {y}")
        return self.new(f"{TESTS[n.op].whole} i64 {x}, {y}")

    def of_Logic(self, n: t.Logic) -> str:
        x = self.e(n.x)
        before, more, after = self.block_name, self.label(), self.label()
        both = n.op == "and"
        yes, no = (more, after) if both else (after, more)
        self.end(f"br i1 {x}, label %{yes}, label %{no}")
        self.begin(more)
        y, last = self.e(n.y), self.block_name
        self.begin(after)
        known = "false" if both else "true"
        return self.new(f"phi i1 [{known}, %{before}], [{y}, %{last}]")

    def of_Choose(self, n: t.Choose) -> str:
        yes, no, after = self.label(), self.label(), self.label()
        self.end(f"br i1 {self.e(n.test)}, label %{yes}, label %{no}")
        self.begin(yes)
        x, from_x = self.e(n.yes), self.block_name
        self.end(f"br label %{after}")
        self.begin(no)
        y, from_y = self.e(n.no), self.block_name
        self.begin(after)
        return self.new(f"phi {self.unit.name(n.type)} [{x}, %{from_x}], [{y}, %{from_y}]")

    def of_Select(self, n: t.Select) -> str:
        return self.selected(n.type, self.e(n.test), self.e(n.yes), self.e(n.no), n.test.type)

    def selected(self, kind: Type, test: str, x: str, y: str, mask: Type) -> str:
        """One of two values by a mask; of a structure, field by field."""
        name = self.unit.name(kind)
        if not isinstance(kind, Struct):
            return self.new(f"select {self.unit.name(mask)} {test}, {name} {x}, {name} {y}")
        parts: list[tuple[str, str]] = []
        for k, (_, field) in enumerate(kind.fields):
            a = self.new(f"extractvalue {name} {x}, {k}")
            b = self.new(f"extractvalue {name} {y}, {k}")
            parts.append((self.unit.name(field), self.selected(field, test, a, b, mask)))
        return self.built(name, parts)

    def of_Some(self, n: t.Some) -> str:
        word = f"i{self.unit.width}"
        return self.new(
            f"icmp ne {word} {self.new(f'bitcast {self.unit.mask} {self.e(n.x)} to {word}')}, 0"
        )

    def of_llvm(self, name: str, kind: Type, values: Sequence[str]) -> str:
        """A function that LLVM knows."""
        full = f"llvm.{name}.{'f64' if kind is FLOAT else f'v{self.unit.width}f64'}"
        one = self.unit.name(kind)
        self.unit.declared.add(f"declare {one} @{full}({', '.join([one] * len(values))})")
        return self.called(kind, full, [f"{one} {value}" for value in values])

    def of_Math(self, n: t.Math) -> str:
        return self.math(n.name, n.type, [self.e(one) for one in n.args])

    def math(self, name: str, kind: Type, values: Sequence[str]) -> str:
        """A function of `math`."""
        if kind is LANES and name not in _VECTOR:
            made = "undef"
            for k in range(self.unit.width):
                lane = [self.new(f"extractelement {self.unit.lanes} {v}, i32 {k}") for v in values]
                one = self.math(name, FLOAT, lane)
                made = self.new(f"insertelement {self.unit.lanes} {made}, double {one}, i32 {k}")
            return made
        if name in _OF_LLVM:
            return self.of_llvm(name, kind, values)
        kinds = ", ".join(["double"] * len(values))
        # Without side effects: what a step computes twice is computed once.
        pure = "nounwind willreturn memory(none)"
        self.unit.declared.add(f"declare double @{name}({kinds}) {pure}")
        return self.called(FLOAT, name, [f"double {value}" for value in values])

    def of_Bits(self, n: t.Bits) -> str:
        """Work on the bits of lanes, or of a single number."""
        lanes = self.unit.name(n.type)
        words = self.unit.words if n.type is LANES else "i64"

        def word(value: int) -> str:
            signed = value - 2**64 if value >= 2**63 else value
            return self.splat(str(signed), "i64") if n.type is LANES else str(signed)

        def op(name: str, x: str, y: int) -> str:
            return self.new(f"{name} {words} {x}, {word(y)}")

        x = self.new(f"bitcast {lanes} {self.e(n.x)} to {words}")
        if n.name == "two_to":
            x = op("shl", op("add", x, 1023), 52)
        elif n.name == "exponent":
            # the bits go where whole numbers of 2^52 have theirs
            y = op("or", op("lshr", x, 52), 0x4330000000000000)
            y = self.new(f"bitcast {words} {y} to {lanes}")
            bias = self.of_Const(t.Const(n.type, 2.0**52 + 1023.0))
            return self.new(f"fsub {lanes} {y}, {bias}")
        elif n.name == "mantissa":
            x = op("or", op("and", x, 0xFFFFFFFFFFFFF), 0x3FF0000000000000)
        else:
            x = op("and", x, 0xFFFFFFFFF8000000)
        return self.new(f"bitcast {words} {x} to {lanes}")

    # --- memory ------------------------------------------------------------------------------------

    def stride(self, x: str, kind: Array, axis: int) -> str | None:
        """Cells from one place to the next along an axis; None: one."""
        name = self.unit.name(kind)
        if not kind.dense:
            return self.new(f"extractvalue {name} {x}, {1 + kind.rank + axis}")
        made = None
        for after in range(axis + 1, kind.rank):
            size = self.new(f"extractvalue {name} {x}, {1 + after}")
            made = size if made is None else self.new(f"mul nsw i64 {made}, {size}")
        return made

    def offset(self, x: str, kind: Array, places: Sequence[str]) -> str:
        """The address of an element."""
        at = None
        for axis, place in enumerate(places):
            step = self.stride(x, kind, axis)
            one = place if step is None else self.new(f"mul nsw i64 {place}, {step}")
            at = one if at is None else self.new(f"add nsw i64 {at}, {one}")
        first = self.new(f"extractvalue {self.unit.name(kind)} {x}, 0")
        return first if at is None else self.moved(first, kind.cell, at)

    def moved(self, place: str, cell: Cell, count: str) -> str:
        """An address, so many cells further."""
        return self.new(f"getelementptr inbounds {cell.llvm}, ptr {place}, i64 {count}")

    def place(
        self, base: t.Expression, places: Sequence[t.Expression], value: Type
    ) -> tuple[str, Cell | None]:
        """The address of a cell, or of a row of lanes, and the cell."""
        kind = base.type
        if not places:  # a record's own field
            assert isinstance(base, t.Member)
            return self.member(base)
        if isinstance(kind, Pointer):
            assert isinstance(kind.to, Cell)
            return self.moved(self.e(base), kind.to, self.row(kind, places)), kind.to
        assert isinstance(kind, Array)
        x = self.e(base)
        if value is LANES:
            first = self.new(f"extractvalue {self.unit.name(kind)} {x}, 0")
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

    def member(self, n: t.Member) -> tuple[str, Cell | None]:
        """The address of a record's field, and the cell that stands there."""
        record = cast("Pointer", n.base.type).to
        assert isinstance(record, Record)
        offset, what = record.fields[n.name]
        place = self.new(f"getelementptr inbounds i8, ptr {self.e(n.base)}, i64 {offset}")
        return place, what if isinstance(what, Cell) else None

    def of_Member(self, n: t.Member) -> str:
        place, cell = self.member(n)
        if cell is not None:
            return self.loaded(place, cell)
        record = cast("Record", cast("Pointer", n.base.type).to)
        _, what = record.fields[n.name]
        return place if isinstance(what, Record) else self.new(f"load ptr, ptr {place}")

    def of_Length(self, n: t.Length) -> str:
        return self.new(
            f"extractvalue {self.unit.name(n.base.type)} {self.e(n.base)}, {1 + n.axis}"
        )

    def of_Reshape(self, n: t.Reshape) -> str:
        first = self.new(f"extractvalue {self.unit.name(n.base.type)} {self.e(n.base)}, 0")
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
        size = self.new(f"extractvalue {self.unit.name(kind)} {x}, {1 + axis}")
        end = size if high is None else self.lesser(self.e(high), size)
        if isinstance(low, t.Const) and low.value == 0:
            return "0", end
        begin = self.lesser(self.e(low), end)
        return begin, self.new(f"sub nsw i64 {end}, {begin}")

    def lesser(self, x: str, y: str) -> str:
        """The smaller of two integers."""
        return self.new(f"select i1 {self.new(f'icmp slt i64 {x}, {y}')}, i64 {x}, i64 {y}")
