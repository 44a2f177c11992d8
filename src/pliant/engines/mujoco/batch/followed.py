"""One simulation of a robot, stepped in Python, whose whole state is told on the way."""

import copy
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats

__all__ = ["FollowedPool"]


class FollowedPool:
    """A `Pool` of one: `note` gets its data at the start and after each step.

    `ended` is called after the last step before the model's numbers may change: supply, torque off.

    Args:
        model: compiled; it is copied.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = copy.copy(model)
        self.note: Callable[[mujoco.MjData], None] = _ignored
        self.ended: Callable[[], None] = _done
        self._data = mujoco.MjData(self.model)

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        group, _, name = field.rpartition(".")
        if group:
            setattr(self.model.opt, name, values[0])
        else:
            getattr(self.model, name)[...] = values[0]

    def settle(self) -> None:
        """See `Pool`."""
        mujoco.mj_setConst(self.model, self._data)

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        mujoco.mj_resetData(self.model, self._data)
        self._data.qpos[:], self._data.qvel[:] = qpos[0], qvel[0]
        self.note(self._data)

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        found = np.empty((1, control.shape[1], self.model.nq))
        for k, told in enumerate(control[0]):
            self._data.ctrl[:] = told
            mujoco.mj_step(self.model, self._data)
            found[0, k] = self._data.qpos
            self.note(self._data)
        self.ended()
        return found


def _ignored(data: mujoco.MjData) -> None:
    pass


def _done() -> None:
    pass
