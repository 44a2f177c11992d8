"""Figures of a data sheet as a fit has them, with intervals, beside what the maker states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from pliant.assemble import Actuator, Fact
from pliant.assemble.parameters import AT_VOLTAGE
from pliant.identification.problem.posterior import Facts
from pliant.identification.problem.space import Space
from pliant.identification.uncertainty.draws import LEVELS, Uncertainty

_UNITS: Mapping[str, str] = {
    "stall_torque": "N m",
    "no_load_speed": "rad/s",
    "stall_current": "A",
    "breakaway_torque": "N m",
}


@dataclass(frozen=True)
class Figure:
    """One figure of a fit.

    Attributes:
        fact: what it is, at which voltage. stated: by the data sheet; None where it says nothing.
        value: with the numbers found. low, high: 90 % of the parameter sets that fit as well; NaN where
            no intervals were asked for.
    """

    fact: Fact
    stated: float | None
    value: float
    low: float
    high: float


_NOTHING = Space((), np.empty(0), np.empty(0), np.empty(0))


def figures(
    actuator: Actuator, sure: Uncertainty | None, datasheet: Sequence[Fact] = ()
) -> list[Figure]:
    """Stall torque, no-load speed, stall current and breakaway of a fit, as far as its laws tell them.

    Args:
        actuator: with the numbers found. sure: of them; None: no intervals were asked for.
        datasheet: facts given with the fit; without any, those of the actuator's file. What no fact is
            about is at the nominal voltage.
    """
    told = _told_by(actuator)
    stated = list(datasheet or actuator.datasheet)
    if told != (*_UNITS,):
        stated = [fact for fact in stated if fact.fact in told]
    known = {fact.fact for fact in stated}
    nominal = actuator.value("own.voltage")
    missing = [
        Fact(name, 1.0, _UNITS[name], "", voltage=nominal if name in AT_VOLTAGE else None)
        for name in told
        if name not in known
    ]
    facts = Facts(actuator, _NOTHING if sure is None else sure.space, [*stated, *missing])
    if not facts.known:
        return []
    if sure is None:
        (own,) = facts.figures(np.empty((1, 0)))
        low = high = np.full(len(own), nan)
    else:
        rows = np.concatenate([sure.best[None], sure.samples])
        own, *drawn = facts.figures(sure.space.to_cube(rows))
        low, high = np.quantile(drawn, LEVELS, axis=0)
        # A fit at the edge of its box has a figure at the edge of what the draws, all inside, give.
        low, high = np.minimum(low, own), np.maximum(high, own)
    return [
        Figure(fact, None if fact in missing else fact.value, float(one), float(a), float(b))
        for fact, one, a, b in zip(facts.known, own, low, high, strict=True)
    ]


def _told_by(actuator: Actuator) -> tuple[str, ...]:
    """Figures that the laws of an actuator have; none behind a spring or play.

    A motor without a resistance has no speed at which its torque ends. One behind a limit in N m stalls
    there; a limit in A is as often a convention that stands for none.
    """
    if actuator.topology.name != "rigid_servo":
        return ()
    if "motor.R" in actuator.fields:
        return (*_UNITS,)
    limit = actuator.numbers.get("control.limit")
    limited = limit is not None and limit.unit == "N m"
    return ("stall_torque", "breakaway_torque") if limited else ("breakaway_torque",)
