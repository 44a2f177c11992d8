"""Calls of the program's own functions, lane by lane too, and of the process's, in LLVM's assembly."""

from collections.abc import Sequence
from functools import partial

from pliant.lower import typed as t
from pliant.lower.llvm_lines import is_large
from pliant.lower.llvm_values import Values
from pliant.lower.types import Type

PREFIX = "pliant_outside_"
"""First part of the names of a process's own functions in the module."""


class Calls(Values):
    """Calls of one function."""

    def of_Call(self, n: t.Call) -> str:
        given = [
            (one.type, (self.address(one) if is_large(one.type) else None) or self.kept(one))
            for one in n.args
        ]
        return self.called(n.type, f"in.{n.function.name}", self.handed(given))

    def kept(self, n: t.Expression) -> str:
        """A value as it is handed on."""
        return self.copied(n.type, self.e(n)) if is_large(n.type) else self.e(n)

    def copied(self, kind: Type, value: str) -> str:
        """The address of a copy."""
        place = self.slot(self.unit.name(kind))
        self.do(f"store {self.unit.name(kind)} {value}, ptr {place}")
        return place

    def handed(self, values: Sequence[tuple[Type, str]]) -> list[str]:
        """Arguments of a call; large structures by their address."""
        return [
            f"{'ptr' if is_large(kind) else self.unit.name(kind)} {value}" for kind, value in values
        ]

    def of_EachLane(self, n: t.EachLane) -> str:
        """Call after call; a function of many branches is not worth its place in each lane."""
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
        """One lane of a value; a number that is the same in all is that."""
        kind, value = many
        if kind is single:
            return value
        return self.new(f"extractelement {self.unit.name(kind)} {value}, i32 {lane}")

    def with_lane(
        self, lane: int, kind: Type, many: tuple[Type, str], one: tuple[Type, str]
    ) -> str:
        """A value of lanes with one lane of another value."""
        single = f"{self.unit.name(one[0])} {one[1]}"
        return self.new(f"insertelement {self.unit.name(kind)} {many[1]}, {single}, i32 {lane}")

    def of_Outside(self, n: t.Outside) -> str:
        kinds = [self.unit.name(one.type) for one in n.args]
        name = PREFIX + n.symbol
        self.unit.declared.add(f"declare {self.unit.name(n.type)} @{name}({', '.join(kinds)})")
        given = [f"{kind} {self.e(one)}" for kind, one in zip(kinds, n.args, strict=True)]
        return self.called(n.type, name, given)
