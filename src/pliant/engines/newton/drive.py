"""A Newton actuator drive that runs an actuator of Pliant, and the function that adds it to joints."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from newton.actuators import DriveBase

from pliant.assemble import Actuator
from pliant.engines.mujoco_warp.rows import clear
from pliant.engines.spec.joint_numbers import armature_of, is_frictionless
from pliant.engines.spec.joints import has_budget, references
from pliant.engines.spec.sticking import row_needed
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.lower.kernel import compiled_for_warp
from pliant.lower.law import at_rest

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
        return STATE + len(self.actuator.state) + references(self.actuator) * self.kept


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
        self._module, prefix = compiled_for_warp(_KERNEL, _ENTRIES, kind.actuator.equations)
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


def add_actuators(
    builder: Any, actuators: Mapping[str, Actuator | str | Path], timestep: float = 0.002
) -> None:
    """Add an actuator to each named joint, before the builder is finalised or replicated.

    As in `pliant.attach`, the joint's rotor inertia becomes the actuator's, 0 behind a spring; its own damping
    and friction are removed if the actuator has friction. Its own drive is switched off.

    Args:
        builder: a `newton.ModelBuilder`.
        actuators: joint label, or its last part, to actuator: a name of the catalogue, a TOML file,
            or an `Actuator`.
        timestep: [s] of the steps; it determines how many past commands are kept.

    Raises:
        PliantError: no such joint, two of that name, or one that does not have exactly one degree
            of freedom; an actuator is unknown.
    """
    for label, given in actuators.items():
        actuator = given if isinstance(given, Actuator) else load_actuator(given)
        position, dof = _place(builder, label)
        f = at_rest(actuator)
        delay = -f["issued"](0.0, f["load_parameters"](list(actuator.values), 0))
        kept = ceil(delay / timestep) + 1 if delay > 0.0 else 0
        builder.joint_armature[dof] = armature_of(actuator)
        _silence(builder, dof, ("joint_target_ke", "joint_target_kd"))
        if has_budget(actuator):
            if not is_frictionless(actuator):
                _silence(builder, dof, ("joint_friction", "joint_damping"))
            builder.joint_friction[dof] = row_needed(builder.joint_friction[dof])
        numbers = {f"p{k}": float(value) for k, value in enumerate(actuator.values)}
        builder.add_actuator(
            PliantDrive, index=dof, pos_index=position, kind=kind_of(actuator, kept), **numbers
        )


def _silence(builder: Any, dof: int, numbers: tuple[str, ...]) -> None:
    """Take what the joint has of its own out of the builder, where it knows such numbers."""
    for name in numbers:
        if hasattr(builder, name):
            getattr(builder, name)[dof] = 0.0


def _place(builder: Any, label: str) -> tuple[int, int]:
    """Index in `joint_q` and `joint_qd` of a joint with one degree of freedom."""
    labels = [str(one) for one in builder.joint_label]
    found = [k for k, one in enumerate(labels) if label in (one, one.rpartition("/")[2])]
    if len(found) != 1:
        raise PliantError(
            "more than one such joint" if found else "no such joint",
            field="joint",
            found=label,
            accepted=labels,
        )
    k = found[0]
    starts = [*builder.joint_qd_start, builder.joint_dof_count]
    if starts[k + 1] - starts[k] != 1:
        raise PliantError(
            "only a joint with one degree of freedom can have an actuator",
            field=f"joint {label}",
            found=f"{starts[k + 1] - starts[k]} degrees of freedom",
        )
    return int(builder.joint_q_start[k]), int(starts[k])
