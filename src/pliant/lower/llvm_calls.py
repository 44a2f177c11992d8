"""Calls of the program's own functions, lane by lane too, and of the process's, in LLVM's assembly."""

from collections.abc import Sequence

from pliant.lower import typed as t
from pliant.lower.llvm_lines import is_large
from pliant.lower.llvm_values import Values
from pliant.lower.types import LANES, MASK, Struct, Type

PREFIX = "pliant_outside_"
"""First part of the names of a process's own functions in the module."""


class Calls(Values):
    """What a function calls."""

    def of_Call(self, n: t.Call) -> str:
        given: list[str] = []
        for one in n.args:
            if not is_large(one.type):
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
            if is_large(kind):
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

    def of_Outside(self, n: t.Outside) -> str:
        kinds = [self.unit.name(one.type) for one in n.args]
        name = PREFIX + n.symbol
        self.unit.declared.add(f"declare {self.unit.name(n.type)} @{name}({', '.join(kinds)})")
        given = [f"{kind} {self.e(one)}" for kind, one in zip(kinds, n.args, strict=True)]
        return self.called(n.type, name, given)
