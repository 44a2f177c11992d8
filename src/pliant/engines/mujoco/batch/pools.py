"""Many simulations of one model that differ in its numbers, on threads; or one, whose whole state is told.

`Batch` of MuJoCo 3.17 and later, or, before it, `rollout` with a copy of the model for each. The
motion does not depend on the number of threads. Between the two it differs by the solver's
tolerance: `rollout` begins each call without the last solution.
"""

import copy
import ctypes
import importlib.util
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.engines.mujoco.plugin.table import library
from pliant.processes import processors

__all__ = ["BatchPool", "FollowedPool", "Pool", "RolloutPool", "has_batch", "pool", "silent"]


class Pool(Protocol):
    """n simulations of one model."""

    def write(self, field: str, values: NDArray[Any]) -> None:
        """Give a field of the model (n, …) values; "opt.…" is a field of its options."""
        ...

    def settle(self) -> None:
        """Derive the model's constants again: masses or armatures were written."""
        ...

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """Reset all, to positions (n, nq) and velocities (n, nv)."""
        ...

    def run(self, control: Floats) -> Floats:
        """(n, k, nu) controls of the next k steps to the positions (n, k, nq) after each."""
        ...


def pool(model: mujoco.MjModel, count: int, threads: int = 0) -> Pool:
    """The fastest pool that the installed MuJoCo has. `threads` 0 takes all processors."""
    workers = threads or processors()
    return (BatchPool if has_batch() else RolloutPool)(model, count, workers)


def has_batch() -> bool:
    """Whether this MuJoCo has `Batch` (3.17 and later)."""
    return importlib.util.find_spec("mujoco.batch") is not None


class BatchPool:
    """`mujoco.batch.Batch`: one model, and the fields that differ."""

    def __init__(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        from mujoco.batch import Batch

        self._batch: Any = Batch(model, count, nthread=threads)

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        self._batch.expand(field)[:] = values

    def settle(self) -> None:
        """See `Pool`."""
        self._batch.set_const()

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        self._batch.reset(stage=0)
        self._batch.qpos[:], self._batch.qvel[:] = qpos, qvel

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        return self._batch.rollout(control.shape[1], control)["qpos"]


class RolloutPool:
    """`mujoco.rollout`: as many models as simulations, as many data as threads."""

    def __init__(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        from mujoco.rollout import Rollout

        self._models = [copy.copy(model) for _ in range(count)]
        self._data = [mujoco.MjData(model) for _ in range(threads)]
        self._rollout: Any = Rollout(nthread=threads if threads > 1 else 0)
        self._spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self._state = np.empty((count, mujoco.mj_stateSize(model, self._spec)))
        self._warm = np.zeros((count, model.nv))

    def write(self, field: str, values: NDArray[Any]) -> None:
        """See `Pool`."""
        group, _, name = field.rpartition(".")
        for model, value in zip(self._models, values, strict=True):
            if group:
                setattr(model.opt, name, value)
            else:
                getattr(model, name)[...] = value

    def settle(self) -> None:
        """See `Pool`."""
        for model in self._models:
            mujoco.mj_setConst(model, self._data[0])

    def start(self, qpos: Floats, qvel: Floats) -> None:
        """See `Pool`."""
        data = self._data[0]
        for k, model in enumerate(self._models):
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = qpos[k], qvel[k]
            mujoco.mj_getState(model, data, self._state[k], self._spec)
        self._warm[:] = 0.0

    def run(self, control: Floats) -> Floats:
        """See `Pool`."""
        states, _ = self._rollout.rollout(
            self._models, self._data, self._state, control, initial_warmstart=self._warm
        )
        model = self._models[0]
        self._state = np.ascontiguousarray(states[:, -1])
        return states[:, :, 1 : 1 + model.nq]


@contextmanager
def silent() -> Generator[None]:
    """MuJoCo says nothing, and writes no log file, where a candidate is unstable.

    The handler is native, for the simulations' threads have no Python: a function of MuJoCo that takes
    a text, and does nothing but tell whether it is the name of a type.
    """
    handler = ctypes.c_void_p.in_dll(library(), "mju_user_warning")
    before = handler.value
    handler.value = ctypes.cast(library().mju_str2Type, ctypes.c_void_p).value
    try:
        yield
    finally:
        handler.value = before


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
