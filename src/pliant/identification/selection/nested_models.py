"""Starting points from nested models: a richer model begins where a simpler one ended.

M6 with zeros is M4: what M4 found is a point of M6, and M6 can only do better from there. Such a
start knows nothing that the simpler fit did not know; it must be a fit to the same logs. A law in place of one
without numbers begins at its own.
"""

import dataclasses
from collections.abc import Mapping, Sequence

from pliant.assemble import Actuator, Number, of_bench
from pliant.assemble.united import reduction, reductions
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import named


def contains(rich: Rig[LogT], poor: Rig[LogT]) -> bool:
    """Whether `poor` is one step simpler: another law at one port, to which that of `rich` reduces.

    A law without numbers (no delay, an ideal supply) counts as what any other begins at. The joints
    of a robot are each as they are in the other, or one step simpler.
    """
    steps = [_step(a, poor.actuators[joint]) for joint, a in rich.actuators.items()]
    return None not in steps and any(steps)


def holds(rich: Rig[LogT], poor: Rig[LogT]) -> bool:
    """Whether every law of `rich` is or contains that of `poor`, by however many steps."""
    return all(_holds(a, poor.actuators[joint]) for joint, a in rich.actuators.items())


def begun_at(rich: Rig[LogT], poor: Rig[LogT], values: Mapping[str, float]) -> Rig[LogT]:
    """`rich` with what was found for `poor`.

    Args:
        rich: the candidate. poor: one that it contains.
        values: parameter of `poor` to what was found.
    """
    made: dict[str, Actuator] = {}
    for joint, actuator in rich.actuators.items():
        short = {name: poor.parameter(name) for name in values}
        own = {short[n]: x for n, x in values.items() if named(joint, short[n]) == n}
        made[joint] = _begun(actuator, poor.actuators[joint], own)
    return rich.with_actuators(made).with_body(values)


def simpler(candidates: Sequence[Rig[LogT]]) -> list[list[int]]:
    """Indices of the candidates that are one step simpler, for each candidate."""
    return [[k for k, poor in enumerate(candidates) if contains(rich, poor)] for rich in candidates]


def _step(rich: Actuator, poor: Actuator) -> bool | None:
    """Whether `poor` is one step simpler; None where it is neither that nor the same."""
    if rich.topology.name != poor.topology.name or rich.device != poor.device:
        return None
    other = [port for port, law in rich.laws.items() if law.path != poor.laws[port].path]
    if not other:
        return False
    port = other[0]
    bare = bool(rich.laws[port].parameters) and not poor.laws[port].parameters
    return True if len(other) == 1 and (_reduces(rich, port, poor) or bare) else None


def _holds(rich: Actuator, poor: Actuator) -> bool:
    if rich.topology.name != poor.topology.name or rich.device != poor.device:
        return False
    return all(reduction(law, poor.laws[port]) is not None for port, law in rich.laws.items())


def _reduces(rich: Actuator, port: str, poor: Actuator) -> bool:
    return poor.laws[port].name in reductions(rich.laws[port])


def _begun(rich: Actuator, poor: Actuator, values: Mapping[str, float]) -> Actuator:
    known = {name: number.value for name, number in poor.numbers.items()} | dict(values)
    found = dict(known)
    for port, law in rich.laws.items():
        if not poor.laws[
            port
        ].parameters:  # at 0, where `rich` has no such law, a search has no slope
            continue
        for symbol, origin in (reduction(law, poor.laws[port]) or {}).items():
            is_now = known[f"{port}.{origin}"] if isinstance(origin, str) else origin
            found[f"{port}.{symbol}"] = is_now
    numbers = {
        name: dataclasses.replace(number, value=float(found[name]))
        for name, number in rich.numbers.items()
        if name in found
    }
    source = next(iter(rich.sources))
    for name in filter(of_bench, values):
        unknown = Number(0.0, rich.all_fields[name].unit, source, "assumed")
        here = rich.all_numbers.get(name, unknown)
        numbers[name] = dataclasses.replace(here, value=float(values[name]))
    return rich.with_numbers(numbers)
