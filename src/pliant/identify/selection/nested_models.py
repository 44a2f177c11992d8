"""Where a model may begin its search: at what a simpler one, contained in it, came to.

M6 with zeros is M4: what M4 found is a point of M6, and M6 can only do better from there. Such a
start knows nothing that the simpler fit did not know; it must be a fit to the same logs.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from pliant.assemble import Actuator, Number, bench_fields

BENCH = "plant."


def contains(rich: Actuator, poor: Actuator) -> bool:
    """Whether `poor` is one step simpler: another law at one port, to which that of `rich` reduces.

    A law without numbers (no delay, an ideal supply) counts as what any other begins at.
    """
    if rich.topology.name != poor.topology.name or rich.device != poor.device:
        return False
    other = [port for port, law in rich.laws.items() if law.path != poor.laws[port].path]
    if len(other) != 1:
        return False
    port = other[0]
    if poor.laws[port].name in reductions(rich, port):
        return True
    return bool(rich.laws[port].parameters) and not poor.laws[port].parameters


def reductions(actuator: Actuator, port: str) -> Mapping[str, Mapping[str, Any]]:
    """Simpler law to what its numbers become in the law at this port."""
    return getattr(actuator.laws[port].module, "REDUCES_TO", {})


def begun_at(rich: Actuator, poor: Actuator, values: Mapping[str, float]) -> Actuator:
    """`rich` with what was found for `poor`.

    Args:
        rich: the candidate. poor: one that it contains.
        values: parameter of `poor` (`plant.…` of its bench) to what was found.
    """
    known = {name: number.value for name, number in poor.numbers.items()} | dict(values)
    numbers, bench = dict(rich.numbers), dict(rich.bench)
    for name, number in rich.numbers.items():
        port, _, symbol = name.partition(".")
        found = _reduced(rich, poor, port, symbol, known)
        if found is not None:
            numbers[name] = _at(number, found)
    units = bench_fields()
    for name, value in values.items():
        symbol = name.removeprefix(BENCH)
        if name.startswith(BENCH):
            source = next(iter(rich.sources))
            unknown = Number(value, units[symbol].unit, source, "assumed")
            bench[symbol] = _at(bench.get(symbol, unknown), value)
    return dataclasses.replace(rich, numbers=numbers, bench=bench)


def _reduced(
    rich: Actuator, poor: Actuator, port: str, symbol: str, known: Mapping[str, float]
) -> float | None:
    """One number of `rich`; None if it stays."""
    if port in rich.laws:
        rule = reductions(rich, port).get(poor.laws[port].name, {}).get(symbol)
        if isinstance(rule, str):
            return known[f"{port}.{rule}"]
        if rule is not None and rich.laws[port].path != poor.laws[port].path:
            return float(rule)
    return known.get(f"{port}.{symbol}")


def _at(number: Number, value: float) -> Number:
    return dataclasses.replace(number, value=float(value))


def simpler(candidates: Sequence[Actuator]) -> list[list[int]]:
    """For each candidate, the indices of those that are one step simpler."""
    return [[k for k, poor in enumerate(candidates) if contains(rich, poor)] for rich in candidates]
