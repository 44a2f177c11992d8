"""Models of robots as MuJoCo reads them, and their rigid-body terms."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.messages import refusal
from pliant.errors import PliantError, located

ONE_DOF = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_APART = (
    "actuators sensors equalities tendons pairs excludes keys tuples skins flexes lights "
    "cameras textures materials"
).split()


def rigid_bodies(path: str | Path, joints: Sequence[str] | None = None) -> mujoco.MjModel:
    """The compiled rigid bodies of a model file.

    Args:
        path: URDF or MJCF; documents with entities are refused.
        joints: the joints to keep, in any order; the others are welded in their reference pose.
            By default all, which must have one degree of freedom each.

    Raises:
        PliantError: the file is refused, a joint is not in it, is not named, or has not one
            degree of freedom, or there is none.
    """
    path = Path(path)
    if not path.is_file():
        raise PliantError("no such model file", file=path)
    spec, _ = load_measured(path)
    for element in chain(*(getattr(spec, kind) for kind in _APART)):
        spec.delete(element)
    _without_pictures(spec)
    with located(path):
        _keep(spec, joints)
        try:
            return spec.compile()
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise refusal(error) from None


def _without_pictures(spec: mujoco.MjSpec) -> None:
    """Drop what only shows or touches: geoms of bodies whose inertia is given."""
    compiler: Any = spec.compiler
    for body in spec.bodies:
        if body.explicitinertial and compiler.inertiafromgeom != 1:
            for geom in list(body.geoms):
                spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)


def _keep(spec: mujoco.MjSpec, joints: Sequence[str] | None) -> None:
    names = [joint.name for joint in spec.joints]
    for name in joints or ():
        if name not in names:
            raise PliantError(
                "no such joint",
                field="joints",
                found=name,
                accepted=[known for known in names if known],
            )
    for joint in list(spec.joints):
        if joints is not None and joint.name not in joints:
            spec.delete(joint)
        elif joint.type not in ONE_DOF:
            raise PliantError(
                "has more than one degree of freedom",
                field=f"joint {joint.name}".strip(),
                found=joint.type.name.removeprefix("mjJNT_").lower(),
                accepted="hinge or slide, or joints= without it",
            )
        elif not joint.name:
            raise PliantError("a joint has no name")
    if not spec.joints:
        raise PliantError("has no joints")


SHARE = 1e-3
"""[rad] What the fastest joint moves between the samples of a numerical derivative."""


class OfModel:
    """Joints of a compiled model, hinges and slides, in an order of their own.

    Attributes:
        names: (n,) of the joints.
    """

    def __init__(self, model: mujoco.MjModel, order: Sequence[str] | None = None) -> None:
        own = [model.joint(k).name for k in range(model.njnt)]
        self.names = tuple(own if order is None else order)
        self.n = len(self.names)
        self._place = np.array([own.index(name) for name in self.names])
        self._armature = model.dof_armature[self._place].copy()

    @classmethod
    def load(cls, path: str | Path, joints: Sequence[str] | None = None) -> Self:
        """The dynamics in a URDF or MJCF file; see `load_dynamics`."""
        return cls(rigid_bodies(path, joints), joints)


class MujocoDynamics(OfModel):
    """`Dynamics` of a compiled model; its joints are hinges and slides."""

    def __init__(self, model: mujoco.MjModel, order: Sequence[str] | None = None) -> None:
        super().__init__(model, order)
        self.model, self._data = model, mujoco.MjData(model)
        self._result, self._speed = np.empty(self.n), np.empty(self.n)
        self._full = np.empty((self.n, self.n))

    def mass(self, q: Floats) -> Floats:
        """M(q), of shape (n, n), with the reflected inertia of the rotors."""
        self._pose(q)
        mujoco.mj_crb(self.model, self._data)
        mujoco.mj_makeM(self.model, self._data)
        mujoco.mj_fullM(self.model, self._data, self._full)
        return self._full[np.ix_(self._place, self._place)]

    def coriolis(self, q: Floats, v: Floats) -> Floats:
        """C(q, v), of shape (n, n): the Christoffel symbols, by polarising the bias torque.

        c(q, v) = C(q, v) v is a quadratic form in v, hence C(q, v) e = [c(v + e) - c(v - e)] / 4.
        A unit vector e as long as v keeps the difference exact to rounding.
        """
        C = np.zeros((self.n, self.n))
        length = float(np.abs(v).max())
        if length == 0.0:
            return C
        self._pose(q)
        step = np.zeros(self.n)
        for j in range(self.n):
            step[j] = length
            C[:, j] = (self._bias(v + step) - self._bias(v - step)) / (4.0 * length)
            step[j] = 0.0
        return C

    def gravity(self, q: Floats) -> Floats:
        """G(q), of shape (n,)."""
        self._pose(q)
        return self._bias(np.zeros(self.n))

    def inverse(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """ID = M a + C v + G, of shape (n,)."""
        self._pose(q)
        self._data.qacc[self._place] = a
        return self._bias(v, accelerated=True) + self._armature * a

    def rotatum(self, q: Floats, v: Floats, a: Floats, jerk: Floats) -> Floats:
        """The rate of ID along q + v h + a h^2/2 + jerk h^3/6, by a difference of fourth order."""
        fastest = max(float(np.abs(v).sum()), float(np.abs(a).sum()) ** 0.5, 1.0)
        h = SHARE / fastest

        def along(s: float) -> Floats:
            return self.inverse(
                q + s * (v + s * (a / 2.0 + s * jerk / 6.0)),
                v + s * (a + s * jerk / 2.0),
                a + s * jerk,
            )

        near, far = along(h) - along(-h), along(2.0 * h) - along(-2.0 * h)
        return (8.0 * near - far) / (12.0 * h)

    def place_terms(self, motion: Floats, out: Floats) -> None:
        """M v and G - C^T v into `out`, (2, n), for one motion, (4, n); all in one pose.

        (C^T v)_j = v . C e_j, with C e_j as in `coriolis`.
        """
        v = motion[1]
        self._pose(motion[0])
        mujoco.mj_crb(self.model, self._data)
        mujoco.mj_makeM(self.model, self._data)
        self._speed[self._place] = v
        mujoco.mj_mulM(self.model, self._data, self._result, self._speed)
        out[0] = self._result[self._place]
        out[1] = self._bias(np.zeros(self.n))
        length = float(np.abs(v).max())
        if length == 0.0:
            return
        step = np.zeros(self.n)
        for j in range(self.n):
            step[j] = length
            out[1, j] -= v @ (self._bias(v + step) - self._bias(v - step)) / (4.0 * length)
            step[j] = 0.0

    def _pose(self, q: Floats) -> None:
        self._data.qpos[self._place] = q
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)

    def _bias(self, v: Floats, *, accelerated: bool = False) -> Floats:
        self._data.qvel[self._place] = v
        mujoco.mj_comVel(self.model, self._data)
        mujoco.mj_rne(self.model, self._data, int(accelerated), self._result)
        return self._result[self._place]
