"""Facts that recordings do not state: units, names of joints, episodes, topics."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import UNITS as SIZES
from pliant.errors import PliantError
from pliant.io.column_map import ColumnMap
from pliant.io.commands_told import added
from pliant.io.findings import Cut
from pliant.io.robot_log import RobotLog

Unit = Literal["rad", "deg", "rev", "percent"]
T = TypeVar("T")
UNITS: tuple[Unit, ...] = get_args(Unit)
LARGEST_VALUES = 60_000_000
"""Most numbers in one recording: two hours of twelve joints at 500 Hz are 43 million per channel."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options for reading recordings.

    Attributes:
        unit: of positions and goals; None leaves the numbers as they are, in rad.
        units: joint, by the model's or the recording's name, to its unit if different: LeRobot's gripper is in
            percent even if the arm is in degrees.
        ranges: joint to its lowest and highest angle [rad], at -100 and 100 percent (0 and 100 for a
            joint whose numbers are never negative).
        clip: joint, by either name, to the range [rad] that its goals were clipped to when they were
            sent, if the recording has the unclipped ones.
        rename: the recording's name of a joint to the model's; a `*` stands for any part of it
            (`{"left_*": "*"}`).
        leave_out: the recording's names of joints that are not read, such as those of another arm
            (`["right_*"]`).
        episodes: numbers of the episodes of a data set to read; none means all.
        state, command: topics, if a bag has several that match.
        columns: of a CSV: a TOML file, or options on a line (`ColumnMap`, `RobotColumnMap`).
        publishers: topic to the program whose messages are read, if several publish the same joints: 1
            for the one with the most; "" for any topic.
        command_joints: joint names of unnamed commands, in their order.
        steps: goals are steps that were added to the joint's position.
        repair: faults to repair, names from `REPAIRS` or "all".
        cut: start and end [s] of the part of each run to read, None for its own; all by default.
    """

    unit: Unit | None = None
    units: Mapping[str, Unit] = field(default_factory=dict[str, Unit])
    ranges: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    clip: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    leave_out: Sequence[str] = ()
    episodes: Sequence[int] = ()
    state: str | None = None
    command: str | None = None
    columns: Path | str | ColumnMap | None = None
    publishers: Mapping[str, int] = field(default_factory=dict[str, int])
    command_joints: Sequence[str] = ()
    steps: bool = False
    repair: Collection[str] = ()
    cut: Cut | None = None

    def given(self) -> set[str]:
        """Names of the given facts, as in a recording.toml."""
        theirs = {"publishers": "publisher", "steps": "goal"}
        return {theirs.get(one.name, one.name) for one in fields(self) if getattr(self, one.name)}

    def scale(
        self, name: str, joint: str, unit: str | None, values: Floats, *, is_known: bool
    ) -> tuple[float, float]:
        """The angle at 0 and the size of a unit [rad].

        Args:
            name: of the column of positions. joint: of the model. unit: that is given.
            values: positions and goals. is_known: the file states their unit.

        Raises:
            PliantError: it is stated twice, or is percent of a range that is not known.
        """
        if unit is not None and is_known:
            problem = f"the file states the unit of {name} itself: leave this out"
            raise PliantError(problem, field="unit", found=unit)
        if unit == "percent":
            return self._percent(name, joint, values)
        return 0.0, SIZES["angle"][unit or "rad"]

    def applied(self, log: RobotLog) -> RobotLog:
        """The log with the model's names, and angles in rad.

        Raises:
            PliantError: a joint to rename is not recorded, two would have one name, none is left, or
                a range is missing.
        """
        log = self._renamed(self._kept(log))
        if self.steps:
            log = added(log)
        return self._clipped(self._in_rad(log))

    def commands_of(self, joints: Sequence[str], names: Sequence[str]) -> dict[str, int]:
        """Recorded joint to the place of its command among `names`, which `rename` may call alike."""
        places = {name: k for k, name in enumerate(names)}
        ours = {renamed(name, self.rename): k for name, k in places.items()}
        found: dict[str, int] = {}
        for joint in joints:
            place = places.get(joint, ours.get(renamed(joint, self.rename)))
            if place is not None:
                found[joint] = place
        return found

    def _in_rad(self, log: RobotLog) -> RobotLog:
        told = self._by_joint(self.units, log)
        units = [told.get(joint, self.unit) for joint in log.joints]
        position, goal, speed = (x.copy() for x in (log.position, log.goal, log.speed))
        for k, (joint, unit) in enumerate(zip(log.joints, units, strict=True)):
            values = np.concatenate([log.position[:, k], log.goal[:, k]])
            name, is_known = f"position_{joint}", joint in log.in_unit
            offset, size = self.scale(name, joint, unit, values, is_known=is_known)
            position[:, k] = offset + size * position[:, k]
            goal[:, k] = offset + size * goal[:, k]
            speed[:, k] *= size
        known = {joint for joint, unit in zip(log.joints, units, strict=True) if unit is not None}
        return replace(log, position=position, goal=goal, speed=speed, in_unit=log.in_unit | known)

    def _by_joint(self, told: Mapping[str, T], log: RobotLog) -> dict[str, T]:
        """Options for joints, by the names that joints have now; those of the recording will do too."""
        known = {j if j in log.joints else renamed(j, self.rename): x for j, x in told.items()}
        for joint in known:
            log.column(joint)
        return known

    def _clipped(self, log: RobotLog) -> RobotLog:
        goal = log.goal.copy()
        for joint, (low, high) in self._by_joint(self.clip, log).items():
            k = log.column(joint)
            goal[:, k] = np.clip(goal[:, k], low, high)
        return replace(log, goal=goal)

    def _kept(self, log: RobotLog) -> RobotLog:
        if not self.leave_out:
            return log
        out = {name for pattern in self.leave_out for name in _meant(pattern, log)}
        kept = [name for name in log.joints if name not in out]
        if not kept:
            raise PliantError("no joint is left", field="leave_out", accepted="some of the joints")
        return log.only(kept)

    def _renamed(self, log: RobotLog) -> RobotLog:
        for name in self.rename:
            if not any(_matched(name, theirs) is not None for theirs in log.also):
                _meant(name, log)
        joints = tuple(renamed(name, self.rename) for name in log.joints)
        if len(set(joints)) < len(joints):
            twice = next(name for name in joints if joints.count(name) > 1)
            raise PliantError("two joints have the same name", field="rename", found=twice)
        return replace(log, joints=joints)

    def _percent(self, name: str, joint: str, values: Floats) -> tuple[float, float]:
        if joint not in self.ranges and self.ranges:
            raise PliantError(
                "percent needs the range of the joint, and only these have one: use --rename to match its name",
                field=name,
                found=joint,
                accepted=self.ranges,
            )
        if joint not in self.ranges:
            raise PliantError(
                "percent needs the range of the joint",
                field=name,
                accepted="its range from a model (--robot) or from LeRobot's calibration (--reading calibration=FILE)",
            )
        low, high = self.ranges[joint]
        if not (values < 0.0).any():
            return low, (high - low) / 100.0
        return (low + high) / 2.0, (high - low) / 200.0


def renamed(name: str, rename: Mapping[str, str]) -> str:
    """The name of a recorded joint after `Reading.rename`, or its own where that says nothing."""
    if name in rename:
        return rename[name]
    for theirs, ours in rename.items():
        part = _matched(theirs, name) if "*" in theirs else None
        if part is not None:
            return ours.replace("*", part)
    return name


def _meant(pattern: str, log: RobotLog) -> list[str]:
    """The recorded joints of a name, or of one with a `*`."""
    found = [name for name in log.joints if _matched(pattern, name) is not None]
    if not found:
        log.column(pattern)  # which says what is recorded
    return found


def _matched(pattern: str, name: str) -> str | None:
    """The part of a name that `*` stands for; None where the two differ."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    fits = len(name) > len(before + after) and name.startswith(before) and name.endswith(after)
    return name[len(before) : len(name) - len(after)] if fits else None


def check_size(values: int) -> None:
    """Refuse a recording of more numbers than fit into memory."""
    if values > LARGEST_VALUES:
        raise PliantError(
            "is too large", found=f"{values:.3g} numbers", accepted=f"at most {LARGEST_VALUES:.3g}"
        )
