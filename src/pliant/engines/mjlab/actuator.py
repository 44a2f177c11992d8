"""An actuator of Pliant as one of mjlab's."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import torch
from mjlab.actuator import Actuator as MjlabActuator
from mjlab.actuator import ActuatorCfg, ActuatorCmd

from pliant.assemble import Actuator
from pliant.engines.mujoco_warp import WarpActuators, attach, install
from pliant.engines.spec.attachment import Attached, Attachment
from pliant.engines.spec.formers import second_of
from pliant.errors import PliantError

OWN = {"armature": None, "frictionloss": None, "viscous_damping": None}
"""Options of mjlab that the actuator has of its own, and what they are when they are not given."""
GUARD = 10
"""The law is looked for at this command: by then the simulation has run at least once."""


@dataclass(kw_only=True)
class PliantActuatorCfg(ActuatorCfg):
    """Joints that behave like measured ones.

    Attributes:
        actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        timestep: [s] of the simulation (`MujocoCfg.timestep`), which is not known yet when the
            entity's joints are prepared for it; another one is refused.

    A goal is the joint's position target. A device with two commands (equilibrium and preset) takes
    the second from the joint's effort target. mjlab's own command delay comes on top of the
    actuator's.

    Raises:
        PliantError: `armature`, `frictionloss` or `viscous_damping` is given, which the actuator has
            of its own.
    """

    actuator: Actuator | str | Path
    timestep: float = 0.002

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, absent in OWN.items():
            if getattr(self, name) != absent:
                raise PliantError(
                    "the actuator has its own", field=name, found=getattr(self, name), accepted=None
                )

    def build(
        self, entity: Any, target_ids: list[int], target_names: list[str]
    ) -> "PliantActuator":
        """The actuators of these joints."""
        return PliantActuator(self, entity, target_ids, target_names)


class PliantActuator(MjlabActuator[PliantActuatorCfg]):
    """Actuators of one kind in an entity.

    Attributes:
        running: what `install` hung into the model: parameters of each world, draws.
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
        """Hang the actuators into the compiled model.

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
                before they were there.
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
