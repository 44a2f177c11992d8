"""Give joints of a Newton builder the actuators that run in its steps."""

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.engines.newton.drive import PliantDrive, kind_of
from pliant.engines.spec.joint_numbers import armature_of, is_frictionless
from pliant.engines.spec.joints import has_budget
from pliant.engines.spec.sticking import row_needed
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.lower.plain import at_rest


def add_actuators(
    builder: Any, actuators: Mapping[str, Actuator | str | Path], timestep: float = 0.002
) -> None:
    """Add an actuator to each named joint, before the builder is finalised or replicated.

    As in `pliant.attach`, the joint's rotor inertia becomes the actuator's, 0 behind a spring; its own
    damping and friction go where the actuator has friction. Its own drive is switched off.

    Args:
        builder: a `newton.ModelBuilder`.
        actuators: joint label, or its last part, to actuator: a name of the catalogue, a TOML file,
            or an `Actuator`.
        timestep: [s] of the steps; how many commands of the past are kept depends on it.

    Raises:
        PliantError: no such joint, two of that name, or one with another number of degrees of
            freedom than one; an actuator is unknown.
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
