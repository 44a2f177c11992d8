"""Which port of a topology hears which: read from the topology's own source.

`step` and `torque` are followed with the origins of every value in place of the value: a call to a
port's law draws an arrow to that port from whatever its arguments came from. Nothing is listed by hand.
"""

import ast
from dataclasses import dataclass, field

from pliant.catalogue import Physics, Slot, slots

INPUTS = {"goal": "goal", "preset": "preset", "q": "joint", "v": "joint"}
"""Arguments of `step` and `torque` that are drawn. Not drawn: supply, torque off, parameters, step."""

Origins = frozenset[str]
NOWHERE: Origins = frozenset()


@dataclass
class Record:
    """A named tuple whose fields have origins of their own: a state."""

    fields: dict[str, "Origins | Record"] = field(default_factory=dict)


Value = Origins | Record


def flat(value: Value) -> Origins:
    """All origins within."""
    if isinstance(value, Record):
        return frozenset().union(*(flat(part) for part in value.fields.values()))
    return value


def arrows(topology: Physics) -> set[tuple[str, str]]:
    """Pairs (from, to) of ports, `goal`, `preset` and `joint`."""
    room = _Room(topology, "")
    given: dict[str, Value] = {name: frozenset({tag}) for name, tag in INPUTS.items()}
    heard = {"goal", "preset"} if getattr(topology.module, "REFERENCES", 1) > 1 else {"goal"}
    if "timing" in room.places:  # `issued` says which command acts; both pass through it
        room.own |= {(name, "timing") for name in heard}
        given |= dict.fromkeys(heard, frozenset({"timing"}))
    for name in ("step", "torque"):
        moved = room.called(name, [given.get(argument, None) for argument in room.arguments(name)])
    drawn = room.drawn | {(origin, "joint") for origin in flat(moved)}
    if getattr(topology.module, "HAS_BUDGET", False):
        room.called("budget", [frozenset({"joint"}), flat(moved), frozenset({"joint"}), None])
        drawn |= room.drawn | {("friction", "joint")}
    return {(a, b) for a, b in drawn if a != b}


class _Room:
    """One source file: the topology, or a part of it."""

    def __init__(self, physics: Physics, number: str) -> None:
        body = ast.parse(physics.path.read_text("utf-8")).body
        self.functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        self.places: dict[str, Slot] = {s.name: s for s in slots(physics, number)}
        self.parts = {
            s.name: _Room(s.part, s.number)
            for s in self.places.values()
            if s.part is not None and s.name != "own"
        }
        self.own: set[tuple[str, str]] = set()

    @property
    def drawn(self) -> set[tuple[str, str]]:
        """The arrows found until now, those of the parts included."""
        return self.own.union(*(part.drawn for part in self.parts.values()))

    def arguments(self, name: str) -> list[str]:
        return [argument.arg for argument in self.functions[name].args.args]

    def called(self, name: str, given: list[Value | None]) -> Value:
        """Value that a function of this file returns."""
        known: dict[str, Value] = {}
        for argument, value in zip(self.arguments(name), given, strict=True):
            state = Record() if argument in ("s", "there") else NOWHERE
            known[argument] = state if value is None else value
        result: Value = NOWHERE
        for node in self.functions[name].body:
            result = self._statement(node, known, NOWHERE) or result
        return result

    def _statement(self, node: ast.stmt, known: dict[str, Value], because: Origins) -> Value | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known[name] = self._value(value, known)
                self.own |= {(test, origin) for test in because for origin in flat(known[name])}
            case ast.If(test=test, body=body):
                for inner in body:
                    self._statement(inner, known, because | flat(self._value(test, known)))
            case ast.Return(value=value) if value is not None:
                return self._value(value, known)
            case _:
                pass
        return None

    def _value(self, node: ast.expr, known: dict[str, Value]) -> Value:
        match node:
            case ast.Name(id=name):
                return known.get(name, NOWHERE)
            case ast.Attribute(value=inner, attr=attr):
                return self._field(self._value(inner, known), attr)
            case ast.Call(func=ast.Name(id="State"), keywords=keywords):
                return Record({k.arg or "": self._value(k.value, known) for k in keywords})
            case ast.Call(func=ast.Name(id=name), args=args) if name in self.functions:
                return self.called(name, [self._value(arg, known) for arg in args])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=port), attr=attr), args=args):
                return self._law(port, attr, [self._value(arg, known) for arg in args])
            case _:
                parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
                return frozenset().union(*(flat(self._value(part, known)) for part in parts))

    def _field(self, value: Value, attr: str) -> Value:
        if not isinstance(value, Record):
            return value
        if attr in value.fields:
            return value.fields[attr]
        if attr in self.parts or attr.startswith(("side", "elastic")):
            return Record()
        slot = self.places.get(attr)
        return frozenset({slot.label}) if slot is not None and attr != "own" else NOWHERE

    def _law(self, port: str, attr: str, given: list[Value]) -> Value:
        if port in self.parts:
            return self.parts[port].called(attr, list(given))
        slot = self.places.get(port)
        if slot is None:
            return NOWHERE
        heard = frozenset().union(*(flat(value) for value in given))
        self.own |= {(origin, slot.label) for origin in heard}
        return frozenset({slot.label})
