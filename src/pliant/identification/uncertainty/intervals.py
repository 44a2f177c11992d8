"""Intervals of an identification's numbers."""

import dataclasses
from pathlib import Path

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.identification.problem.simulation import LogT
from pliant.identification.result.equally_good import with_draws
from pliant.identification.result.identification import Identification
from pliant.identification.result.record import FitRecord
from pliant.identification.result.record_of import own
from pliant.identification.uncertainty.coverage import coverage, covering, on_held_out
from pliant.identification.uncertainty.draws import (
    Coverage,
    Uncertainty,
    UncertaintySettings,
    uncertainty,
)
from pliant.identification.uncertainty.figures import figures
from pliant.io.output import write_whole

TOGETHER = 0.7
"""Correlation from which on two parameters are said to go together."""


def intervals(
    found: Identification[LogT], *, uncertainty_settings: UncertaintySettings | None = None
) -> Uncertainty:
    """90 % intervals of the parameters found, from the logs that they were fitted to.

    What is seen in one group of logs and not in another widens the bands; groups are logs of one
    gain, and single logs of a robot. A mass that is wrong in a robot's model is in no interval: no
    residual knows of it.

    Args:
        found: what a fit returned.
        uncertainty_settings: draws, seed; by default those of the joint or robot.
    """
    rig = found.rig.seeing(found.space)
    logs = list(dict.fromkeys(entry.log for entry in found.fitted.entries))
    settings = uncertainty_settings or UncertaintySettings(draws=rig.draws)
    goal = found.task.goal(rig, rig.residuals(logs, found.space))
    sure = uncertainty(goal, _ends(found), settings)
    wide = coverage(found, sure, settings)
    if not wide:
        return sure
    covered = covering(sure, wide)
    return dataclasses.replace(covered, coverage=on_held_out(found, covered))


def _ends(found: Identification[LogT]) -> list[Floats]:
    """(D,) points of the unit cube: the fit's numbers, and those beside it that are hardly less likely."""
    space, known = found.space, None
    if [*found.actuators] == [""]:
        known = found.actuator.ensemble
    if known is None or known.names != space.names:
        return [space.to_cube(found.point)]
    return [*space.to_cube(known.of_fits())]


def with_intervals(found: Identification[LogT], sure: Uncertainty) -> Identification[LogT]:
    """The same, with each joint's intervals in its record, and with what they leave open."""
    boxes = dict(zip(sure.space.names, zip(sure.low, sure.high, strict=True), strict=True))
    ends = {name: (float(low), float(high)) for name, (low, high) in boxes.items()}
    made = {
        joint: FitRecord.of(actuator)
        .changed(
            intervals_90=own(found, joint, ends),
            correlations=_pairs(found, joint, sure),
            open=list(sure.doubts),
            figures=_figures(found, actuator, sure) or None,
            coverage=_covered(sure.coverage[joint]) if joint in sure.coverage else None,
            coverage_by=sure.coverage[joint].by if joint in sure.coverage else None,
            margin_by_gain=_by_gain(sure.coverage[joint]) if joint in sure.coverage else None,
            gains=found.rig.gains([entry.log for entry in found.fitted.entries]) or None,
        )
        .on(actuator)
        for joint, actuator in found.actuators.items()
    }
    doubts = tuple(dict.fromkeys([*found.doubts, *sure.doubts]))
    rig = with_draws(found.rig.with_actuators(made), found.space, found.point, sure.samples)
    return dataclasses.replace(found, rig=rig, doubts=doubts)


def _covered(wide: Coverage) -> dict[str, float | dict[str, float]]:
    """Coverage as it stands in a file; margins in mrad."""
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
        **({} if wide.held_out is None else {"held_out": round(wide.held_out, 3)}),
    }


def _by_gain(wide: Coverage) -> dict[str, float] | None:
    return {f"{gain:g}": round(times, 3) for gain, times in wide.by_gain.items()} or None


def _figures(
    found: Identification[LogT], actuator: Actuator, sure: Uncertainty
) -> dict[str, dict[str, float]]:
    """Figures of a data sheet; of a robot's joint none."""
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
    """Pairs of parameters that go together, the closest first."""
    names, r = sure.space.names, sure.correlation
    pairs: dict[tuple[str, str], float] = {}
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            if abs(r[i, j]) > TOGETHER:
                pairs[second, first] = float(r[i, j])
    return dict(sorted(pairs.items(), key=lambda one: -abs(one[1])))


def write_draws(path: Path, sure: Uncertainty) -> None:
    """Write the parameter sets that the data would also have allowed, as CSV: one a line, SI units.

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
