"""Sites pushed along a direction in the frame of others: mobility, and whether the push is the length's.

MuJoCo's force between sites acts along the direction as it is now. Where the frame that it is
measured in turns by joints of its own, or both turn about several axes, the length changes otherwise
than that force does work: a spring there gains or loses energy.
"""

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats

__all__ = ["along", "astray"]

_NATIVE: Any = mujoco
POSES = 24
"""Poses beside the reference pose, drawn anew alike for every model."""
FAR = 1.0
"""[rad, m] Joints without a range are this far from the reference pose at most."""
_STEP = 1e-5
"""[s] Of the differences, at velocities of about 1 rad/s: rounding is 1e-10 of the length then."""


def along(model: mujoco.MjModel, actuator: int) -> float:
    """Largest mobility [1/(kg m^2), 1/kg] along the direction of an actuator between sites, all free.

    Of the reference pose and of others: in one pose alone a stretched leg would be rigid.
    """
    data: Any = mujoco.MjData(model)
    output = _output(model, actuator)
    moved = np.zeros((1, model.nv))
    found: list[float] = []
    for q in _poses(model):
        _placed(model, data, q)
        _NATIVE.mj_crb(model, data)
        _NATIVE.mj_factorM(model, data)
        pull = _pull(model, data, output)
        _NATIVE.mj_solveM(model, data, moved, pull[None])
        found.append(float(moved[0] @ pull))
    return max(found)


def astray(model: mujoco.MjModel, actuator: int) -> float:
    """Part of the length's rate (root mean square over poses) in which MuJoCo's force does no work."""
    data: Any = mujoco.MjData(model)
    random, output = np.random.default_rng(1), _output(model, actuator)
    rates: list[tuple[float, float]] = []
    for q in _poses(model):
        v = random.standard_normal(model.nv)
        _placed(model, data, q)
        worked = float(_pull(model, data, output) @ v)
        ends: list[float] = []
        for h in (-_STEP, _STEP):
            there = q.copy()
            _NATIVE.mj_integratePos(model, there, v, h)
            _placed(model, data, there)
            ends.append(float(data.actuator_length[output]))
        rates.append(((ends[1] - ends[0]) / (2.0 * _STEP) / _norm(model, output), worked))
    length, force = np.array(rates).T
    whole = max(float(np.linalg.norm(length)), float(np.linalg.norm(force)))
    return float(np.linalg.norm(length - force)) / whole if whole > 0.0 else 0.0


def _poses(model: mujoco.MjModel) -> Iterator[Floats]:
    m: Any = model
    yield m.qpos0.copy()
    random = np.random.default_rng(0)
    for _ in range(POSES):
        q = m.qpos0.copy()
        _NATIVE.mj_integratePos(model, q, random.uniform(-FAR, FAR, model.nv), 1.0)
        for joint in np.flatnonzero(m.jnt_limited):
            if m.jnt_type[joint] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                q[m.jnt_qposadr[joint]] = random.uniform(*m.jnt_range[joint])
        yield q


def _placed(model: mujoco.MjModel, data: Any, q: Floats) -> None:
    data.qpos[:] = q
    for stage in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_transmission"):
        getattr(_NATIVE, stage)(model, data)


def _output(model: mujoco.MjModel, actuator: int) -> int:
    """Row of its length, moment and gear."""
    return int(model.actuator_outadr[actuator])


def _pull(model: mujoco.MjModel, data: Any, output: int) -> Floats:
    """(nv,) What a force of 1 along the direction does to each degree of freedom."""
    row, first = np.zeros(model.nv), int(data.moment_rowadr[output])
    there = slice(first, first + int(data.moment_rownnz[output]))
    row[data.moment_colind[there]] = data.actuator_moment[there]
    return row / _norm(model, output)


def _norm(model: mujoco.MjModel, output: int) -> float:
    return float(np.linalg.norm(model.actuator_gear[output]))
