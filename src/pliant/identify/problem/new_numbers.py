"""An actuator with the numbers that were found."""

import dataclasses
from collections.abc import Collection, Mapping
from importlib.metadata import version

from pliant.assemble import Actuator, Number, assemble


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
    source = _new_source(actuator, values)
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


def _new_source(actuator: Actuator, found: Collection[str]) -> str:
    """A name that no number has which stays: an earlier identification remains another source."""
    stays = {number.source for name, number in actuator.all_numbers.items() if name not in found}
    names = ("identification", *(f"identification_{k}" for k in range(2, len(stays) + 2)))
    return next(name for name in names if name not in stays)
