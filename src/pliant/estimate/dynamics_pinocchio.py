"""Rigid-body terms from Pinocchio, whose derivatives are analytic.

The file is read by MuJoCo, as for `dynamics_mujoco`, and its bodies are handed over: both engines
then mean the same robot, with the same names, order, reference pose and rotor inertia.
"""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import pinocchio

from pliant.arrays import Floats
from pliant.estimate.dynamics_mujoco import OfModel

pin: Any = pinocchio


class PinocchioDynamics(OfModel):
    """`Dynamics` of the bodies of a compiled MuJoCo model."""

    def __init__(self, model: mujoco.MjModel, order: Sequence[str] | None = None) -> None:
        # Pinocchio numbers joints as they are added, which is MuJoCo's order.
        super().__init__(model, order)
        self.model = handed_over(model)
        self._data = self.model.createData()
        self._reference = model.qpos0[self._place].copy()
        ones = np.ones((self.n, self.n))
        self._triangle, self._above = np.triu(ones), np.triu(ones, 1)

    def mass(self, q: Floats) -> Floats:
        """M(q), of shape (n, n), with the reflected inertia of the rotors."""
        upper = np.triu(pin.crba(self.model, self._data, self._angles(q)))
        return self._matrix(upper + np.triu(upper, 1).T) + np.diag(self._armature)

    def coriolis(self, q: Floats, v: Floats) -> Floats:
        """C(q, v), of shape (n, n), such that Mdot = C + C^T."""
        pin.computeCoriolisMatrix(self.model, self._data, self._angles(q), self._own(v))
        return self._matrix(self._data.C)

    def gravity(self, q: Floats) -> Floats:
        """G(q), of shape (n,)."""
        found: Floats = pin.computeGeneralizedGravity(self.model, self._data, self._angles(q))
        return found[self._place]

    def inverse(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """ID = M a + C v + G, of shape (n,)."""
        own = self._angles(q), self._own(v), self._own(a)
        found: Floats = pin.rnea(self.model, self._data, *own)
        return found[self._place] + self._armature * a

    def rotatum(self, q: Floats, v: Floats, a: Floats, jerk: Floats) -> Floats:
        """The rate of ID: dID/dq v + dID/dv a + M jerk."""
        angles, speed, rate = self._angles(q), self._own(v), self._own(a)
        pin.computeRNEADerivatives(self.model, self._data, angles, speed, rate)
        found: Floats = self._data.dtau_dq @ speed + self._data.dtau_dv @ rate
        return found[self._place] + self.mass(q) @ jerk

    def place_terms(self, motion: Floats, out: Floats) -> None:
        """M v and G - C^T v into `out`, (2, n), for one motion, (4, n)."""
        angles, speed = self._angles(motion[0]), self._own(motion[1])
        gravity: Floats = pin.computeGeneralizedGravity(self.model, self._data, angles)
        out[1] = gravity[self._place]
        pin.computeCoriolisMatrix(self.model, self._data, angles, speed)
        out[1] -= (speed @ self._data.C)[self._place]
        upper: Floats = pin.crba(self.model, self._data, angles)
        momentum = self._triangle * upper @ speed + speed @ (self._above * upper)
        out[0] = momentum[self._place] + self._armature * motion[1]

    def _own(self, vector: Floats) -> Floats:
        own = np.empty(self.n)
        own[self._place] = vector
        return own

    def _angles(self, q: Floats) -> Floats:
        return self._own(np.asarray(q) - self._reference)

    def _matrix(self, own: Floats) -> Floats:
        return own[np.ix_(self._place, self._place)]


def handed_over(model: mujoco.MjModel) -> Any:
    """The Pinocchio model of the bodies of a compiled MuJoCo model of hinges and slides.

    Its angles are counted from the reference pose, and rotor inertia is left to the caller. The
    joints of a body move it one after the other, each about its own anchor.
    """
    built = pin.Model()
    built.gravity.linear = np.array(model.opt.gravity)
    parents, frames = {0: 0}, {0: pin.SE3.Identity()}
    for body in range(1, model.nbody):
        above = int(model.body_parentid[body])
        joint, frame = parents[above], frames[above] * _placed(model, body)
        for k in range(model.body_jntnum[body]):
            number = int(model.body_jntadr[body]) + k
            anchor = pin.SE3(np.eye(3), np.array(model.jnt_pos[number]))
            name = model.joint(number).name
            joint = built.addJoint(joint, _moves(model, number), frame * anchor, name)
            frame = anchor.inverse()
        parents[body], frames[body] = joint, frame
        if joint:
            built.appendBodyToJoint(joint, _inertia(model, body), frame)
    return built


def _placed(model: mujoco.MjModel, body: int) -> Any:
    return _frame(model.body_quat[body], model.body_pos[body])


def _frame(quaternion: Floats, position: Floats) -> Any:
    w, x, y, z = quaternion
    return pin.SE3(pin.Quaternion(w, x, y, z).normalized().matrix(), np.array(position))


def _moves(model: mujoco.MjModel, number: int) -> Any:
    axis = np.array(model.jnt_axis[number])
    slides = model.jnt_type[number] == mujoco.mjtJoint.mjJNT_SLIDE
    return (pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned)(axis)


def _inertia(model: mujoco.MjModel, body: int) -> Any:
    """Inertia in the body's frame, about its own centre of mass."""
    turned = _frame(model.body_iquat[body], model.body_ipos[body])
    about = turned.rotation @ np.diag(model.body_inertia[body]) @ turned.rotation.T
    return pin.Inertia(float(model.body_mass[body]), turned.translation, about)
