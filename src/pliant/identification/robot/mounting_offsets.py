"""Mounting offsets of a robot that was calibrated anew in between: a zero of each joint's encoder for each group.

In a fit a zero is searched beside the actuators, "<joint>.zero of <group>". Then it stands in the recordings:
positions and commands are counted from it alike, so both are moved.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from pliant.errors import PliantError
from pliant.identification.problem.mounting_offsets import AUTO, MOUNTINGS, OF, mountings
from pliant.identification.problem.residuals import Group, Grouped, Residuals
from pliant.identification.problem.space import Space
from pliant.identification.robot.space import OFFSET, OFFSET_BOUNDS
from pliant.io.robot_log import Recordings, RobotLog

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


def with_zeros(
    space: Space, joints: Sequence[str], groups: Sequence[str], offsets: Mapping[str, float]
) -> Space:
    """A space with a zero of each joint and group instead of one of each joint, begun at the robot's own."""
    single = [f"{joint}.{OFFSET}" for joint in joints]
    rest = space.part([name for name in space.names if name not in single])
    zeros = [_name(joint, group) for joint in joints for group in groups]
    begun = [offsets.get(f"{joint}.{OFFSET}", 0.0) for joint in joints for _ in groups]
    low, high = (
        np.append(end, np.full(len(zeros), bound))
        for end, bound in zip((rest.low, rest.high), OFFSET_BOUNDS, strict=True)
    )
    start = np.append(rest.start, np.clip(np.array(begun), *OFFSET_BOUNDS))
    return Space((*rest.names, *zeros), low, high, start)


def zeroed(
    logs: Sequence[RobotLog], zero_by: str, zeros: Mapping[str, float], own: Mapping[str, float]
) -> list[RobotLog]:
    """The logs, moved by how far the zeros ("<joint>.<group>") [rad, m] of their calibrations are from the robot's own."""
    return [_moved(log, CALIBRATIONS[zero_by](log), zeros, own) for log in logs]


def _moved(
    log: RobotLog, group: str, zeros: Mapping[str, float], own: Mapping[str, float]
) -> RobotLog:
    far = {
        joint: zeros[f"{joint}.{group}"] - x
        for joint, x in own.items()
        if f"{joint}.{group}" in zeros
    }
    by = np.array([far.get(joint, 0.0) for joint in log.joints])
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
