"""Mounting offsets of a robot that was calibrated anew in between: a zero of each joint's encoder for each group.

In a fit a zero is searched beside the actuators, "<joint>.zero of <group>". Then it stands in the recordings:
positions and commands are counted from it alike, so both are moved. For actuators that stay as they are:

1. one descent moves the zero of each joint and group, and nothing else
2. how far the halves of the recordings disagree on each zero is its uncertainty
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.problem.mounting_offsets import AUTO, MOUNTINGS, OF, ZeroFound, mountings
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.residuals import Group, Grouped, Residuals
from pliant.identification.problem.space import Space
from pliant.identification.robot.space import OFFSET, OFFSET_BOUNDS
from pliant.identification.search.least_squares import PROBE, polish
from pliant.io.robot_log import Recordings, RobotLog

if TYPE_CHECKING:
    from pliant.identification.robot.rig import RobotRig


CALIBRATIONS: Mapping[str, Callable[[RobotLog], str]] = {
    kind: MOUNTINGS[kind] for kind in ("day", "folder", "log")
}
"""Properties that recordings of one calibration, or of one recorder, may share."""


def calibration_kind(logs: Sequence[RobotLog], zero_by: str | None) -> str | None:
    """The property asked for, by itself the day, else the folder; None where no two groups differ in it.

    Raises:
        PliantError: recordings of a robot have no such property.
    """
    check_calibration(zero_by)
    if zero_by == AUTO:
        apart = (kind for kind in ("day", "folder") if len(mountings(logs, kind)) > 1)
        return next(apart, None)
    if zero_by is None:
        return None
    return zero_by if len(mountings(logs, zero_by)) > 1 else None


def check_calibration(zero_by: str | None, field: str = "zero_by") -> None:
    """Refuse a property that recordings of a robot do not have.

    Raises:
        PliantError: it is none of `CALIBRATIONS`.
    """
    if zero_by not in (None, AUTO, *CALIBRATIONS):
        raise PliantError(
            "is no property of a robot's recordings",
            field=field,
            found=zero_by,
            accepted=[AUTO, *CALIBRATIONS, "none"],
        )


def with_zeros(space: Space, joints: Sequence[str], groups: Sequence[str]) -> Space:
    """A space with a zero of each joint and group instead of one of each joint."""
    single = [f"{joint}.{OFFSET}" for joint in joints]
    rest = space.part([name for name in space.names if name not in single])
    names = [_name(joint, group) for joint in joints for group in groups]
    return _with(rest, names, [0.0] * len(names))


def _with(space: Space, zeros: Sequence[str], start: Sequence[float]) -> Space:
    """A space with more zeros behind its numbers."""
    low, high = (
        np.append(end, np.full(len(zeros), bound))
        for end, bound in zip((space.low, space.high), OFFSET_BOUNDS, strict=True)
    )
    begin = np.append(space.start, np.clip(np.array(start), *OFFSET_BOUNDS))
    return Space((*space.names, *zeros), low, high, begin)


def zeroed(logs: Sequence[RobotLog], zero_by: str, zeros: Mapping[str, float]) -> list[RobotLog]:
    """The logs, moved by the zeros ("<joint>.<group>") [rad, m] of their calibrations."""
    return [_moved(log, CALIBRATIONS[zero_by](log), zeros) for log in logs]


def _moved(log: RobotLog, group: str, zeros: Mapping[str, float]) -> RobotLog:
    by = np.array([zeros.get(f"{joint}.{group}", 0.0) for joint in log.joints])
    if not by.any():
        return log
    return dataclasses.replace(log, position=log.position + by, goal=log.goal + by)


def _name(joint: str, group: str) -> str:
    return f"{joint}.{OF}{group}"


def calibrated(
    residuals: Callable[[Sequence[RobotLog], Space], Residuals],
    logs: Sequence[RobotLog],
    zero_by: str,
    joints: Sequence[str],
    space: Space,
) -> Residuals:
    """Residuals of candidates whose joints have a zero for each group of recordings.

    Args:
        residuals: logs and the space of one group's candidates to its residuals.
        logs: all of them. zero_by: what a group shares. joints: that are compared. space: with zeros.
    """

    def group(name: str, places: Sequence[int]) -> Group:
        zeros = {_name(joint, name): f"{joint}.{OFFSET}" for joint in joints}
        return Group(
            {zero: own for zero, own in zeros.items() if zero in space.names},
            [k * len(joints) + j for k in places for j in range(len(joints))],
            partial(residuals, [logs[k] for k in places]),
        )

    groups = [group(name, places) for name, places in mountings(logs, zero_by).items()]
    return Grouped(Recordings(logs, joints), space, groups)


JACOBIANS = 8


def clear_zeros(rig: "RobotRig", found: Sequence[ZeroFound]) -> dict[str, float]:
    """Those that are clear [rad, m], "<joint>.<group>", beside those of the robot's file."""
    return {one.mounting: one.zero - given_zero(rig, one.mounting) for one in found if one.clear}


def given_zero(rig: "RobotRig", mounting: str) -> float:
    """The zero [rad, m] that the robot's file has of a joint, and its recordings need not."""
    joint = next(joint for joint in rig.actuators if mounting.startswith(f"{joint}."))
    return float(rig.robot.offsets.get(f"{joint}.{OFFSET}", 0.0))


def zeros_of(
    rig: "RobotRig", logs: Sequence[RobotLog], kind: str, known: Mapping[str, float]
) -> list[ZeroFound]:
    """The zero of each joint ("<joint>.<group>") in each group of recordings.

    Args:
        known: such zeros that the fit found, beside those of the robot's file.
    """
    groups = mountings(logs, kind)
    joints, coarse, none = list(rig.actuators), rig.coarse().mounted(kind), np.empty(0)
    own = {j: float(rig.robot.offsets.get(f"{j}.{OFFSET}", 0.0)) for j in joints}
    space = with_zeros(Space((), none, none, none), joints, list(groups))
    owners = [(joint, group) for joint in joints for group in groups]
    given = [own[j] + known.get(f"{j}.{g}", 0.0) for j, g in owners]
    begin = dict(zip(space.names, given, strict=True))
    goal = Posterior(coarse.residuals(logs, space))
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


def _errors(
    rig: "RobotRig", logs: Sequence[RobotLog], kind: str
) -> Mapping[tuple[str, str], float]:
    """Joint and group to the mean error [rad, m]."""
    each: dict[tuple[str, str], list[float]] = {}
    for entry in rig.evaluate(logs).entries:
        each.setdefault((entry.joint, CALIBRATIONS[kind](entry.log)), []).append(entry.mae)
    return {key: float(np.mean(errors)) for key, errors in each.items()}


def _spreads(goal: Posterior, at: Floats, space: Space) -> Floats:
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
