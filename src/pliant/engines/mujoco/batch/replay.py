"""A recorded log again, in MuJoCo: the bench as a model with the actuator, the same commands."""

from math import cos, sin
from typing import Protocol

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.io.log import Log
from pliant.io.table import AMBIENT

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
