"""Intervals of an identification's parameters, and of the data-sheet figures that it predicts."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact
from pliant.assemble.parameters import AT_VOLTAGE
from pliant.identification.problem.device_match import gains
from pliant.identification.problem.posterior import Facts
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.result.identification import Identification, with_draws
from pliant.identification.result.record import FitRecord, about, own
from pliant.identification.uncertainty.coverage import coverage, covering, on_held_out
from pliant.identification.uncertainty.draws import (
    LEVELS,
    Coverage,
    Uncertainty,
    UncertaintySettings,
    uncertainty,
)
from pliant.io.output import write_whole

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
        fact: kind of figure and voltage. stated: by the data sheet; None if not stated.
        value: with the numbers found. low, high: 90 % interval over the posterior draws; NaN if no
            intervals were asked for.
    """

    fact: Fact
    stated: float | None
    value: float
    low: float
    high: float


def figures(
    actuator: Actuator, sure: Uncertainty | None, datasheet: Sequence[Fact] = ()
) -> list[Figure]:
    """Stall torque, no-load speed, stall current and breakaway torque of a fit, if its laws define them.

    Args:
        actuator: with the numbers found. sure: of them; None: no intervals were asked for.
        datasheet: facts given with the fit; without any, those of the actuator's file. Figures without a
            fact are given at the nominal voltage.
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
    facts = Facts(actuator, Space.of({}) if sure is None else sure.space, [*stated, *missing])
    if not facts.known:
        return []
    if sure is None:
        (own,) = facts.figures(np.empty((1, 0)))
        low = high = np.full(len(own), nan)
    else:
        rows = np.concatenate([sure.best[None], sure.samples])
        own, *drawn = facts.figures(sure.space.to_cube(rows))
        low, high = np.quantile(drawn, LEVELS, axis=0)
        # A fit at the edge of its box can have a figure outside those of the draws, which are all inside.
        low, high = np.minimum(low, own), np.maximum(high, own)
    return [
        Figure(fact, None if fact in missing else fact.value, float(one), float(a), float(b))
        for fact, one, a, b in zip(facts.known, own, low, high, strict=True)
    ]


def _told_by(actuator: Actuator) -> tuple[str, ...]:
    """Figures that the laws of an actuator have; none behind a spring or play.

    A motor without a resistance has no no-load speed. One with a limit in N m stalls at that limit; a limit
    in A is often only a convention for no limit.
    """
    if actuator.topology.name != "rigid_servo":
        return ()
    if "motor.R" in actuator.fields:
        return (*_UNITS,)
    limit = actuator.numbers.get("control.limit")
    limited = limit is not None and limit.unit == "N m"
    return ("stall_torque", "breakaway_torque") if limited else ("breakaway_torque",)


TOGETHER = 0.7
"""Correlation from which two parameters are reported as correlated."""


def intervals(
    found: Identification[LogT], *, uncertainty_settings: UncertaintySettings | None = None
) -> Uncertainty:
    """90 % intervals of the fitted parameters, from the logs they were fitted to.

    Differences between groups of logs widen the bands; groups are logs of one gain, and single logs of a
    robot. No interval covers a wrong mass in a robot's model: it does not show in the residuals.

    Args:
        found: what a fit returned.
        uncertainty_settings: draws, seed; by default those of the joint or robot.
    """
    settings = uncertainty_settings or UncertaintySettings(draws=found.rig.draws)
    sure = uncertainty(found.goal(found.fitted.logs), _ends(found), settings)
    wide = coverage(found, sure, settings)
    if not wide:
        return sure
    covered = covering(sure, wide)
    return dataclasses.replace(covered, coverage=on_held_out(found, covered))


def _ends(found: Identification[LogT]) -> list[Floats]:
    """(D,) points of the unit cube: the fit, and the equally good ends of its search."""
    space, known = found.space, None
    if [*found.actuators] == [""]:
        known = found.actuator.ensemble
    if known is None or known.names != space.names:
        return [space.to_cube(found.point)]
    return [*space.to_cube(known.of_fits())]


def with_intervals(found: Identification[LogT], sure: Uncertainty) -> Identification[LogT]:
    """The same, with each joint's intervals in its record, and the doubts that follow from them."""
    boxes = dict(zip(sure.space.names, zip(sure.low, sure.high, strict=True), strict=True))
    ends = {name: (float(low), float(high)) for name, (low, high) in boxes.items()}
    made = {
        joint: FitRecord.of(actuator)
        .changed(
            intervals_90=own(found, joint, ends),
            correlations=_pairs(found, joint, sure),
            open=about(found, joint, sure.doubts),
            figures=_figures(found, actuator, sure) or None,
            coverage=_covered(sure.coverage[joint]) if joint in sure.coverage else None,
            coverage_by=sure.coverage[joint].by if joint in sure.coverage else None,
            gains=gains(entry.log for entry in found.fitted.entries) or None,
        )
        .on(actuator)
        for joint, actuator in found.actuators.items()
    }
    doubts = tuple(dict.fromkeys([*found.doubts, *sure.doubts]))
    rig = with_draws(found.rig.with_actuators(made), found.space, found.point, sure.samples)
    return dataclasses.replace(found, rig=rig, doubts=doubts)


def _covered(wide: Coverage) -> dict[str, float | dict[str, float]]:
    """Coverage in the form of a file; margins in mrad."""
    return {
        "samples": round(wide.samples, 3),
        "logs": round(wide.logs, 3),
        "groups": {name: round(share, 3) for name, share in wide.groups.items()},
        "before": round(wide.before, 3),
        "factor": wide.factor,
        "alone": round(wide.alone, 3),
        "spread": wide.spread,
        "spread_holds": round(wide.spread_holds, 3),
        "margin_mrad": round(1e3 * wide.margin, 3),
        "margin_of_logs_mrad": round(1e3 * wide.margin_of_logs, 3),
        **({} if wide.response is None else {"response_mrad": round(1e3 * wide.response, 3)}),
        **({} if wide.held_out is None else {"held_out": round(wide.held_out, 3)}),
    }


def _figures(
    found: Identification[LogT], actuator: Actuator, sure: Uncertainty
) -> dict[str, dict[str, float]]:
    """Data-sheet figures; none for a robot's joint."""
    if len(found.actuators) > 1 or "" not in found.actuators:
        return {}
    made: dict[str, dict[str, float]] = {}
    for one in figures(actuator, sure, found.task.datasheet):
        at = "" if one.fact.voltage is None else f"@{one.fact.voltage:g}V"
        entry = {"value": one.value, "low": one.low, "high": one.high}
        made[f"{one.fact.fact}{at}"] = entry | (
            {} if one.stated is None else {"stated": one.stated}
        )
    return made


def correlated(sure: Uncertainty) -> dict[tuple[str, str], float]:
    """Pairs of correlated parameters, the strongest first."""
    names, r = sure.space.names, sure.correlation
    pairs: dict[tuple[str, str], float] = {}
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            if abs(r[i, j]) > TOGETHER:
                pairs[second, first] = float(r[i, j])
    return dict(sorted(pairs.items(), key=lambda one: -abs(one[1])))


def write_draws(path: Path, sure: Uncertainty) -> None:
    """Write the posterior draws as CSV: one parameter set per line, SI units.

    Raises:
        PliantError: the file cannot be written.
    """
    rows = [
        ",".join(sure.space.names),
        *(",".join(map(repr, row)) for row in sure.samples.tolist()),
    ]
    write_whole(path, "\n".join(rows) + "\n")


def _pairs(
    found: Identification[LogT], joint: str, sure: Uncertainty
) -> list[tuple[str, str, float]]:
    """Correlated pairs of one joint."""
    short = {full: name for name, full in own(found, joint, {n: n for n in found.values}).items()}
    return [
        (short[a], short[b], round(r, 3))
        for (a, b), r in correlated(sure).items()
        if a in short and b in short
    ]
