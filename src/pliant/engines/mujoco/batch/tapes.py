"""Recorded commands on the steps of a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.robot_model import RobotModel, course
from pliant.io.robot_log import RobotLog, gain_courses

_Number = TypeVar("_Number", bound=np.generic)

VOLTAGE = "own.voltage"
STRETCH = 400
"""Steps in one call of MuJoCo."""
COURSE_STRETCH = 0.01
"""[s] What changes more often, such as a measured supply, is looked up as often."""
TINY = 1e-6
"""Tolerance for rounded times, as a fraction of a step."""


@dataclass(frozen=True, eq=False)
class Tape:
    """One log on T steps of the simulation.

    Attributes:
        control: (T, nu). off: (T,) mask of the groups of actuators that are off.
        first, speed: (nq,), (nv,) where it begins.
        courses: joint and parameter of its actuator to (T,) values: gains, a measured supply [V].
        ratio: supply over the nominal one, where it is not measured.
        warmth: joint to the temperature [K] at which its winding starts; NaN: as its actuator has it.
    """

    control: Floats
    off: NDArray[np.int32]
    first: Floats
    speed: Floats
    courses: Mapping[tuple[str, str], Floats]
    ratio: float = 1.0
    warmth: Mapping[str, float] = field(default_factory=dict[str, float])


def tape_of(log: RobotLog, robot: RobotModel, *, measured: bool, hold: bool = True) -> Tape:
    """A log on the steps of `robot`; with its `measured` supply, if it has one.

    A command holds until the next, and a step in which one arrives gets the mean over the step;
    without `hold` commands move linearly, and a step gets the one of its middle.
    """
    model = robot.model
    h = float(model.opt.timestep)
    grid: Floats = h * np.arange(max(2, int(np.ceil(log.time[-1] / h - TINY))), dtype=np.float64)
    new = np.searchsorted(log.time, grid + (1.0 - TINY) * h, side="right") - 1
    old = np.searchsorted(log.time, grid + TINY * h, side="right") - 1
    before = np.where(new > old, np.clip((log.time[new] - grid) / h, 0.0, 1.0), 0.0)
    control, off = np.zeros((len(grid), model.nu)), np.zeros(len(grid), dtype=np.int32)
    first, speed = np.array(model.qpos0), np.zeros(model.nv)
    for joint in (*robot.joints, *robot.led):
        k, actuator = log.column(joint), robot.actuator(joint)
        first[robot.qpos(joint)] = log.position[0, k]
        speed[robot.dof(joint)] = np.nan_to_num(log.speed[0, k])
        if joint in robot.led:
            control[:, actuator] = course(log.time, log.position[:, k], grid)
            continue
        goal = robot.of_goal(joint) * log.goal[:, k]
        control[:, actuator] = (
            before * goal[old] + (1.0 - before) * goal[new]
            if hold
            else np.interp(grid + 0.5 * h, log.time, goal)
        )
        group = 1 << int(model.actuator_group[actuator])
        off |= np.where(log.enabled[new, k], 0, group).astype(np.int32)
    courses = {
        (entry.joint, name): values[new]
        for entry in robot.attachment.joints
        if entry.joint in robot.joints
        for name, values in _courses(log, entry.joint, entry.actuator, measured=measured).items()
    }
    warm = {j: np.nan if (w := log.warmth(j)) is None else w for j in robot.joints}
    return Tape(control, off, first, speed, courses, 1.0 if measured else log.supply_ratio, warm)


def _courses(
    log: RobotLog, joint: str, actuator: Actuator, *, measured: bool
) -> Mapping[str, Floats]:
    """(N,) Values of the parameters that change within the log."""
    courses = gain_courses(log, joint, {n: f.unit for n, f in actuator.fields.items()})
    if measured and log.supply is not None and VOLTAGE in actuator.fields:
        courses[VOLTAGE] = log.supply
    return courses


def stretches(tapes: Sequence[Tape], steps: int, h: float) -> list[tuple[int, int]]:
    """Steps in which nothing but the control changes."""
    cuts = {0, steps, *range(0, steps, STRETCH)}
    for tape in tapes:
        cuts |= {int(k) + 1 for k in np.flatnonzero(np.diff(tape.off))}
        for values in tape.courses.values():
            changes = [int(k) + 1 for k in np.flatnonzero(np.diff(values))]
            often = len(changes) * COURSE_STRETCH > steps * h
            cuts |= set(range(0, steps, max(1, round(COURSE_STRETCH / h))) if often else changes)
    return list(pairwise(sorted(cut for cut in cuts if cut <= steps)))


def held(values: Floats, begin: int, end: int) -> Floats:
    """Rows begin … end; the last one holds."""
    return values[np.minimum(np.arange(begin, end), len(values) - 1)]


def at(values: NDArray[_Number], step: int) -> _Number:
    """Value in a step; beyond the end, the last."""
    return values[min(step, len(values) - 1)]
