"""Put measured joints into any MuJoCo environment of Gymnasium, in one line, with parameters drawn for each episode.

env = with_actuators(gymnasium.make("Ant-v5"), "mx106_bam_m6", timestep=0.0025)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import seeding
from numpy.typing import ArrayLike, NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.joints import takes_position
from pliant.engines.spec.placing import Wishes
from pliant.engines.spec.randomise import Draws, drawn_rows
from pliant.errors import PliantError, check_known

FIELDS = ("actuator_user", "actuator_dynprm", "dof_armature", "dof_frictionloss")
"""Model fields that draws write: the parameters, and everything that depends on them."""


class Randomiser:
    """Writer of draws into a model, or into the fields of many.

    Args:
        model: with the actuators attached. attachment: as returned by `attach`.
        draws: joint to parameter to its K values, or to a file of draws; row k of a joint is one
            set.

    Raises:
        PliantError: see `Attachment.randomise`.
    """

    def __init__(self, model: mujoco.MjModel, attachment: Attachment, draws: Draws) -> None:
        self._drawn = list(drawn_rows(attachment.joints, model, draws).values()) if draws else []

    def redraw(self, model: mujoco.MjModel, random: np.random.Generator) -> None:
        """Draw another row for each of the model's actuators."""
        if not self._drawn:
            return
        self.redraw_rows(
            {name: np.asarray(getattr(model, name))[None] for name in FIELDS}, 0, random
        )
        mujoco.mj_setConst(model, mujoco.MjData(model))

    def redraw_rows(
        self, fields: Mapping[str, Floats], ids: ArrayLike, random: np.random.Generator
    ) -> None:
        """The same for simulations `ids`, in fields with one row per simulation."""
        which = np.atleast_1d(np.asarray(ids))
        for rows in self._drawn:
            taken = random.integers(len(rows.user), size=len(which))
            for name, place, values in (
                ("actuator_user", rows.actuator, rows.user),
                ("actuator_dynprm", rows.actuator, rows.dynprm),
                ("dof_armature", rows.dof, rows.armature),
                ("dof_frictionloss", rows.dof, rows.frictionloss),
            ):
                if values is not None:
                    fields[name][which, place] = values[taken]


Action = NDArray[np.floating[Any]]
_NEEDED = ("model", "data", "fullpath", "frame_skip")
_STRAIGHT = np.pi
"""[rad] Range of goals, in both directions, on a joint without a range."""


# Long because every argument is documented.
def with_actuators(
    env: gymnasium.Env[Any, Any],
    actuators: str | Actuator | Mapping[str, Actuator | str],
    *,
    timestep: float | None = None,
    transmission: Mapping[str, float] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    draws: Draws | None = None,
) -> "ActuatedEnv":
    """The environment with these actuators instead of the model's.

    Actions are then commands scaled to -1 to 1: by default the joint's own range. Observation and reward
    stay the environment's; a cost on its actions becomes a cost on goals [rad]. The integrator RK4 becomes
    implicitfast, which friction that sticks needs.

    Args:
        env: a MuJoCo environment of Gymnasium, with `model`, `data`, `fullpath` and `frame_skip`.
        actuators: joint to actuator, or one for every joint that the model drives.
        timestep: [s] of the engine; the environment's own step keeps its length. None: the model's.
        transmission: joint to its travel per radian of the actuator, as in `pliant.attach`; a slide
            joint must have one [m].
        ranges: control ("hip", or "hip.preset" for a second command) to the bounds of its commands
            [SI units].
        draws: joint to parameter to values; each reset draws one row.

    Raises:
        PliantError: this is not a MuJoCo environment, its step is not a multiple of the timestep, a
            control has no range, or `attach` fails.
    """
    base: Any = getattr(env, "unwrapped", env)
    missing = [name for name in _NEEDED if not hasattr(base, name)]
    if missing:
        raise PliantError(
            "is not a MuJoCo environment",
            field=type(base).__name__,
            found=f"no {', '.join(missing)}",
            accepted="one like those of gymnasium.envs.mujoco",
        )
    spec = mujoco.MjSpec.from_file(str(base.fullpath))
    if spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    step = float(base.model.opt.timestep) * int(base.frame_skip)
    spec.option.timestep = timestep or float(base.model.opt.timestep)
    frames = round(step / float(spec.option.timestep))
    if frames < 1 or abs(frames * float(spec.option.timestep) - step) > 1e-9:
        raise PliantError(
            "must divide the environment's step",
            field="timestep",
            found=float(spec.option.timestep),
            accepted=f"{step:g} s over a whole number",
        )
    attachment = attach(
        spec,
        _chosen(spec, actuators),
        Wishes(replace=True, limits="joint", transmission=transmission or {}),
    )
    base.model = spec.compile()
    base.data = mujoco.MjData(base.model)
    base.frame_skip = frames
    if getattr(base, "mujoco_renderer", None) is not None:
        base.mujoco_renderer.model, base.mujoco_renderer.data = base.model, base.data
    return ActuatedEnv(env, attachment, _ends(base.model, attachment, ranges or {}), draws or {})


class ActuatedEnv(gymnasium.Wrapper[Any, Action, Any, Action]):
    """An environment with measured joints; `with_actuators` makes one.

    Attributes:
        attachment: what was attached; `str()` lists it. low, high: bounds of the commands.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        attachment: Attachment,
        ends: tuple[Floats, Floats],
        draws: Draws,
    ) -> None:
        super().__init__(env)
        self.attachment = attachment
        self.low, self.high = ends
        base: Any = env.unwrapped
        base.action_space = gymnasium.spaces.Box(
            self.low.astype(np.float32), self.high.astype(np.float32)
        )
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, self.low.shape, np.float32)
        self._randomiser = Randomiser(base.model, attachment, draws)

    @property
    def spec(self) -> EnvSpec | None:
        """The spec that recreates it, if it is one of Pliant's; a spec of Gymnasium's own would not."""
        found = self.env.unwrapped.spec
        return found if found is not None and found.namespace == "pliant" else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environment, with a new set of parameters if there are draws."""
        base: Any = self.env.unwrapped
        if seed is not None:
            base.np_random = seeding.np_random(seed)[0]
        self._randomiser.redraw(base.model, base.np_random)
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Action) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step of the environment under these actions, each between -1 and 1."""
        part = 0.5 * (np.clip(np.asarray(action, np.float64), -1.0, 1.0) + 1.0)
        return self.env.step(self.low + part * (self.high - self.low))


def _chosen(
    spec: mujoco.MjSpec, actuators: str | Actuator | Mapping[str, Actuator | str]
) -> Sequence[tuple[str, Actuator | str]]:
    """Joint to actuator; if one is for all joints, in the order of the model's controls."""
    if isinstance(actuators, Mapping):
        return [*actuators.items()]
    driven = [a.target for a in spec.actuators if a.trntype == mujoco.mjtTrn.mjTRN_JOINT]
    return [(joint, actuators) for joint in dict.fromkeys(driven)]


def _ends(
    model: Any, attachment: Attachment, ranges: Mapping[str, tuple[float, float]]
) -> tuple[Floats, Floats]:
    """Bounds of each control: as given, the model's, or half a turn in both directions for a goal."""
    names = [str(model.actuator(k).name) for k in range(model.nu)]
    for name in ranges:
        check_known(name, names, "no such control", "ranges")
    goals = {one.name for one in attachment.joints if takes_position(one.actuator)}
    low, high = np.zeros(model.nu), np.zeros(model.nu)
    for k, name in enumerate(names):
        if name in ranges:
            low[k], high[k] = ranges[name]
        elif model.actuator_ctrllimited[k]:
            low[k], high[k] = model.actuator_ctrlrange[k]
        elif name not in goals:
            raise PliantError(
                "needs a range",
                field=f"control {name}",
                accepted=f'ranges={{"{name}": (low, high)}}',
            )
        else:
            low[k], high[k] = -_STRAIGHT, _STRAIGHT
    return low, high


TIMESTEP = 0.0025
"""[s] Twenty steps per action, which then lasts as long as Gymnasium's."""


def ant(
    actuators: str | Actuator | Mapping[str, Actuator | str] = "mx106_bam_m6",
    draws: Draws | None = None,
    **options: Any,
) -> ActuatedEnv:
    """`Ant-v5` with goal positions of its eight joints as actions.

    Args:
        actuators: joint (hip_1, ankle_1, ...) to actuator, or one for all; by default an
            MX-106.
        draws: joint to parameter to values; each reset draws one row.
        options: of Gymnasium's environment. Actions cost nothing, as they are positions.

    Raises:
        PliantError: no such joint, actuator or parameter.
    """
    settings: dict[str, Any] = {"ctrl_cost_weight": 0.0, **options}
    made = gymnasium.make("Ant-v5", disable_env_checker=True, **settings)
    return with_actuators(made.unwrapped, actuators, timestep=TIMESTEP, draws=draws)
