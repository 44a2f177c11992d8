"""Write the numbers found by a fit into an actuator."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version

from pliant.assemble import Actuator, Number, assemble

GAIN = "control.kp"
FEW = 3
"""Gains that are listed one by one."""


def identified(
    actuator: Actuator,
    name: str,
    title: str,
    values: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
) -> Actuator:
    """`actuator` with the values found, each with the bounds it was searched in.

    Args:
        actuator: that was fitted. name: of the new one. title: what its title ends with.
        values: `port.symbol` or `plant.symbol` to the value found. bounds: of each.

    Raises:
        PliantError: a value is outside the range of its law.
    """
    source = _new_source("identification", actuator, values)
    fields = actuator.all_fields
    found = {
        key: Number(value, fields[key].unit, source, "identified", *bounds[key])
        for key, value in values.items()
    }
    made = actuator.with_numbers(found)
    used = {number.source for number in made.all_numbers.values()}
    used |= {fact.source for fact in actuator.datasheet}
    sources = {key: said for key, said in actuator.sources.items() if key in used}
    text = f"pliant {version('pliant')}, from {actuator.name}; see [identification]"
    return assemble(
        dataclasses.replace(
            made,
            name=name,
            title=f"{actuator.title.partition(',')[0]}{title}",
            sources={**sources, source: text},
            path=None,
        )
    )


def with_settings(
    actuator: Actuator, stated: Sequence[Mapping[str, float]]
) -> tuple[Actuator, str]:
    """`actuator` with the gains and the supply of its logs, and a description of them; "" for none.

    If the logs differ, it gets the settings of the median log by gain: a combination that was really used.
    A log with a gain of 0 commands nothing and is ignored.

    Args:
        actuator: that was fitted. stated: settings of each log (`control.kp`, `own.voltage`, ...), name to value.
    """
    moving = [gains for gains in stated if gains and gains.get(GAIN) != 0.0]
    whole = [gains for gains in moving if len(gains) == max(map(len, moving))]
    if not whole:
        return actuator, ""
    used = sorted(whole, key=lambda gains: [*gains.values()])[(len(whole) - 1) // 2]
    there = {name: sorted({g[name] for g in moving if name in g}) for name in used}
    said = _in_words(actuator, used, there)
    source = _new_source("logs", actuator, used)
    made = actuator.with_numbers(
        {n: Number(x, actuator.fields[n].unit, source, "convention") for n, x in used.items()}
    )
    keep = {number.source for number in made.all_numbers.values()}
    keep |= {fact.source for fact in actuator.datasheet}
    sources = {key: text for key, text in actuator.sources.items() if key in keep}
    return assemble(dataclasses.replace(made, sources={**sources, source: said})), said


def _in_words(
    actuator: Actuator, used: Mapping[str, float], there: Mapping[str, Sequence[float]]
) -> str:
    def named(name: str, text: str) -> str:
        unit = actuator.fields[name].unit
        return f"{name.partition('.')[2]} {text}" + ("" if unit == "1" else f" {unit}")

    gains = ", ".join(named(name, f"{value:g}") for name, value in used.items())
    if all(len(values) == 1 for values in there.values()):
        return f"settings of the logs: {gains}, in all of them"
    ranges = ", ".join(named(name, _listed(values)) for name, values in there.items())
    return f"settings of the logs: {gains}, those of the median log; the logs have {ranges}"


def _listed(values: Sequence[float]) -> str:
    if len(values) > FEW:
        return f"{values[0]:g} to {values[-1]:g}"
    *more, last = (f"{value:g}" for value in values)
    return f"{', '.join(more)} and {last}" if more else last


def _new_source(name: str, actuator: Actuator, found: Collection[str]) -> str:
    """A source name not used by any number that stays: an earlier identification remains a separate source."""
    stays = {number.source for key, number in actuator.all_numbers.items() if key not in found}
    names = (name, *(f"{name}_{k}" for k in range(2, len(stays) + 2)))
    return next(one for one in names if one not in stays)
