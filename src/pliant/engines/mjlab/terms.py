"""Terms for mjlab's managers: what actuators do and are, and others in each episode.

mjlab captures its step when `Simulation` is made, before the actuators can be hung into the model.
What was captured then runs without them, and says nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import warp as wp
from mjlab.managers.manager_base import ManagerTermBase
from numpy.typing import ArrayLike

from pliant.engines.mjlab.actuator import PliantActuator
from pliant.errors import PliantError


def capture(env: Any) -> None:
    """Capture the step again, with the actuators. Nothing to do on the CPU.

    Args:
        env: an environment of mjlab, or its `Simulation`.
    """
    simulation = getattr(getattr(env, "unwrapped", env), "sim", env)
    simulation.create_graph()


def groups(env: Any, entity_name: str) -> list[PliantActuator]:
    """The groups of actuators of Pliant in an entity.

    Raises:
        PliantError: it has none.
    """
    found = [a for a in env.scene[entity_name].actuators if isinstance(a, PliantActuator)]
    if not found:
        raise PliantError("has no actuators of Pliant", field=f"entity {entity_name}")
    return found


Draws = Mapping[str, Mapping[str, ArrayLike]]


def actuator_torque(env: Any, entity_name: str = "robot") -> torch.Tensor:
    """(num_envs, joints) torque [N m] of the actuators in the last step, without friction."""
    numbers = [n for group in groups(env, entity_name) for n in _numbers(group)]
    return env.sim.data.actuator_force[:, numbers]


def actuator_state(env: Any, name: str, entity_name: str = "robot") -> torch.Tensor:
    """(num_envs, joints) an entry of the actuators' state, such as `rotor.theta` [SI units].

    Raises:
        PliantError: an actuator of the entity has no such state.
    """
    columns = [
        group.running.state_column(joint, name)
        for group in groups(env, entity_name)
        for joint in group.joints
    ]
    return env.sim.data.act[:, columns]


def actuator_parameters(env: Any, names: Sequence[str], entity_name: str = "robot") -> torch.Tensor:
    """(num_envs, joints x names) parameters of each world, for a critic that may know them.

    Raises:
        PliantError: an actuator of the entity has no such parameter.
    """
    columns = [
        wp.to_torch(group.running.parameter_view(joint, name))
        for group in groups(env, entity_name)
        for joint in group.joints
        for name in names
    ]
    return torch.stack(columns, dim=-1)


class RandomisedActuators(ManagerTermBase):
    """Event term: another row of parameters for each world that is reset (or started).

        EventTermCfg(func=RandomisedActuators, mode="reset", params={"draws": {"elbow": table}})

    `draws` is joint of the entity to parameter to its values, of which row k is one set: what
    `pliant.engines.spec.draws` reads and makes. `seed` is the random seed. The rows are taken on the
    device. It also captures the simulation's graphs anew, with the actuators.

    Raises:
        PliantError: no such joint or parameter, or columns of different length.
    """

    model_fields = ("dof_armature",)  # mjlab gives each world its own, and captures anew

    def __init__(self, cfg: Any, env: Any) -> None:
        super().__init__(env)
        entity = cfg.params.get("entity_name", "robot")
        draws: Draws = cfg.params["draws"]
        self._groups = groups(env, entity)
        inside = {f"{entity}/{name}": table for name, table in draws.items()}
        known = {joint for group in self._groups for joint in group.joints}
        for group in self._groups:
            mine = {
                joint: table
                for joint, table in inside.items()
                if joint in group.joints or joint not in known  # the first group refuses those
            }
            group.running.draw_from(mine, seed=cfg.params.get("seed", 1))
        capture(env)

    def __call__(self, env: Any, env_ids: torch.Tensor | None, **params: Any) -> None:
        """Draw for these worlds; None means all."""
        mask = torch.zeros(env.num_envs, dtype=torch.bool, device=env.device)
        mask[slice(None) if env_ids is None else env_ids] = True
        for group in self._groups:
            group.running.redraw(wp.from_torch(mask, dtype=wp.bool))


def _numbers(group: Any) -> list[int]:
    return [group.running.number(joint) for joint in group.joints]
