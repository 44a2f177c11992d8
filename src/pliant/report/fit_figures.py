"""Figures of a data sheet as a fit has them, in words: for the terminal and the report."""

from pliant.assemble import FACTS, Actuator
from pliant.identification.result.record import FitRecord
from pliant.identification.uncertainty.intervals import figures
from pliant.words import number, unit

HEAD = ("figures of this fit", "value", "unit", "90 % interval", "data sheet")


def figure_rows(actuator: Actuator) -> list[list[str]]:
    """Rows below `HEAD`, of an actuator with the record of its fit; without intervals the values alone."""
    record = FitRecord.of(actuator)
    if record.figures is not None:
        return [_row(*_parted(key), **one) for key, one in record.figures.items()]
    return [
        _row(
            one.fact.fact,
            "" if one.fact.voltage is None else f"{one.fact.voltage:g}",
            value=one.value,
            **({} if one.stated is None else {"stated": one.stated}),
        )
        for one in figures(actuator, None, record.datasheet or ())
    ]


def _parted(key: str) -> tuple[str, str]:
    """Fact and voltage of a record's key, "stall_torque@6V"."""
    fact, _, volts = key.partition("@")
    return fact, volts.removesuffix("V")


def _row(fact: str, volts: str, **said: float) -> list[str]:
    name = fact.replace("_", " ").replace("no load", "no-load")
    return [
        f"{name} at {volts} V" if volts else name,
        number(said.get("value")),
        unit(FACTS.get(fact, "")),
        f"{said['low']:.3g} … {said['high']:.3g}" if {"low", "high"} <= {*said} else "",
        number(said["stated"]) if "stated" in said else "",
    ]
