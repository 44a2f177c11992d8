"""Motions of a joint on a pendulum under a stated load, to which plain numbers are fitted and tested."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.joints import checked_joints
from pliant.engines.spec.messages import unlogged
from pliant.errors import PliantError, located
from pliant.io.log import Log
from pliant.plain.servo import gain_of, plain_actuator
from pliant.record.design import MOTIONS, USUAL, Motion

SAMPLE, REACH = 0.01, 1.0
"""[s] Between samples, [rad] of the motions to each side."""
ARM, PARTS, GRAVITY = 0.15, (0.1, 0.35), 9.81
"""[m] Arm of the default loads, the fractions of the torque that they need, [m/s^2]."""
GENTLE = [motion for name, motion in MOTIONS.items() if name != "full"]
"""Without steps from end to end, which drive any servo to its limits: their errors would outweigh the rest."""


@dataclass(frozen=True)
class Load:
    """A point mass [kg] on an arm [m]."""

    mass: float
    length: float

    @classmethod
    def read(cls, text: str) -> "Load":
        """Parse a load such as `0.5@0.1`.

        Raises:
            PliantError: it is not a load.
        """
        mass, _, length = text.partition("@")
        try:
            load = cls(float(mass), float(length))
        except ValueError:
            load = cls(0.0, 0.0)
        if not (0.0 < load.mass < 1e4 and 0.0 < load.length < 1e2):
            accepted = "KG@M, such as 0.5@0.1"
            raise PliantError("is not a load", field="load", found=text, accepted=accepted)
        return load

    def __str__(self) -> str:
        return f"{self.mass:.3g} kg at {self.length:.3g} m"

    def times(self, factor: float) -> "Load":
        """The same arm with another mass."""
        return Load(factor * self.mass, self.length)


def usual_loads(whole: Actuator) -> list[Load]:
    """A light and a heavy default load for an actuator."""
    torque = plain_actuator(whole).value("control.limit")
    return [Load(part * torque / (GRAVITY * ARM), ARM) for part in PARTS]


def logs_to_fit(whole: Actuator, loads: Sequence[Load]) -> list[Log]:
    """Logs of `whole` in the standard motions of an identification: reversals, rests, torque off."""
    return moved(whole, [_log(whole, x, load) for load in loads for x in GENTLE])


def logs_to_judge(whole: Actuator, loads: Sequence[Load]) -> list[Log]:
    """Logs of it in other motions, not used in any fit."""
    return moved(whole, [_log(whole, x, load) for load in loads for x in USUAL.values()])


def moved(actuator: Actuator, logs: Iterable[Log]) -> list[Log]:
    """The logs with positions replaced by the motion of `actuator` under their commands."""
    logs = list(logs)
    engine = JointEngine(actuator)
    batch = LogBatch(logs, engine)
    positions = batch.per_block(engine.batch(engine.values()[None], batch)[0])
    return [
        dataclasses.replace(log, position=line[0])
        for log, line in zip(logs, positions, strict=True)
    ]


def _log(whole: Actuator, motion: Motion, load: Load) -> Log:
    time = np.arange(0.0, motion.seconds, SAMPLE)
    goal = np.array([motion.goal(float(t), REACH) for t in time])
    return Log(
        name=f"{motion.name}, {load}",
        path=Path(motion.name),
        digest="",
        device=whole.device,
        trajectory=motion.name,
        mass=load.mass,
        length=load.length,
        arm_mass=0.0,
        gain=gain_of(whole),
        supply=None,
        time=time,
        position=np.full(len(time), goal[0]),
        goal=goal,
        enabled=np.array([motion.enabled(float(t)) for t in time]),
        velocity=None,
        voltage=None,
        zero=0.0,
    )


PLACES = 9
"""Number of positions along a joint's range, or one turn, at which its gravity torque is evaluated."""
LONGEST = 10.0
"""[m] Longest arm, used for joints without gravity torque, such as those about the vertical."""


def joint_loads(model: Path, joints: Sequence[str]) -> Mapping[str, Load]:
    """Joint to its load: its inertia and largest gravity torque, with the other joints in the reference pose."""
    with located(model), unlogged():
        spec, _ = load_model(model)
        checked_joints(spec, joints)
        compiled = spec.compile()
    return {joint: _load(compiled, joint) for joint in joints}


def _load(model: mujoco.MjModel, name: str) -> Load:
    joint, data = model.joint(name), mujoco.MjData(model)
    place, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
    low, high = joint.range if model.jnt_limited[joint.id] else (-pi, pi)
    torque = inertia = 0.0
    unit, column = np.zeros(model.nv), np.zeros(model.nv)
    unit[dof] = 1.0
    for q in np.linspace(low, high, PLACES):
        data.qpos[:] = model.qpos0
        data.qpos[place] = q
        mujoco.mj_forward(model, data)
        torque = max(torque, abs(float(data.qfrc_bias[dof])))
        mujoco.mj_mulM(model, data, column, unit)
        inertia = max(inertia, float(column[dof] - model.dof_armature[dof]))
    length = min(inertia * GRAVITY / torque, LONGEST) if torque > 0.0 else LONGEST
    length = max(length, 1e-3)
    return Load(max(inertia, 1e-9) / length**2, length)
