"""A drive of Newton's actuators that runs an actuator of Pliant."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from newton.actuators import DriveBase

from pliant.assemble import Actuator
from pliant.engines.mujoco_warp.rows import clear
from pliant.errors import PliantError
from pliant.lower.kernel import compiled_for_warp

_KERNEL = Path(__file__).with_name("kernel.py")
_ENTRIES = {"pull": "@wp.kernel", "resist": "@wp.kernel", "settle": "@wp.kernel"}
STATE = 1
"""Numbers of a row of `act` before the state; see the kernel."""


@dataclass(frozen=True)
class Kind:
    """Actuators of the same laws that keep as many commands: Newton batches those into one drive.

    Attributes:
        actuator: one of them; its laws count, not its numbers. kept: commands of the past.
    """

    actuator: Actuator = field(compare=False)
    laws: tuple[str, ...]
    kept: int

    @property
    def width(self) -> int:
        """Numbers of the state of one."""
        references = int(getattr(self.actuator.topology.module, "REFERENCES", 1))
        return STATE + len(self.actuator.state) + references * self.kept


def kind_of(actuator: Actuator, kept: int) -> Kind:
    """The kind of an actuator that keeps `kept` commands."""
    physics = (actuator.topology, *actuator.laws.values())
    return Kind(actuator, tuple(str(one.path) for one in physics), kept)


class PliantDrive(DriveBase):
    """Torque of actuators of one kind; `install` adds their friction to the solver's step.

    `builder.add_actuators` is how one gets it: goals come from `joint_target_q`, second commands
    (stiffness presets) from `joint_act`.
    """

    SHARED_PARAMS = frozenset({"kind"})

    @dataclass
    class State(DriveBase.State):
        """State of the actuators: everything that they remember.

        Attributes:
            act: (N, width) age, state and past commands; all 0 means "rested where the joint is".
        """

        act: Any = None

        def reset(self, mask: Any = None) -> None:
            """Begin anew where `mask` is true, or everywhere."""
            if mask is None:
                self.act.zero_()
            else:
                wp.launch(clear, dim=self.act.shape, inputs=[mask], outputs=[self.act])

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as they are; each parameter of the actuator has one, by its number."""
        if not isinstance(args.get("kind"), Kind):
            raise PliantError(
                "is added by `add_actuators`",
                field="PliantDrive",
                accepted="add_actuators(builder, …)",
            )
        return args

    def __init__(self, kind: Kind, **parameters: Any) -> None:
        self.kind = kind
        numbers = [parameters[f"p{k}"].numpy() for k in range(len(kind.actuator.fields))]
        self._numbers = np.stack(numbers, axis=1)
        self._module, prefix = compiled_for_warp(
            _KERNEL, _ENTRIES, kind.actuator.topology, dict(kind.actuator.laws)
        )
        self.pull = getattr(self._module, f"{prefix}pull")
        self.resist = getattr(self._module, f"{prefix}resist")
        self.settle = getattr(self._module, f"{prefix}settle")
        self.installed = False
        self.before: Any = None
        """(N, width) `act` as the last step found it."""
        self.next: Any = None
        """(N, width) `act` as the last step left it."""

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Put parameters and work space on the device."""
        self.parameters = wp.array(self._numbers, dtype=float, ndim=2, device=device)
        self.steps = wp.array(
            np.tile([1.0, 0.0, 0.0, 0.0], (num_actuators, 1)), dtype=float, device=device
        )
        self.load = wp.zeros(num_actuators, dtype=float, device=device)
        self.after = wp.zeros((num_actuators, self.kind.width), dtype=float, device=device)
        self.asked = wp.zeros((num_actuators, 5), dtype=float, device=device)
        self.torque = wp.zeros(num_actuators, dtype=float, device=device)

    # As Newton calls it.
    def compute(
        self,
        positions: Any,
        velocities: Any,
        target_pos: Any,
        target_vel: Any,
        feedforward: Any,
        pos_indices: Any,
        vel_indices: Any,
        target_pos_indices: Any,
        target_vel_indices: Any,
        forces: Any,
        state: Any,
        dt: float,
        device: Any = None,
        *,
        custom_inputs: dict[str, Any] | None = None,
    ) -> None:
        """Write the torques [N m] to `forces`.

        Raises:
            PliantError: the actuators' friction is not installed in the solver.
        """
        if not self.installed:
            raise PliantError(
                "the actuators' friction is not installed in the solver",
                field="PliantDrive",
                accepted="pliant.engines.newton.install(solver, model) before the first step",
            )
        wp.launch(
            self.pull,
            dim=len(forces),
            inputs=[
                float(dt),
                positions,
                velocities,
                target_pos,
                feedforward,
                pos_indices,
                vel_indices,
                target_pos_indices,
                target_vel_indices,
                self.parameters,
                self.steps,
                self.load,
                self.kind.kept,
                state.act,
            ],
            outputs=[self.after, self.asked, forces],
            device=device,
        )
        wp.copy(self.torque, forces)
        self.before = state.act

    def is_stateful(self) -> bool:
        """Whether there is anything to remember: always, the age."""
        return True

    def is_graphable(self) -> bool:
        """Whether a CUDA graph can hold it."""
        return True

    def state(self, num_actuators: int, device: Any) -> Any:
        """A state at rest."""
        return self.State(wp.zeros((num_actuators, self.kind.width), dtype=float, device=device))

    def update_state(self, current_state: Any, next_state: Any) -> None:
        """The state after the step."""
        wp.copy(next_state.act, self.after)
        self.next = next_state.act
