"""An actuator of Pliant as one of mjlab's, and terms for mjlab's managers that observe and randomise actuators.

mjlab captures its step when `Simulation` is created, before the actuators can be installed in the model.
The captured graph runs without them, silently.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import torch
import warp as wp
from mjlab.actuator import Actuator as MjlabActuator
from mjlab.actuator import ActuatorCfg, ActuatorCmd
from mjlab.managers.manager_base import ManagerTermBase

from pliant.assemble import Actuator
from pliant.engines.mujoco_warp import WarpActuators, attach, install
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.formers import second_of
from pliant.engines.spec.randomise import Draws
from pliant.errors import PliantError

OWN = {"armature": None, "frictionloss": None, "viscous_damping": None}
"""Options of mjlab that the actuator defines itself, and their values when not given."""
GUARD = 10
"""The law is looked for at this command: by then the simulation has run at least once."""


@dataclass(kw_only=True)
class PliantActuatorCfg(ActuatorCfg):
    """Joints that behave like measured ones.

    Attributes:
        actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        timestep: [s] of the simulation (`MujocoCfg.timestep`), which is not known yet when the
            entity's joints are prepared for it; a different one is refused later.

    A goal is the joint's position target. A device with two commands (equilibrium and preset) takes
    the second from the joint's effort target. mjlab's own command delay is added to the actuator's.

    Raises:
        PliantError: `armature`, `frictionloss` or `viscous_damping` is given, which the actuator
            defines itself.
    """

    actuator: Actuator | str | Path
    timestep: float = 0.002

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, absent in OWN.items():
            if getattr(self, name) != absent:
                raise PliantError(
                    "the actuator defines it itself",
                    field=name,
                    found=getattr(self, name),
                    accepted=None,
                )

    def build(
        self, entity: Any, target_ids: list[int], target_names: list[str]
    ) -> "PliantActuator":
        """The actuators of these joints."""
        return PliantActuator(self, entity, target_ids, target_names)


class PliantActuator(MjlabActuator[PliantActuatorCfg]):
    """Actuators of one kind in an entity.

    Attributes:
        running: result of `install`: parameters of each world, draws.
        joints: names in the model, in the order of `target_names`.
    """

    running: WarpActuators
    joints: tuple[str, ...]

    def __init__(
        self, cfg: PliantActuatorCfg, entity: Any, target_ids: list[int], target_names: list[str]
    ) -> None:
        super().__init__(cfg, entity, target_ids, target_names)
        self._attached: list[Attached] = []
        self._presets: list[mujoco.MjsActuator] = []
        self._commands = 0

    def edit_spec(self, spec: mujoco.MjSpec, target_names: list[str]) -> None:
        """Attach to joints of the entity's spec; mjlab may call this for one joint after another."""
        own = spec.option.timestep
        spec.option.timestep = self.cfg.timestep
        try:
            done = attach(spec, [(name, self.cfg.actuator) for name in target_names])
        finally:
            spec.option.timestep = own
        for one in done.joints:
            self._attached.append(one)
            self._mjs_actuators.append(spec.actuator(one.name))
            second = second_of(spec, self._mjs_actuators[-1])
            if second is not None:
                self._presets.append(second)

    def initialize(self, mj_model: mujoco.MjModel, model: Any, data: Any, device: str) -> None:
        """Install the actuators in the compiled model.

        Raises:
            PliantError: the simulation's timestep is not the configuration's, its integrator is RK4,
                or the model's callback is taken.
        """
        if abs(float(mj_model.opt.timestep) - self.cfg.timestep) > 1e-9:
            raise PliantError(
                "not the timestep that the actuators were prepared for",
                field="PliantActuatorCfg.timestep",
                found=self.cfg.timestep,
                accepted=f"{float(mj_model.opt.timestep):g}, which is the simulation's",
            )
        entries = [*self._mjs_actuators]
        names = [str(mj_model.actuator(entry.id).name) for entry in entries]
        self.joints = tuple(names)
        self._mjs_actuators.extend(self._presets)
        super().initialize(mj_model, model, data, device)
        placed = tuple(
            dataclasses.replace(one, joint=name, name=name)
            for one, name in zip(self._attached, names, strict=True)
        )
        self.running = install(Attachment(placed, None), mj_model, model.struct, data.struct)
        model.clear_cache()  # `install` gives each world a rotor inertia of its own

    def compute(self, cmd: ActuatorCmd) -> torch.Tensor:
        """Commands of the joints, then their second ones where there are any.

        Raises:
            PliantError: the simulation runs without the actuators, from a graph that was captured
                before they were installed.
        """
        self._commands += 1
        if self._commands == GUARD:
            self.running.check_running(
                "pliant.engines.mjlab.capture(env) after the environment is made, "
                "or an event term RandomisedActuators, which does it"
            )
        if not self._presets:
            return cmd.position_target
        return torch.cat((cmd.position_target, cmd.effort_target), dim=-1)


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


def actuator_torque(env: Any, entity_name: str = "robot") -> torch.Tensor:
    """(num_envs, joints) torque [N m] of the actuators in the last step, without friction."""
    found = groups(env, entity_name)
    numbers = [group.running.number(joint) for group in found for joint in group.joints]
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

    `draws` is joint of the entity to parameter to its values, of which row k is one set, or to the CSV
    file that `identify` writes; `pliant.engines.spec.randomise.spread` makes some. `seed` is the random seed. The rows are taken on the
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
