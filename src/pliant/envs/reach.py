"""One arm that reaches: a Gymnasium environment on MuJoCo's own step."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.envs.arms import ARMS
from pliant.envs.randomise import Draws, Randomiser
from pliant.envs.task import FRAME_SKIP, WIDTH, Reach
from pliant.errors import PliantError

_NATIVE: Any = mujoco  # whose stubs here have no renderer
Action = NDArray[np.floating[Any]]


def reach_of(arm: str) -> Reach:
    """The task of an arm by its name.

    Raises:
        PliantError: there is none of that name.
    """
    if arm not in ARMS:
        raise PliantError("no such arm", field="arm", found=arm, accepted=ARMS)
    return Reach(ARMS[arm])


class ReachEnv(gymnasium.Env[Floats, Action]):
    """Bring the tip of an arm of two joints to a point, by goals of its servos.

    Args:
        arm: "ServoReach", two XL330, or "StiffnessReach", two qbmoves with a preset each.
        actuators: joint ("shoulder", "elbow") to another actuator, such as one identified.
        draws: joint to parameter ("motor.k_t") to values of which each reset takes one row.
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
        """A new target, a new start, and a new set of parameters where there are draws."""
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
