"""Inertia and load of each joint along a recording, with all others where they were recorded.

Joint j then obeys

    (M_jj + armature) a_j = tau_j + load,   load = -(sum over k != j of M_jk a_k + c_j + g_j)

M_jj does not change with the joint's own angle; the load is linearised in it. Left out: the dependence of
the load on the joint's own speed, dampers of the model, and contacts, which are only reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.robot_model import cleared, hold_bases
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.against import base_collisions, exclude
from pliant.engines.spec.joints import drop_keyframes
from pliant.io.robot_log import Bools, RobotLog

SAMPLES = 1.5
"""Standard deviation of the Gaussian over a recording, in samples: one step of a 12 bit encoder
would otherwise be an acceleration that loads the other joints as much as their friction."""
STEP = 0.02
"""[rad, m] Step over which the slope is computed."""
NEAR = 0.02
"""[m] Distance from the world that counts as touching: poses and models are not more accurate."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """One recording of N samples.

    Attributes:
        around: joint to (N, 3) of inertia [kg m^2], load at angle 0 [N m], and slope of the load in
            the joint's own angle [N m/rad]. touching: (N,) whether the robot touches the world.
    """

    around: Mapping[str, Floats]
    touching: Bools

    def part(self, place: slice) -> "Surroundings":
        """Those of some of the samples."""
        around = {joint: values[place] for joint, values in self.around.items()}
        return Surroundings(around, self.touching[place])


def plain_model(
    path: Path,
    joints: Sequence[str],
    masses: Mapping[str, float] | None = None,
    *,
    exclude_base_collision: bool = False,
) -> mujoco.MjModel:
    """The model in a file without the actuators that it has on `joints`.

    Args:
        path: MJCF or URDF. joints: that have actuators, or are led.
        masses: body to factor of its mass and inertia.
        exclude_base_collision: as of `pliant.attach`.
    """
    spec, _ = load_measured(path)
    hold_bases(spec)
    cleared(spec, joints)
    drop_keyframes(spec)  # their commands are those of the actuators that are gone
    model = spec.compile()
    if exclude_base_collision:
        exclude(spec, [*base_collisions(model, joints)])
        model = spec.compile()
    model.geom_margin[:] += 0.5 * NEAR  # a contact's margin is the sum of both
    for body, factor in (masses or {}).items():
        model.body(body).mass[:] *= factor
        model.body(body).inertia[:] *= factor
    return model


def surroundings(
    model: mujoco.MjModel,
    log: RobotLog,
    joints: Sequence[str],
    others: Sequence[str] = (),
    offsets: Mapping[str, float] | None = None,
) -> Surroundings:
    """Surroundings of `joints` along `log`.

    Args:
        model: see `plain_model`. others: joints that move too.
        offsets: "<joint>.position_offset" to what to add to its encoder [rad, m].
    """
    data = mujoco.MjData(model)
    position, speed, acceleration = _motion(model, log, [*joints, *others], offsets or {})
    places = {j: (int(model.joint(j).qposadr[0]), int(model.joint(j).dofadr[0])) for j in joints}
    around = {joint: np.empty((len(log.time), 3)) for joint in joints}
    touching = np.zeros(len(log.time), bool)
    for n in range(len(log.time)):
        data.qpos[:], data.qvel[:] = position[n], speed[n]
        _placed(model, data)
        touching[n] = _touches(model, data)
        for joint, (at, dof) in places.items():
            data.qacc[:] = acceleration[n]
            data.qacc[dof] = 0.0
            load = _load(model, data, dof)
            data.qacc[dof] = 1.0
            inertia = load - _load(model, data, dof)
            data.qacc[dof] = 0.0
            data.qpos[at] += STEP
            _placed(model, data)
            slope = (_load(model, data, dof) - load) / STEP
            data.qpos[at] = position[n, at]
            _placed(model, data)
            around[joint][n] = inertia, load - slope * position[n, at], slope
    return Surroundings(around, touching)


def touching(
    model: mujoco.MjModel,
    log: RobotLog,
    joints: Sequence[str],
    offsets: Mapping[str, float] | None = None,
) -> Bools:
    """(N,) whether the robot touches the world along `log`; arguments as of `surroundings`."""
    data, found = mujoco.MjData(model), np.zeros(len(log.time), bool)
    for n, pose in enumerate(_motion(model, log, joints, offsets or {})[0]):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        found[n] = _touches(model, data)
    return found


def inverse_dynamics(model: mujoco.MjModel, data: mujoco.MjData, *, accelerated: bool) -> Floats:
    """(nv,) [N m, N] What moves the joints as `data` says, beside passive forces; at rest unless `accelerated`."""
    _placed(model, data)
    needed = np.empty(model.nv)
    mujoco.mj_rne(model, data, int(accelerated), needed)
    return needed - data.qfrc_passive


def _placed(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_passive(model, data)


def _load(model: mujoco.MjModel, data: mujoco.MjData, dof: int) -> float:
    """[N m, N] on a joint that accelerates as `data` says, without its rotor."""
    needed = np.empty(model.nv)
    mujoco.mj_rne(model, data, 1, needed)
    return float(data.qfrc_passive[dof] - data.qfrc_damper[dof] - needed[dof])


def _touches(model: mujoco.MjModel, data: mujoco.MjData) -> bool:
    """Whether a part that moves is at one that does not."""
    if not model.ngeom:
        return False
    mujoco.mj_collision(model, data)
    still = model.body_weldid[model.geom_bodyid[data.contact.geom]] == 0
    return bool((still[:, 0] != still[:, 1]).any())


def _motion(
    model: mujoco.MjModel, log: RobotLog, joints: Sequence[str], offsets: Mapping[str, float]
) -> tuple[Floats, Floats, Floats]:
    """(N, nq), (N, nv), (N, nv) smoothed recording: position, speed, acceleration."""
    count = len(log.time)
    position = np.tile(model.qpos0, (count, 1))
    speed, acceleration = np.zeros((count, model.nv)), np.zeros((count, model.nv))
    for joint in joints:
        line = log.position[:, log.column(joint)] + offsets.get(f"{joint}.position_offset", 0.0)
        at, dof = int(model.joint(joint).qposadr[0]), int(model.joint(joint).dofadr[0])
        position[:, at], speed[:, dof], acceleration[:, dof] = smoothed(log.time, line)
    return position, speed, acceleration


def smoothed(time: Floats, line: Floats) -> tuple[Floats, Floats, Floats]:
    """A line (N,), its rate and its rate's rate, smoothed on an even grid; time (N,) [s] rises."""
    step = float(time[-1]) / (len(time) - 1)
    grid: Floats = np.linspace(0.0, float(time[-1]), len(time))
    reach = int(np.ceil(4.0 * SAMPLES))
    window: Floats = np.exp(-0.5 * (np.arange(-reach, reach + 1) / SAMPLES) ** 2)
    around = np.pad(np.interp(grid, time, line), reach, mode="reflect", reflect_type="odd")
    smooth: Floats = np.convolve(around, window / window.sum(), mode="valid").astype(np.float64)
    rate: Floats = np.gradient(smooth, step)
    curve: Floats = np.gradient(rate, step)
    return (
        np.interp(time, grid, smooth),
        np.interp(time, grid, rate),
        np.interp(time, grid, curve),
    )
