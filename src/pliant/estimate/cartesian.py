"""Stiffness at the end point of a robot, from the stiffness of its joints.

    sigma_c = J^-T (sigma + K_g) J^-1               stiffness form: J square
    C_c     = J (sigma + K_g)^-1 J^T                compliance form: any J, redundant arms too
    K_g     = dG/dq - d(J^T f)/dq                   stiffness estimation: section 8

f is the force on the robot, and the motors are held: the result is the arm's deflection under an
additional force while the motors stay.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.errors import PliantError, check_known
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.dynamics_mujoco import rigid_bodies


class EndPoint:
    """A point fixed to a body, and the world axes considered.

    Args:
        path: the URDF or MJCF file of the robot.
        body: its name; MuJoCo merges a URDF's link without a moving joint into its parent.
        point: its position in the body's frame [m].
        axes: of the world, 0, 1, 2 for x, y, z, and 3, 4, 5 for turns about them: two of the former for an
            arm in a plane, all six for a wrench.
        joints: as for `load_dynamics`.

    Raises:
        PliantError: the model is refused, or has no such body.
    """

    def __init__(
        self,
        path: str | Path,
        body: str,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        axes: Sequence[int] = (0, 1, 2),
        joints: Sequence[str] | None = None,
    ) -> None:
        self.model = rigid_bodies(path, joints)
        names = [self.model.body(k).name for k in range(1, self.model.nbody)]
        if body not in names:
            raise PliantError("no such body", file=path, field="body", found=body, accepted=names)
        if not axes or len(set(axes)) < len(axes) or not set(axes) <= set(range(6)):
            raise PliantError(
                "are not axes",
                field="axes",
                found=tuple(axes),
                accepted="some of 0 to 5, each once",
            )
        own = [self.model.joint(k).name for k in range(self.model.njnt)]
        self.names = tuple(own if joints is None else joints)
        self.axes = list(axes)
        self._body = self.model.body(body).id
        self._point = np.asarray(point, np.float64)
        self._place = np.array([own.index(name) for name in self.names])
        self._data = mujoco.MjData(self.model)

    def position(self, q: Floats) -> Floats:
        """(k,) [m] along those of `axes` that are not rotations."""
        self._pose(q)
        return self._world()[[axis for axis in self.axes if axis < 3]]

    def jacobian(self, q: Floats) -> Floats:
        """(m, n) Velocity along and about `axes` for each joint's [m/rad, 1] at q (n,) [rad]."""
        self._pose(q)
        mujoco.mj_comPos(self.model, self._data)
        place, turn = np.zeros((2, 3, self.model.nv))
        mujoco.mj_jac(self.model, self._data, place, turn, self._world(), self._body)
        return np.concatenate([place, turn])[self.axes][:, self._place]

    def _pose(self, q: Floats) -> None:
        self._data.qpos[self._place] = q
        mujoco.mj_kinematics(self.model, self._data)

    def _world(self) -> Floats:
        turned = self._data.xmat[self._body].reshape(3, 3) @ self._point
        return self._data.xpos[self._body] + turned


Form = Literal["auto", "stiffness", "compliance"]

STEP = 1e-3
"""[rad] Step of the numerical derivatives with respect to q, which are of fourth order."""
SINGULAR = 1e10
"""Largest condition number of a matrix that is inverted."""


class Tip(Protocol):
    """Point of an arm with a Jacobian: `EndPoint`, or another source of kinematics."""

    def jacobian(self, q: Floats) -> Floats:
        """(m, n)."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class CartesianStiffness:
    """Compliance and stiffness of an arm at its end point.

    Attributes:
        compliance: (m, m) [m/N]; with turns [m, rad] over [N, N m].
        stiffness: (m, m) [N/m]; with turns [N, N m] over [m, rad]; None if the arm cannot move along some
            direction.
        geometric: (n, n) [N m/rad] K_g, due to load and gravity.
        form: the form used.
    """

    compliance: Floats
    stiffness: Floats | None
    geometric: Floats
    form: Literal["stiffness", "compliance"]

    @property
    def asymmetric(self) -> Floats | None:
        """(m, m) (K - K^T) / 2 of the stiffness K: 0 under a force, not under a moment.

        Trumić et al. 2022, Remark 2; Ciblak and Lipkin 1994.
        """
        return None if self.stiffness is None else 0.5 * (self.stiffness - self.stiffness.T)


def cartesian_stiffness(
    sigma: ArrayLike,
    q: ArrayLike,
    dynamics: Dynamics,
    tip: Tip,
    *,
    force: ArrayLike | None = None,
    form: Form = "auto",
) -> CartesianStiffness:
    """The stiffness at an end point of an arm at rest.

    Args:
        sigma: (n,) [N m/rad] of the joints, such as an estimator's, or (n, n) where they are
            coupled.
        q: (n,) [rad] the pose.
        dynamics: whose gravity acts; see `load_dynamics`.
        tip: whose Jacobian is (m, n); see `EndPoint`.
        force: (m,) [N], and moments [N m] about rotational axes, on the robot at the tip, fixed in the world;
            by default none.
        form: "auto" is the stiffness form for a square, regular Jacobian, else the compliance form.

    Raises:
        PliantError: a size does not fit, the stiffness form is asked for and the Jacobian is not
            square or is singular, or the arm would collapse: sigma + K_g is not positive definite.
    """
    pose = np.asarray(q, np.float64)
    _check_shape("q", pose, (dynamics.n,), dynamics)
    J = tip.jacobian(pose)
    if J.shape[1] != dynamics.n:
        raise PliantError(
            "the end point belongs to a robot with other joints",
            field="tip",
            found=J.shape[1],
            accepted=f"{dynamics.n} joints",
        )
    load = np.zeros(len(J)) if force is None else np.asarray(force, np.float64)
    _check_shape("force", load, (len(J),), dynamics)
    geometric = geometric_stiffness(pose, dynamics, tip, load)
    total = _joint(sigma, dynamics) + geometric
    _check_stable(total)
    if _regular(J, form):
        inverse = _inverted(J)
        stiffness = inverse.T @ total @ inverse
        compliance = _inverted(stiffness)
        return CartesianStiffness(
            compliance=compliance, stiffness=stiffness, geometric=geometric, form="stiffness"
        )
    compliance = J @ np.linalg.solve(total, J.T)
    stiffness = _inverted(compliance) if np.linalg.cond(compliance) < SINGULAR else None
    return CartesianStiffness(
        compliance=compliance, stiffness=stiffness, geometric=geometric, form="compliance"
    )


def geometric_stiffness(q: Floats, dynamics: Dynamics, tip: Tip, force: Floats) -> Floats:
    """(n, n) K_g = dG/dq - d(J^T f)/dq [N m/rad]."""
    return derivative(lambda at: dynamics.gravity(at) - tip.jacobian(at).T @ force, q)


def derivative(function: Callable[[Floats], Floats], q: Floats) -> Floats:
    """(m, n) The Jacobian of `function`, by central differences of fourth order."""
    columns: list[Floats] = []
    for k in range(len(q)):
        step = np.zeros(len(q))
        step[k] = STEP
        near = function(q + step) - function(q - step)
        far = function(q + 2.0 * step) - function(q - 2.0 * step)
        columns.append((8.0 * near - far) / (12.0 * STEP))
    return np.column_stack(columns)


def _inverted(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _joint(sigma: ArrayLike, dynamics: Dynamics) -> Floats:
    found = np.asarray(sigma, np.float64)
    if found.ndim == 2:
        _check_shape("sigma", found, (dynamics.n, dynamics.n), dynamics)
        return found
    _check_shape("sigma", found, (dynamics.n,), dynamics)
    return np.diag(found)


def _check_shape(name: str, found: Floats, shape: tuple[int, ...], dynamics: Dynamics) -> None:
    if found.shape != shape:
        raise PliantError(
            "does not fit the robot",
            field=name,
            found=found.shape,
            accepted=f"{shape}, joints {', '.join(dynamics.names)}",
        )
    if not np.isfinite(found).all():
        raise PliantError("is not finite", field=name, found=found.tolist())


def _check_stable(total: Floats) -> None:
    least = float(np.linalg.eigvalsh(0.5 * (total + total.T)).min())
    if least <= 0.0:
        raise PliantError(
            "the arm would collapse under this load: joint stiffness, gravity and load together "
            "are not positive definite",
            field="sigma",
            found=f"smallest eigenvalue {least:.4g}",
            accepted="stiffer joints, or a smaller load",
        )


def _regular(jacobian: Floats, form: Form) -> bool:
    """Whether the stiffness form is to be used."""
    check_known(form, ["auto", "stiffness", "compliance"], "is not a form", "form")
    rows, joints = jacobian.shape
    square = rows == joints
    regular = square and float(np.linalg.cond(jacobian)) < SINGULAR
    if form == "stiffness" and not regular:
        found = "a singular one" if square else f"{rows} x {joints}"
        raise PliantError(
            "the stiffness form needs a square, regular Jacobian",
            field="form",
            found=found,
            accepted='"compliance"',
        )
    return regular and form != "compliance"
