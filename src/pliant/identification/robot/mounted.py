"""Recordings of a robot that was calibrated anew in between: a zero of each joint's encoder for each group.

A zero is searched beside the actuators, "<joint>.zero of <group>". Then it stands in the recordings:
positions and commands are counted from it alike, so both are moved.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.problem.mounting import AUTO, OF, day_of, folder_of, name_of
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.space import Space
from pliant.identification.robot.space import OFFSET, OFFSET_BOUNDS
from pliant.io.robot_log import Recordings, RobotLog

CALIBRATIONS: Mapping[str, Callable[[RobotLog], str]] = {
    "day": day_of,
    "folder": folder_of,
    "log": name_of,
}
"""Properties that recordings of one calibration, or of one recorder, may share."""


def calibrations(logs: Sequence[RobotLog], zero_by: str) -> dict[str, list[int]]:
    """Group to its logs, by their places."""
    found: dict[str, list[int]] = {}
    for k, log in enumerate(logs):
        found.setdefault(CALIBRATIONS[zero_by](log), []).append(k)
    return found


def calibration_kind(logs: Sequence[RobotLog], zero_by: str | None) -> str | None:
    """The property asked for, by itself the day, else the folder; None where no two groups differ in it.

    Raises:
        PliantError: recordings of a robot have no such property.
    """
    check_calibration(zero_by)
    if zero_by == AUTO:
        apart = (kind for kind in ("day", "folder") if len(calibrations(logs, kind)) > 1)
        return next(apart, None)
    if zero_by is None:
        return None
    return zero_by if len(calibrations(logs, zero_by)) > 1 else None


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


class CalibratedResiduals(Residuals):
    """Residuals of candidates whose joints have a zero for each group of recordings.

    Args:
        residuals: logs and the space of one group's candidates to its residuals.
        logs: all of them. zero_by: what a group shares. joints: that are compared. space: with zeros.
    """

    def __init__(
        self,
        residuals: Callable[[Sequence[RobotLog], Space], Residuals],
        logs: Sequence[RobotLog],
        zero_by: str,
        joints: Sequence[str],
        space: Space,
    ) -> None:
        self.samples, self.space = Recordings(logs, joints), space
        self.steps = self.evaluations = 0
        self._parts: list[tuple[list[int], list[int], Residuals]] = []
        plain = [name for name in space.names if OF not in name]
        for group, places in calibrations(logs, zero_by).items():
            own = [joint for joint in joints if _name(joint, group) in space.names]
            names = [*plain, *(_name(joint, group) for joint in own)]
            part = space.part(names)
            alone = dataclasses.replace(
                part, names=(*plain, *(f"{joint}.{OFFSET}" for joint in own))
            )
            columns = [space.names.index(name) for name in part.names]
            blocks = [k * len(joints) + j for k in places for j in range(len(joints))]
            self._parts.append((columns, blocks, residuals([logs[k] for k in places], alone)))

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        out = np.empty((len(points), len(self.samples.measured)))
        begins, ends = self.samples.starts[:-1], self.samples.starts[1:]
        for columns, blocks, part in self._parts:
            found = part.samples.per_block(part(points[:, columns]))
            for k, samples in zip(blocks, found, strict=True):
                out[:, begins[k] : ends[k]] = samples
        self.steps = sum(part.steps for _, _, part in self._parts)
        self.evaluations += len(points)
        return out
