"""Many simulations of one model that differ in its numbers, on threads; or one, whose whole state is told.

`Batch` of MuJoCo 3.17 and later, or, before it, `rollout` with a copy of the model for each. The
motion does not depend on the number of threads. Between the two it differs by the solver's
tolerance: `rollout` begins each call without the last solution.
"""

import copy
import ctypes
import importlib.util
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.robot_model import RobotModel, course
from pliant.engines.mujoco.plugin.table import library
from pliant.io.robot_log import RobotLog, gain_courses
from pliant.processes import processors

_Number = TypeVar("_Number", bound=np.generic)

VOLTAGE = "own.voltage"
STRETCH = 400
"""Steps in one call of MuJoCo."""
COURSE_STRETCH = 0.01
"""[s] What changes more often, such as a measured supply, is looked up as often."""
TINY = 1e-6
"""Tolerance for rounded times, as a fraction of a step."""


@dataclass(frozen=True, eq=False)
class LogInputs:
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


def log_inputs(log: RobotLog, robot: RobotModel, *, measured: bool, hold: bool = True) -> LogInputs:
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
    return LogInputs(
        control, off, first, speed, courses, 1.0 if measured else log.supply_ratio, warm
    )


def _courses(
    log: RobotLog, joint: str, actuator: Actuator, *, measured: bool
) -> Mapping[str, Floats]:
    """(N,) Values of the parameters that change within the log."""
    courses = gain_courses(log, joint, {n: f.unit for n, f in actuator.fields.items()})
    if measured and log.supply is not None and VOLTAGE in actuator.fields:
        courses[VOLTAGE] = log.supply
    return courses


def stretches(inputs: Sequence[LogInputs], steps: int, h: float) -> list[tuple[int, int]]:
    """Steps in which nothing but the control changes."""
    cuts = {0, steps, *range(0, steps, STRETCH)}
    for one in inputs:
        cuts |= {int(k) + 1 for k in np.flatnonzero(np.diff(one.off))}
        for values in one.courses.values():
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


class Pool(Protocol):
    """n simulations of one model."""

    def write(self, field: str, values: NDArray[Any]) -> None:
        """Give a field of the model (n, …) values; "opt.…" is a field of its options."""
        ...

    def settle(self) -> None:
        """Derive the model's constants again: masses or armatures were written."""
        ...

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """Reset all, to positions (n, nq) and velocities (n, nv)."""
        ...

    def run(self, control: Floats) -> Floats:
        """(n, k, nu) controls of the next k steps to the positions (n, k, nq) after each."""
        ...


def pool(model: mujoco.MjModel, count: int, threads: int = 0) -> Pool:
    """The fastest pool that the installed MuJoCo has. `threads` 0 takes all processors."""
    workers = threads or processors()
    return (BatchPool if has_batch() else RolloutPool)(model, count, workers)


def has_batch() -> bool:
    """Whether this MuJoCo has `Batch` (3.17 and later)."""
    return importlib.util.find_spec("mujoco.batch") is not None


class BatchPool:
    """`mujoco.batch.Batch`: one model, and the fields that differ."""

    def __init__(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        from mujoco.batch import Batch

        self._batch: Any = Batch(model, count, nthread=threads)

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        self._batch.expand(field)[:] = values

    def settle(self) -> None:
        """See `Pool`."""
        self._batch.set_const()

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        self._batch.reset(stage=0)
        self._batch.qpos[:], self._batch.qvel[:] = qpos, qvel

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        return self._batch.rollout(control.shape[1], control)["qpos"]


class RolloutPool:
    """`mujoco.rollout`: as many models as simulations, as many data as threads."""

    def __init__(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        from mujoco.rollout import Rollout

        self._models = [copy.copy(model) for _ in range(count)]
        self._data = [mujoco.MjData(model) for _ in range(threads)]
        self._rollout: Any = Rollout(nthread=threads if threads > 1 else 0)
        self._spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self._state = np.empty((count, mujoco.mj_stateSize(model, self._spec)))
        self._warm = np.zeros((count, model.nv))

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        for model, value in zip(self._models, values, strict=True):
            _write(model, field, value)

    def settle(self) -> None:
        """See `Pool`."""
        for model in self._models:
            mujoco.mj_setConst(model, self._data[0])

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        data = self._data[0]
        for k, model in enumerate(self._models):
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = qpos[k], qvel[k]
            mujoco.mj_getState(model, data, self._state[k], self._spec)
        self._warm[:] = 0.0

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        states, _ = self._rollout.rollout(
            self._models, self._data, self._state, control, initial_warmstart=self._warm
        )
        model = self._models[0]
        self._state = np.ascontiguousarray(states[:, -1])
        return states[:, :, 1 : 1 + model.nq]


def _write(model: mujoco.MjModel, field: str, value: Any) -> None:
    group, _, name = field.rpartition(".")
    if group:
        setattr(model.opt, name, value)
    else:
        getattr(model, name)[...] = value


@contextmanager
def silent() -> Generator[None]:
    """MuJoCo says nothing, and writes no log file, where a candidate is unstable.

    The handler is native, for the simulations' threads have no Python: a function of MuJoCo that takes
    a text, and does nothing but tell whether it is the name of a type.
    """
    handler = ctypes.c_void_p.in_dll(library(), "mju_user_warning")
    before = handler.value
    handler.value = ctypes.cast(library().mju_str2Type, ctypes.c_void_p).value
    try:
        yield
    finally:
        handler.value = before


class FollowedPool:
    """A `Pool` of one: `note` gets its data at the start and after each step.

    `ended` is called after the last step before the model's numbers may change: supply, torque off.

    Args:
        model: compiled; it is copied.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = copy.copy(model)
        self.note: Callable[[mujoco.MjData], None] = lambda _: None
        self.ended: Callable[[], None] = lambda: None
        self._data = mujoco.MjData(self.model)

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        _write(self.model, field, values[0])

    def settle(self) -> None:
        """See `Pool`."""
        mujoco.mj_setConst(self.model, self._data)

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        mujoco.mj_resetData(self.model, self._data)
        self._data.qpos[:], self._data.qvel[:] = qpos[0], qvel[0]
        self.note(self._data)

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        found = np.empty((1, control.shape[1], self.model.nq))
        for k, told in enumerate(control[0]):
            self._data.ctrl[:] = told
            mujoco.mj_step(self.model, self._data)
            found[0, k] = self._data.qpos
            self.note(self._data)
        self.ended()
        return found
