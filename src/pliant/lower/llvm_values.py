"""The typed tree's arithmetic, conditionals and functions of `math` in LLVM IR."""

import struct as bits
from collections.abc import Sequence

from pliant.lower import typed as t
from pliant.lower import types as ty
from pliant.lower.llvm_memory import Memory
from pliant.lower.operations import ARITHMETIC, TESTS

_OF_LLVM = {"sqrt", "floor", "ceil", "trunc", "copysign", "exp", "log", "sin", "cos", "pow"}
_VECTOR = {"sqrt", "floor", "ceil", "trunc", "copysign"}
"""Functions with a vector instruction; the others are called lane by lane."""
_REORDERED = " reassoc nsz contract"


class Values(Memory):
    """Numbers and truth values, single and in lanes."""

    def of_Const(self, n: t.Const) -> str:
        if n.type is ty.TRUTH:
            return "true" if n.value else "false"
        if n.type is ty.INTEGER:
            return str(int(n.value))
        return self.splat(_number(n.value), "double") if n.type is ty.LANES else _number(n.value)

    def of_Cast(self, n: t.Cast) -> str:
        return self.converted(self.e(n.x), n.x.type, n.type)

    def converted(self, value: str, old: ty.Type, new: ty.Type) -> str:
        """A value as another type."""
        unit = self.unit
        if isinstance(new, ty.Pointer) and isinstance(old, ty.Array):
            return self.part(old, value, 0)
        if isinstance(new, ty.Pointer):
            return self.new(f"inttoptr i64 {value} to ptr")
        if new is ty.MASK:
            return self.splat(value, "i1")
        if new is ty.LANES:
            if old is ty.MASK:
                return self.new(f"uitofp {unit.mask} {value} to {unit.lanes}")
            number = value if old is ty.FLOAT else self.converted(value, old, ty.FLOAT)
            return self.splat(number, "double")
        if (old, new) == (ty.FLOAT, ty.INTEGER):
            unit.declared.add("declare i64 @llvm.fptosi.sat.i64.f64(double)")
            return self.new(f"call i64 @llvm.fptosi.sat.i64.f64(double {value})")
        how = {
            (ty.TRUTH, ty.INTEGER): "zext",
            (ty.TRUTH, ty.FLOAT): "uitofp",
            (ty.INTEGER, ty.FLOAT): "sitofp",
        }
        return self.new(f"{how[old, new]} {unit.name(old)} {value} to {unit.name(new)}")

    def of_Unary(self, n: t.Unary) -> str:
        x, kind = self.e(n.x), self.unit.name(n.type)
        if n.op == "not":
            ones = "true" if n.type is ty.TRUTH else self.splat("true", "i1")
            return self.new(f"xor {kind} {x}, {ones}")
        if n.type is ty.INTEGER:
            negative = self.new(f"sub i64 0, {x}")
            if n.op == "neg":
                return negative
            return self.new(
                f"select i1 {self.new(f'icmp slt i64 {x}, 0')}, i64 {negative}, i64 {x}"
            )
        return self.new(f"fneg {kind} {x}") if n.op == "neg" else self.of_llvm("fabs", n.type, [x])

    def of_Binary(self, n: t.Binary) -> str:
        x, y, kind = self.e(n.x), self.e(n.y), self.unit.name(n.type)
        real = n.type in (ty.FLOAT, ty.LANES)
        if n.op in ("min", "max"):
            test = TESTS["lt" if n.op == "min" else "gt"]
            how = test.real if real else test.whole
            other = self.new(f"{how} {kind} {y}, {x}")
            mask = self.unit.mask if n.type is ty.LANES else "i1"
            return self.new(f"select {mask} {other}, {kind} {y}, {kind} {x}")
        if n.op in ("floordiv", "mod"):
            return self._divided(n.op, x, y, n.type)
        loose = _REORDERED if real and self.function.any_order else ""
        how = ARITHMETIC[n.op].real if real else ARITHMETIC[n.op].whole
        return self.new(f"{how}{loose} {kind} {x}, {y}")

    def _divided(self, op: str, x: str, y: str, kind: ty.Type) -> str:
        """Python's integer division, rounded down."""
        assert kind is ty.INTEGER
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
        if kind in (ty.FLOAT, ty.LANES):
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
        test = f"{self.unit.name(n.test.type)} {self.e(n.test)}"

        def chosen(kind: ty.Type, x: tuple[ty.Type, str], y: tuple[ty.Type, str]) -> str:
            name = self.unit.name(kind)
            return self.new(f"select {test}, {name} {x[1]}, {name} {y[1]}")

        return self.by_field(n.type, [(one.type, self.e(one)) for one in (n.yes, n.no)], chosen)

    def of_Some(self, n: t.Some) -> str:
        word = f"i{self.unit.width}"
        return self.new(
            f"icmp ne {word} {self.new(f'bitcast {self.unit.mask} {self.e(n.x)} to {word}')}, 0"
        )

    def of_llvm(self, name: str, kind: ty.Type, values: Sequence[str]) -> str:
        """A function that LLVM knows."""
        full = f"llvm.{name}.{'f64' if kind is ty.FLOAT else f'v{self.unit.width}f64'}"
        one = self.unit.name(kind)
        self.unit.declared.add(f"declare {one} @{full}({', '.join([one] * len(values))})")
        return self.called(kind, full, [f"{one} {value}" for value in values])

    def of_Math(self, n: t.Math) -> str:
        return self.math(n.name, n.type, [self.e(one) for one in n.args])

    def math(self, name: str, kind: ty.Type, values: Sequence[str]) -> str:
        """A function of `math`."""
        if kind is ty.LANES and name not in _VECTOR:
            made = "undef"
            for k in range(self.unit.width):
                lane = [self.new(f"extractelement {self.unit.lanes} {v}, i32 {k}") for v in values]
                one = self.math(name, ty.FLOAT, lane)
                made = self.new(f"insertelement {self.unit.lanes} {made}, double {one}, i32 {k}")
            return made
        if name in _OF_LLVM:
            return self.of_llvm(name, kind, values)
        kinds = ", ".join(["double"] * len(values))
        # Without side effects, so that LLVM removes repeated computations.
        pure = "nounwind willreturn memory(none)"
        self.unit.declared.add(f"declare double @{name}({kinds}) {pure}")
        return self.called(ty.FLOAT, name, [f"double {value}" for value in values])

    def of_Bits(self, n: t.Bits) -> str:
        """Bit operations on lanes, or on a single number."""
        lanes = self.unit.name(n.type)
        words = self.unit.words if n.type is ty.LANES else "i64"

        def word(value: int) -> str:
            signed = value - 2**64 if value >= 2**63 else value
            return self.splat(str(signed), "i64") if n.type is ty.LANES else str(signed)

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


def _number(value: float) -> str:
    """A float by its bits."""
    return f"0x{bits.unpack('<Q', bits.pack('<d', float(value)))[0]:016X}"
