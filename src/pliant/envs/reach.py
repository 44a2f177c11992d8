"""Arms that reach: one on MuJoCo's own step, many stepped in threads by its batch."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.pools import has_batch
from pliant.envs.arms import ARMS, FRAME_SKIP, WIDTH, Reach
from pliant.envs.wrap import FIELDS, Draws, Randomiser
from pliant.errors import PliantError, check_known
from pliant.processes import processors

_NATIVE: Any = mujoco  # whose stubs here have no renderer
Action = NDArray[np.floating[Any]]


def reach_of(arm: str) -> Reach:
    """The task for an arm's name."""
    check_known(arm, ARMS, "no such arm", "arm")
    return Reach(ARMS[arm])


class ReachEnv(gymnasium.Env[Floats, Action]):
    """Bring the tip of an arm with two joints to a point, by the goals of its servos.

    Args:
        arm: "ServoReach", two XL330, or "StiffnessReach", two qbmoves with a preset each.
        actuators: joint ("shoulder", "elbow") to another actuator, such as one identified.
        draws: joint to parameter ("motor.k_t") to values; each reset uses one row.
        render_mode: "rgb_array", or None.

    Raises:
        PliantError: no such arm, joint, actuator or parameter.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012 Gymnasium's own

    def __init__(
        self,
        arm: str = "ServoReach",
        actuators: Mapping[str, Actuator | str] | None = None,
        draws: Draws | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.task = reach_of(arm)
        self.model, attachment = self.task.arm.model(actuators)
        self.data = mujoco.MjData(self.model)
        self.render_mode = render_mode
        self._randomiser = Randomiser(self.model, attachment, draws or {})
        self._renderer: Any = None
        self._target = np.zeros(2)
        self._last = np.zeros(self.model.nu)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (WIDTH,), np.float64)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.model.nu,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """A new target, a new start, and a new set of parameters if there are draws."""
        super().reset(seed=seed)
        self._randomiser.redraw(self.model, self.np_random)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.task.start(1, self.np_random)[0]
        self.data.ctrl[:] = self.task.arm.commands(np.zeros(self.model.nu))
        self.data.ctrl[:2] = self.data.qpos
        mujoco.mj_forward(self.model, self.data)
        self._target = self.task.targets(1, self.np_random)[0]
        self._last = np.zeros(self.model.nu)
        return self._seen(), {}

    def step(self, action: Action) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Ten steps of 2 ms under one command."""
        given = np.asarray(action, np.float64)
        self.data.ctrl[:] = self.task.arm.commands(given)
        mujoco.mj_step(self.model, self.data, nstep=FRAME_SKIP)
        q, change = np.array(self.data.qpos), given - self._last
        self._last = given
        reward = float(self.task.rewards(q, self._target, change))
        distance = float(self.task.distances(q, self._target))
        return self._seen(), reward, False, False, {"distance": distance}

    def render(self) -> NDArray[np.uint8] | None:
        """(H, W, 3) picture, with `render_mode` "rgb_array"."""
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = _NATIVE.Renderer(self.model, 240, 320)
        self._renderer.update_scene(self.data)
        return self._renderer.render()

    def close(self) -> None:
        """Free the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _seen(self) -> Floats:
        return self.task.observations(
            np.array(self.data.qpos), np.array(self.data.qvel), self._target
        )


Flags = NDArray[np.bool_]


class ReachVectorEnv(gymnasium.vector.VectorEnv[Floats, Floats, NDArray[Any]]):
    """`num_envs` copies of `ReachEnv`; each finished one is reset in its next step.

    Args:
        num_envs: number of environments. threads: 0 uses all processors.
        max_episode_steps: number of actions after which an episode is truncated.
        arm, actuators, draws: as for `ReachEnv`.

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
        """Reset all environments."""
        super().reset(seed=seed)
        self._begin(np.arange(self.num_envs))
        return self._seen(), {}

    def step(self, actions: Floats) -> tuple[Floats, Floats, Flags, Flags, dict[str, Any]]:
        """Ten steps of 2 ms under one command each; actions of environments being reset are ignored."""
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
