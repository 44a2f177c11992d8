"""Repeated simulation of a motion: commands in, motion out, from the same start each time.

`played` runs one list of commands and returns everything, `replay` those of a recorded log on its bench.
`Trials` repeats a motion for iterative learning, several variations of the robot at once. `recorded_commands` tells
which commands they were given.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from math import cos, sin
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.pools import pool
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.readings import actuator_on
from pliant.engines.spec.slots import STATE
from pliant.errors import PliantError, check_known
from pliant.io.log import Log
from pliant.io.table import AMBIENT


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of a model; row k is the state after step k, at (k + 1) h.

    Attributes:
        time: (T,) [s]. qpos: (T, nq). qvel: (T, nv). act: (T, na). control: (T, nu) that it was
            given, row k in step k; None where that is not known.
    """

    model: mujoco.MjModel
    attached: Attachment | None
    time: Floats
    qpos: Floats
    qvel: Floats
    act: Floats
    control: Floats | None = None

    def position(self, joint: str) -> Floats:
        """(T,) [rad, m]."""
        return self.qpos[:, int(self.model.joint(joint).qposadr[0])]

    def velocity(self, joint: str) -> Floats:
        """(T,) [rad/s, m/s]."""
        return self.qvel[:, int(self.model.joint(joint).dofadr[0])]

    def state(self, joint: str, name: str) -> Floats:
        """(T,) A number of the state of the joint's actuator, such as "rotor_1.theta".

        Raises:
            PliantError: nothing was attached to the joint, or it has no such state.
        """
        entries = self.attached.joints if self.attached else ()
        actuators = {entry.joint: entry.actuator for entry in entries}
        check_known(joint, actuators, "nothing was attached to this joint")
        names = actuators[joint].state
        check_known(name, names, "no such state", joint)
        first = int(self.model.actuator_actadr[actuator_on(self.model, joint)])
        return self.act[:, first + STATE + names.index(name)]


@dataclass(frozen=True, eq=False)
class CommandSequence:
    """Commands that a robot was given, from rest at a pose.

    Attributes:
        control: (T, nu), a row a step. qpos: (nq,) at the start.
    """

    model: mujoco.MjModel
    attached: Attachment
    control: Floats
    qpos: Floats


_COMMANDS: ContextVar[list[CommandSequence] | None] = ContextVar("commands", default=None)


@contextmanager
def recorded_commands() -> Generator[list[CommandSequence]]:
    """The commands that robots get within the block; those of a repeated motion once, the last."""
    sequences: list[CommandSequence] = []
    before = _COMMANDS.set(sequences)
    try:
        yield sequences
    finally:
        _COMMANDS.reset(before)


_LISTENER: ContextVar[Callable[[Motion], None] | None] = ContextVar("listener", default=None)


@contextmanager
def reported_to(listener: Callable[[Motion], None]) -> Generator[None]:
    """Within the block, `listener` gets every motion of `played` of a robot with actuators."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def _record_commands(
    model: mujoco.MjModel, attached: Attachment | None, control: Floats, qpos: ArrayLike | None
) -> None:
    sequences = _COMMANDS.get()
    if sequences is None or attached is None:
        return
    if sequences and sequences[-1].model is model and len(sequences[-1].control) == len(control):
        sequences.pop()
    pose = np.array(model.qpos0 if qpos is None else qpos, dtype=float)
    sequences.append(CommandSequence(model, attached, control, pose))


def controls(model: mujoco.MjModel, steps: int, given: Mapping[str, ArrayLike]) -> Floats:
    """(steps, nu) controls from constants or (steps,) courses by actuator; the others are 0.

    Raises:
        PliantError: the model has no such actuator.
    """
    table = np.zeros((steps, model.nu))
    for name, course in given.items():
        table[:, _place(model, name)] = course
    return table


def _place(model: mujoco.MjModel, name: str) -> int:
    names = [model.actuator(k).name for k in range(model.nu)]
    check_known(name, names, "the model has no such actuator")
    return names.index(name)


def played(
    model: mujoco.MjModel,
    control: Floats,
    *,
    attached: Attachment | None = None,
    qpos: ArrayLike | None = None,
) -> Motion:
    """Give the model (T, nu) controls, one row a step, from rest at `qpos` or its own pose."""
    from mujoco.rollout import Rollout

    _record_commands(model, attached, control, qpos)
    data = mujoco.MjData(model)
    if qpos is not None:
        data.qpos[:] = qpos
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, start, spec)
    runner: Any = Rollout(nthread=0)
    runs: Any = runner.rollout(model, data, start[None], control[None])[0]
    run: Floats = runs[0]
    ends = [int(x) for x in np.cumsum([1, model.nq, model.nv, model.na])]
    places, speeds, states = (run[:, a:b] for a, b in pairwise(ends))
    motion = Motion(model, attached, run[:, 0], places, speeds, states, control)
    listener = _LISTENER.get()
    if listener is not None and attached is not None:
        listener(motion)
    return motion


class Trials:
    """A robot that repeats a motion: what iterative learning calls.

    Each trial begins at rest in the model's own pose and holds its first input for `settle` seconds, so that it
    starts from the equilibrium of its own first command. An input holds for `period`; the output of
    row k is the position at the end of it.

    Args:
        model: with its actuators.
        inputs: actuators whose control is learned.
        outputs: joints whose position is to follow.
        period: [s] of the learning, a multiple of the timestep.
        constant: control of other actuators.
        settle: [s] before each trial.
        variations: how many robots learn at once.
        attached: what was attached, for who watches.

    Raises:
        PliantError: the model has no such actuator, or the timestep does not divide the period.
    """

    # Named arguments that stand for themselves; all but the period have a default.
    def __init__(
        self,
        model: mujoco.MjModel,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        period: float,
        constant: Mapping[str, float] | None = None,
        settle: float = 0.0,
        variations: int = 1,
        attached: Attachment | None = None,
    ) -> None:
        self._attached = attached
        self._steps = round(period / model.opt.timestep)
        if self._steps < 1 or abs(self._steps * model.opt.timestep - period) > 1e-9:
            raise PliantError(
                "is not a multiple of the timestep",
                field="period",
                found=period,
                accepted=f"a multiple of {model.opt.timestep:g} s",
            )
        self._model = model
        self._pool = pool(model, variations, 0)
        self._inputs = [_place(model, name) for name in inputs]
        self._outputs = [int(model.joint(name).qposadr[0]) for name in outputs]
        self._constant = controls(model, 1, constant or {})[0]
        self._settle = round(settle / model.opt.timestep)
        self.variations = variations

    def vary(self, field: str, values: ArrayLike) -> None:
        """Give a field of the model ("body_mass") values (V, …) of its own in each variation."""
        self._pool.write(field, np.asarray(values))
        self._pool.settle()

    def __call__(self, inputs: Floats) -> Floats:
        """Run (V, T, m) inputs; (V, T, p) positions [rad, m] at the end of each period."""
        count, length, _ = inputs.shape
        held = np.repeat(inputs, self._steps, axis=1)
        before = np.repeat(inputs[:, :1], self._settle, axis=1)
        table = np.concatenate([before, held], axis=1)
        control = np.tile(self._constant, (count, table.shape[1], 1))
        control[:, :, self._inputs] = table
        _record_commands(self._model, self._attached, control[0], self._model.qpos0)
        nq, nv = self._model.nq, self._model.nv
        self._pool.start(np.tile(self._model.qpos0, (count, 1)), np.zeros((count, nv)))
        run = self._pool.run(control).reshape(count, -1, nq)
        last = [self._settle + self._steps * k - 1 for k in range(1, length + 1)]
        return run[:, last][:, :, self._outputs]


JOINT = "joint"
_POINT = 1e-12
"""[kg m^2] MuJoCo wants every body to have some inertia of its own."""


class Load(Protocol):
    """The load of a pendulum bench: `mass` [kg] at `length` [m]."""

    @property
    def mass(self) -> float: ...  # noqa: D102
    @property
    def length(self) -> float: ...  # noqa: D102


def bench(log: Load, position_offset: float = 0.0, arm_mass: float = 0.0) -> mujoco.MjSpec:
    """The pendulum bench of `log`: q = 0 hangs down, but for the mounting error."""
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    half = 0.5 * position_offset
    arm = spec.worldbody.add_body(name="arm", quat=[cos(half), 0.0, -sin(half), 0.0])
    # Turning about -y by q moves the load from straight down towards +x.
    arm.add_joint(name=JOINT, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, -1.0, 0.0])
    arm.explicitinertial = True
    arm.mass, arm.ipos, arm.inertia = log.mass, [0.0, 0.0, -log.length], [_POINT] * 3
    if arm_mass > 0.0:
        rod = arm.add_body(name="rod")
        across = arm_mass * log.length**2 / 12.0
        rod.explicitinertial = True
        rod.mass, rod.ipos = arm_mass, [0.0, 0.0, -0.5 * log.length]
        rod.inertia = [across + _POINT, across + _POINT, _POINT]
    return spec


def replay(actuator: Actuator, log: Log, timestep: float = 1e-3) -> Floats:
    """Play the commands of `log` to `actuator` on its bench in MuJoCo, open loop.

    The first sample's position is the start, at rest. A command holds until the next one, and one
    that comes within a step acts for its part of it; while the log's torque is off, the actuator's
    group is disabled. The nominal supply is the log's.

    Args:
        actuator: with the numbers of its bench, if it has any.
        log: the recording.
        timestep: of MuJoCo [s].

    Returns:
        (N,) simulated position [rad] at the samples of the log.
    """
    own = {
        "control.kp": log.gain,
        "own.voltage": log.supply,
        AMBIENT: log.warmth,
    }
    given = {name: x for name, x in own.items() if x is not None and name in actuator.fields}
    unit = actuator.with_values(given, f"log {log.name}", "convention")
    numbers = {name: number.value for name, number in actuator.bench.items()}
    if log.arm_mass is not None:
        numbers["arm_mass"] = log.arm_mass
    if log.zero is not None:
        numbers["position_offset"] = log.zero
    spec = bench(log, **numbers)
    spec.option.timestep = timestep
    attach(spec, {JOINT: unit})
    return _played(spec.compile(), log)


def _played(model: mujoco.MjModel, log: Log) -> Floats:
    data = mujoco.MjData(model)
    data.qpos[0] = log.position[0]
    group = 1 << int(model.actuator_group[0])
    steps = int(np.ceil(log.time[-1] / model.opt.timestep))
    grid = model.opt.timestep * np.arange(steps + 1, dtype=np.float64)
    goal = _mean_goal(log, grid)
    nearest = np.searchsorted(log.time, grid + 0.5 * model.opt.timestep, side="right") - 1
    positions = np.empty(steps + 1)
    positions[0] = data.qpos[0]
    for k in range(steps):
        data.ctrl[0] = goal[k]
        model.opt.disableactuator = 0 if log.enabled[nearest[k]] else group
        mujoco.mj_step(model, data)
        positions[k + 1] = data.qpos[0]
    return np.interp(log.time, grid, positions)


def _mean_goal(log: Log, grid: Floats) -> Floats:
    """(K,) mean command in each step between the (K + 1,) times of the grid."""
    time = np.append(log.time, max(log.time[-1], grid[-1]) + 1.0)
    integral = np.concatenate([[0.0], np.cumsum(log.goal * np.diff(time))])
    return np.diff(np.interp(grid, time, integral)) / np.diff(grid)
