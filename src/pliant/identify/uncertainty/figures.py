"""Figures of a data sheet as a fit has them, with intervals, beside what the maker states."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.assemble import Actuator, Fact
from pliant.assemble.parameters import AT_VOLTAGE
from pliant.identify.problem.datasheet import Facts
from pliant.identify.uncertainty.bootstrap import LEVELS, Uncertainty


@dataclass(frozen=True)
class Figure:
    """One figure of a fit.

    Attributes:
        fact: what it is, at which voltage. stated: by the data sheet; None where it says nothing.
        value: with the numbers found. low, high: 90 % of the parameter sets that fit as well.
    """

    fact: Fact
    stated: float | None
    value: float
    low: float
    high: float


def figures(actuator: Actuator, sure: Uncertainty, datasheet: Sequence[Fact] = ()) -> list[Figure]:
    """Stall torque, no-load speed, stall current and breakaway of a fit; none without a resistance.

    Args:
        actuator: with the numbers found. sure: of them. datasheet: facts given with the fit; without
            any, those of the actuator's file. What no fact is about is at the nominal voltage.
    """
    if "motor.R" not in actuator.fields:
        return []
    stated = list(datasheet or actuator.datasheet)
    known = {fact.fact for fact in stated}
    nominal = actuator.value("own.voltage")
    units = {"stall_torque": "N m", "no_load_speed": "rad/s", "stall_current": "A"}
    units["breakaway_torque"] = "N m"
    missing = [
        Fact(name, 1.0, unit, "", voltage=nominal if name in AT_VOLTAGE else None)
        for name, unit in units.items()
        if name not in known
    ]
    facts = Facts(actuator, sure.space, [*stated, *missing])
    rows = np.concatenate([sure.best[None], sure.samples])
    found = facts.figures(sure.space.to_cube(rows))
    low, high = np.quantile(found[1:], LEVELS, axis=0)
    # A fit at the edge of its box has a figure at the edge of what the draws, all inside, give.
    low, high = np.minimum(low, found[0]), np.maximum(high, found[0])
    return [
        Figure(fact, None if fact in missing else fact.value, float(one), float(a), float(b))
        for fact, one, a, b in zip(facts.known, found[0], low, high, strict=True)
    ]
