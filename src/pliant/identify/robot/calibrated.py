"""Zeros of a robot's recordings: known from the record of its fit, else found with the robot as it is.

1. recordings of the fit have the zeros that it found
2. in others, one descent moves the zero of each joint and group, from those of the fit where it has the
   group, and nothing else
3. how far the halves of the recordings disagree on each zero is its uncertainty
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.mounting import AUTO
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.space import Space
from pliant.identify.problem.zero import ZeroFound
from pliant.identify.result.record import FitRecord
from pliant.identify.robot.mounted import (
    CALIBRATIONS,
    calibration_kind,
    calibrations,
    with_zeros,
    zeroed,
)
from pliant.identify.robot.recorded_anew import is_new
from pliant.identify.robot.rig import RobotRig
from pliant.identify.robot.space import OFFSET
from pliant.identify.search.least_squares import PROBE, polish
from pliant.io.robot_log import RobotLog

JACOBIANS = 8


def calibrated_logs(
    rig: RobotRig, logs: Sequence[RobotLog], zero_by: str | None = AUTO
) -> tuple[list[RobotLog], list[ZeroFound]]:
    """Recordings with the zeros of their calibration, and those that were found for it.

    Args:
        rig: the robot as it is. logs: to judge it by.
        zero_by: what recordings of one calibration share: "day", "folder", "log"; "auto": what it was in
            the fit of its actuators, if they have such a record, else the day, in recordings of a day that
            was not fitted; None: no zeros.

    Raises:
        PliantError: recordings of a robot have no such property, or a record's entry is of another type.
    """
    calibration_kind(logs, zero_by)
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    kind = zero_by
    if zero_by == AUTO:
        kind = next((r.zero_by for r in records.values() if r.zero_by in CALIBRATIONS), None)
        if kind is None and any(is_new(rig, log, AUTO) for log in logs):
            kind = "day"
    if kind is None:
        return list(logs), []
    mine = {joint: one for joint, one in records.items() if one.zero_by == kind}
    known = {f"{j}.{group}": x for j, one in mine.items() for group, x in (one.zeros or {}).items()}
    if zero_by == AUTO and not mine:
        new = [log for log in logs if is_new(rig, log, AUTO)]
    else:
        digests = {digest for one in mine.values() for digest in one.digests}
        new = [log for log in logs if log.digest not in digests]
    found = _found(rig, new, kind, known) if new else []
    taken = known | {
        one.mounting: one.zero - _given(rig, one.mounting) for one in found if one.clear
    }
    fresh = {id(log) for log in new}
    return [zeroed([log], kind, taken if id(log) in fresh else known)[0] for log in logs], found


def _given(rig: RobotRig, mounting: str) -> float:
    """The zero [rad, m] that the robot's file has of a joint, and its recordings need not."""
    joint = next(joint for joint in rig.actuators if mounting.startswith(f"{joint}."))
    return float(rig.robot.offsets.get(f"{joint}.{OFFSET}", 0.0))


def _found(
    rig: RobotRig, logs: Sequence[RobotLog], kind: str, known: Mapping[str, float]
) -> list[ZeroFound]:
    """The zero of each joint ("<joint>.<group>") in each group of recordings.

    Args:
        known: such zeros that the fit found, beside those of the robot's file.
    """
    groups = calibrations(logs, kind)
    joints, coarse, none = list(rig.actuators), rig.coarse().mounted(kind), np.empty(0)
    own = {j: float(rig.robot.offsets.get(f"{j}.{OFFSET}", 0.0)) for j in joints}
    space = with_zeros(Space((), none, none, none), joints, list(groups))
    owners = [(joint, group) for joint in joints for group in groups]
    given = [own[j] + known.get(f"{j}.{g}", 0.0) for j, g in owners]
    begin = dict(zip(space.names, given, strict=True))
    goal = Objective(coarse.residuals(logs, space), "squared")
    start = space.to_cube(space.starting_at(begin).start)
    end = polish(goal, start, JACOBIANS)
    zeros, spreads = space.from_cube(end[None])[0], _spreads(goal, end, space)
    by = {f"{j}.{g}": float(x) - own[j] for (j, g), x in zip(owners, zeros, strict=True)}
    before, after = (_errors(rig, zeroed(logs, kind, values), kind) for values in ({**known}, by))
    return [
        ZeroFound(
            mounting=f"{joint}.{group}",
            logs=len(groups[group]),
            given=given[k],
            zero=float(zeros[k]),
            before=before[joint, group],
            after=after[joint, group],
            spread=float(spreads[k]),
        )
        for k, (joint, group) in enumerate(owners)
    ]


def _errors(rig: RobotRig, logs: Sequence[RobotLog], kind: str) -> Mapping[tuple[str, str], float]:
    """Joint and group to the mean error [rad, m]."""
    each: dict[tuple[str, str], list[float]] = {}
    for entry in rig.evaluate(logs).entries:
        each.setdefault((entry.joint, CALIBRATIONS[kind](entry.log)), []).append(entry.mae)
    return {key: float(np.mean(errors)) for key, errors in each.items()}


def _spreads(goal: Objective, at: Floats, space: Space) -> Floats:
    """(D,) [rad, m] standard error of each zero, from how far the halves of the recordings disagree.

    Along the slope at `at`, with the other zeros held.
    """
    residual = goal.misfit(at[None])[0]
    steps = np.where(at < 0.5, PROBE, -PROBE)
    slopes = (goal.misfit(at + np.diag(steps)) - residual) / steps[:, None]
    blocks = goal.misfit.samples.per_block(residual)
    out = np.full(len(at), np.inf)
    for k, slope in enumerate(slopes):
        each: list[float] = []
        for r, s in zip(blocks, goal.misfit.samples.per_block(slope), strict=True):
            for half, own in zip(np.array_split(r, 2), np.array_split(s, 2), strict=True):
                if np.any(own):
                    each.append(-float(own @ half) / float(own @ own))
        if len(each) > 1:
            out[k] = np.std(each, ddof=1) / np.sqrt(len(each)) * (space.high[k] - space.low[k])
    return out
