"""Facts that recordings do not state: units, names of joints, episodes, topics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import radians
from typing import Literal, get_args

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog

Unit = Literal["rad", "deg", "percent"]
UNITS: tuple[Unit, ...] = get_args(Unit)
LARGEST_VALUES = 60_000_000
"""Numbers in one recording: two hours of twelve joints at 500 Hz are 43 million for each channel."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Choices for one reading of recordings.

    Attributes:
        unit: of positions and goals; None leaves the numbers as they are, in rad.
        units: joint, by the model's name, to its unit, where that is another: LeRobot's gripper is in
            percent where the arm is in degrees.
        ranges: joint to its lowest and highest angle [rad]: what -100 and 100 percent are (0 and 100
            for a joint whose numbers are never negative).
        clip: joint, by the model's name, to the range [rad] that its goals were clipped to when they were
            sent: recorded is what was wanted.
        rename: the recording's name of a joint to the model's.
        episodes: numbers of those that are read of a data set; none means all.
        state, command: topics, where a bag has several that would do.
    """

    unit: Unit | None = None
    units: Mapping[str, Unit] = field(default_factory=dict[str, Unit])
    ranges: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    clip: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    episodes: Sequence[int] = ()
    state: str | None = None
    command: str | None = None

    def applied(self, log: RobotLog) -> RobotLog:
        """The log with the model's names, and angles in rad.

        Raises:
            PliantError: a joint to rename is not recorded, two would have one name, or a range is
                missing.
        """
        return self._clipped(self._in_rad(self._renamed(log)))

    def _in_rad(self, log: RobotLog) -> RobotLog:
        for joint in self.units:
            log.column(joint)
        units = [self.units.get(joint, self.unit) for joint in log.joints]
        if all(unit in (None, "rad") for unit in units):
            return log
        position, goal, speed = (x.copy() for x in (log.position, log.goal, log.speed))
        for k, (joint, unit) in enumerate(zip(log.joints, units, strict=True)):
            if unit in (None, "rad"):
                continue
            offset, size = 0.0, radians(1.0)
            if unit == "percent":
                offset, size = self._percent(joint, log.position[:, k], log.goal[:, k])
            position[:, k] = offset + size * position[:, k]
            goal[:, k] = offset + size * goal[:, k]
            speed[:, k] *= size
        return replace(log, position=position, goal=goal, speed=speed)

    def _clipped(self, log: RobotLog) -> RobotLog:
        goal = log.goal.copy()
        for joint, (low, high) in self.clip.items():
            k = log.column(joint)
            goal[:, k] = np.clip(goal[:, k], low, high)
        return replace(log, goal=goal)

    def _renamed(self, log: RobotLog) -> RobotLog:
        for name in self.rename:
            log.column(name)
        joints = tuple(self.rename.get(name, name) for name in log.joints)
        if len(set(joints)) < len(joints):
            twice = next(name for name in joints if joints.count(name) > 1)
            raise PliantError("two joints have the same name", field="rename", found=twice)
        return replace(log, joints=joints)

    def _percent(self, joint: str, position: Floats, goal: Floats) -> tuple[float, float]:
        """The angle at 0 and that of one percent [rad]."""
        if joint not in self.ranges:
            raise PliantError(
                "percent needs the range of the joint",
                field=f"position_{joint}",
                accepted="its range from a model (--robot) or from LeRobot's calibration (--calibration)",
            )
        low, high = self.ranges[joint]
        known = np.concatenate([position, goal[np.isfinite(goal)]])
        if known.min() >= 0.0:
            return low, (high - low) / 100.0
        return (low + high) / 2.0, (high - low) / 200.0


def check_size(values: int) -> None:
    """Refuse a recording of more numbers than fit into memory.

    Raises:
        PliantError: it is too large.
    """
    if values > LARGEST_VALUES:
        raise PliantError(
            "is too large", found=f"{values:.3g} numbers", accepted=f"at most {LARGEST_VALUES:.3g}"
        )
