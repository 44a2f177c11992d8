"""A point on a robot, where it meets its surroundings."""

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate.robot_model import rigid_bodies


class EndPoint:
    """A point that moves with a body, and the world's axes along which it counts.

    Args:
        path: the URDF or MJCF file of the robot.
        body: its name; MuJoCo joins a URDF's link without a moving joint to the one that bears it.
        point: where it is, in the body's frame [m].
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
        """(k,) [m] along those of `axes` that are no turns."""
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
