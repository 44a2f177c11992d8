"""Many arms that reach, stepped together by MuJoCo's batch on threads."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.pools import has_batch
from pliant.envs.randomise import FIELDS, Draws, Randomiser
from pliant.envs.reach import reach_of
from pliant.envs.task import FRAME_SKIP, WIDTH
from pliant.errors import PliantError
from pliant.processes import processors

Flags = NDArray[np.bool_]


class ReachVectorEnv(gymnasium.vector.VectorEnv[Floats, Floats, NDArray[Any]]):
    """As `ReachEnv`, `num_envs` of them; each finished one is reset in its next step.

    Args:
        num_envs: how many. threads: 0 takes all processors.
        max_episode_steps: after how many actions an episode is cut off.
        arm, actuators, draws: as of `ReachEnv`.

    Raises:
        PliantError: this MuJoCo has no `Batch` (3.17 and later), or see `ReachEnv`.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 Gymnasium's own

    def __init__(
        self,
        num_envs: int = 64,
        arm: str = "ServoReach",
        actuators: Mapping[str, Actuator | str] | None = None,
        draws: Draws | None = None,
        threads: int = 0,
        max_episode_steps: int = 150,
    ) -> None:
        if not has_batch():
            raise PliantError("this MuJoCo has no Batch", accepted="mujoco 3.17 or newer")
        from mujoco.batch import Batch

        self.task = reach_of(arm)
        self.num_envs, self._most = num_envs, max_episode_steps
        model, attachment = self.task.arm.model(actuators)
        self._nu = int(model.nu)
        self._batch: Any = Batch(model, num_envs, nthread=threads or processors())
        self._randomiser = Randomiser(model, attachment, draws or {})
        self._drawn = {name: self._batch.expand(name) for name in FIELDS} if draws else {}
        self._target = np.zeros((num_envs, 2))
        self._last = np.zeros((num_envs, self._nu))
        self._age = np.zeros(num_envs, np.int64)
        self._over = np.zeros(num_envs, np.bool_)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (WIDTH,), np.float64)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (self._nu,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """All begin anew."""
        super().reset(seed=seed)
        self._begin(np.arange(self.num_envs))
        return self._seen(), {}

    def step(self, actions: Floats) -> tuple[Floats, Floats, Flags, Flags, dict[str, Any]]:
        """Ten steps of 2 ms under one command each; the actions of those that begin anew are void."""
        given = np.asarray(actions, np.float64).reshape(self.num_envs, self._nu)
        fresh = np.flatnonzero(self._over)
        going = np.flatnonzero(~self._over)
        if len(fresh):
            self._begin(fresh)
        self._batch.ctrl[going] = self.task.arm.commands(given[going])
        self._batch.step(ids=going if len(fresh) else None, nstep=FRAME_SKIP)
        q = np.array(self._batch.qpos)
        rewards = self.task.rewards(q, self._target, given - self._last)
        rewards[fresh] = 0.0
        self._last[going] = given[going]
        self._age[going] += 1
        cut = self._age >= self._most
        self._over = cut
        info = {"distance": self.task.distances(q, self._target)}
        return self._seen(), rewards, np.zeros(self.num_envs, np.bool_), cut, info

    def _begin(self, ids: NDArray[np.int64]) -> None:
        if self._drawn:
            self._randomiser.redraw_rows(self._drawn, ids, self.np_random)
            self._batch.set_const()
        self._batch.reset(ids=ids, stage=0)
        start = self.task.start(len(ids), self.np_random)
        self._batch.qpos[ids] = start
        self._batch.qvel[ids] = 0.0
        commands = np.tile(self.task.arm.commands(np.zeros(self._nu)), (len(ids), 1))
        commands[:, :2] = start
        self._batch.ctrl[ids] = commands
        self._target[ids] = self.task.targets(len(ids), self.np_random)
        self._last[ids], self._age[ids], self._over[ids] = 0.0, 0, False

    def _seen(self) -> Floats:
        return self.task.observations(
            np.array(self._batch.qpos), np.array(self._batch.qvel), self._target
        )
