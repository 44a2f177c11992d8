"""The load on each joint of a robot, as a point mass on an arm: the use that its plain numbers are for."""

from collections.abc import Mapping, Sequence
from math import pi
from pathlib import Path

import mujoco
import numpy as np

from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.joints import checked_joints
from pliant.engines.spec.messages import unlogged
from pliant.errors import located
from pliant.plain.use import GRAVITY, Load

PLACES = 9
"""Places of a joint along its range, or a turn, at which its gravity torque is looked at."""
LONGEST = 10.0
"""[m] Longest arm; that of a joint whose gravity torque is nothing, such as one about the vertical."""


def joint_loads(model: Path, joints: Sequence[str]) -> Mapping[str, Load]:
    """Joint to its load: its inertia and its largest gravity torque with the others in the reference pose.

    Raises:
        PliantError: the model cannot be read, or lacks a joint.
    """
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
