"""MuJoCo's own position servos with published numbers, for comparison with identified ones.

tau = clip(kp (goal - q) - kv v, +-force),  armature, damping and friction of the joint constant
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import mujoco
import numpy as np

from pliant.engines.mujoco.batch.pools import pool
from pliant.engines.mujoco.batch.robot_model import cleared
from pliant.engines.mujoco.model_file import load_model
from pliant.errors import located
from pliant.identification.problem.evaluation import RobotEvaluation, TraceError, compare
from pliant.io.robot_log import Recordings, RobotLog
from pliant.io.validated import Strict, read_toml, validated


class _Servo(Strict):
    name: str
    source: str
    kp: float
    kv: float = 0.0
    force: float = 1e3
    damping: float
    friction: float
    armature: float


class _Servos(Strict):
    servos: list[_Servo]


@dataclass(frozen=True, kw_only=True)
class PlainServo:
    """One position servo for every joint.

    Attributes:
        name, source: of the numbers. kp: [N m/rad]. kv: [N m s/rad]. force: largest [N m].
        damping: of the joint [N m s/rad]. friction: [N m]. armature: [kg m^2].
        delay: [s] of its commands; MuJoCo's has none here. speed: without load [rad/s].
    """

    name: str
    source: str
    kp: float
    kv: float
    force: float
    damping: float
    friction: float
    armature: float
    delay: float = 0.0
    speed: float = inf


def read_plain_servos(path: Path) -> list[PlainServo]:
    """The servos in a TOML file."""
    with located(path):
        file = validated(_Servos, read_toml(path))
    return [PlainServo(**dict(servo)) for servo in file.servos]


def evaluate_plain(
    path: Path, servo: PlainServo, logs: Sequence[RobotLog], joints: Sequence[str]
) -> RobotEvaluation:
    """Errors of a robot whose joints have MuJoCo's servo, open loop from the first sample.

    Args:
        path: MJCF or URDF. servo: of all joints. logs: recordings. joints: those that it drives.
    """
    model = _plain(path, servo, joints)
    recordings = Recordings(logs, joints)
    parts: list[np.ndarray] = []
    places = [int(model.joint(joint).qposadr[0]) for joint in joints]
    controls = [int(model.actuator(joint).id) for joint in joints]
    h = float(model.opt.timestep)
    for log in logs:
        columns = [log.column(joint) for joint in joints]
        grid = h * np.arange(int(np.ceil(log.time[-1] / h)))
        control = np.zeros((1, len(grid), model.nu))
        sample = np.searchsorted(log.time, grid + 1e-6 * h, side="right") - 1
        control[0, :, controls] = log.goal[sample][:, columns].T
        first = np.array(model.qpos0)
        first[places] = log.position[0, columns]
        one = pool(model, 1)
        one.start(first[None], np.zeros((1, model.nv)))
        run = np.concatenate([first[None], one.run(control)[0]])[:, places]
        at = h * np.arange(len(run))
        parts += [np.interp(log.time, at, line) for line in run.T]
    return compare(recordings.blocks, recordings, np.concatenate(parts))


def without_zeros(evaluation: RobotEvaluation) -> RobotEvaluation:
    """The same with the mean residual of each joint in each recording taken out."""
    entries: list[TraceError[RobotLog]] = []
    for entry in evaluation.entries:
        moved = entry.simulated - float(np.mean(entry.residual))
        mae = float(np.mean(np.abs(moved - entry.measured)))
        entries.append(dataclasses.replace(entry, simulated=moved, mae=mae))
    return RobotEvaluation(tuple(entries))


def compared(
    path: Path, servos: Sequence[PlainServo], logs: Sequence[RobotLog], joints: Sequence[str]
) -> Mapping[str, tuple[float, float]]:
    """Name of each set to its mean error [rad] as published, and with the zeros removed."""
    found: dict[str, tuple[float, float]] = {}
    for servo in servos:
        errors = evaluate_plain(path, servo, logs, joints)
        found[servo.name] = errors.mae, without_zeros(errors).mae
    return found


def _plain(path: Path, servo: PlainServo, joints: Sequence[str]) -> mujoco.MjModel:
    spec, _ = load_model(path)
    cleared(spec, joints)
    for name in joints:
        joint = spec.joint(name)
        joint.armature = servo.armature
        joint.damping = servo.damping + 0.0 * joint.damping
        joint.frictionloss = servo.friction
        added = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        added.gaintype = mujoco.mjtGain.mjGAIN_FIXED
        added.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        added.gainprm[0] = servo.kp
        added.biasprm[1:3] = -servo.kp, -servo.kv
        added.forcelimited = 1
        added.forcerange[:] = -servo.force, servo.force
    return spec.compile()
