"""Armature, damping and friction of a joint: which become the actuator's, and which stay."""

from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.spec.joints import gear_of, has_budget
from pliant.engines.spec.names import joint_named
from pliant.lower.law import at_rest

__all__ = [
    "JointNumber",
    "Numbers",
    "armature_of",
    "is_frictionless",
    "take_over",
    "with_armature_kept",
]


@dataclass(frozen=True)
class JointNumber:
    """A number that the model gives a joint.

    Attributes:
        kind: "armature" [kg m^2], "damping" [N m s/rad] or "frictionloss" [N m].
        value: in SI units; of a slide kg, N s/m, N.
    """

    kind: str
    value: float

    def __str__(self) -> str:
        return f"{self.kind} {self.value:g}"


Numbers = tuple[JointNumber, ...]


def armature_of(actuator: Actuator) -> float:
    """Inertia [kg m^2] that the actuator adds to the joint; none behind a spring or play."""
    functions = at_rest(actuator)
    return functions["armature"](functions["load_parameters"](actuator.values.tolist(), 0))


def with_armature_kept(
    spec: mujoco.MjSpec, added: mujoco.MjsActuator, actuator: Actuator
) -> Actuator:
    """The actuator with the armature that the model gives its joint, if any, as its own."""
    armature = float(joint_named(spec, added.target).armature)
    if not armature or not has_budget(actuator):
        return actuator
    own = {"own.armature": armature / gear_of(added) ** 2}
    return actuator.with_values(own, "armature of the model's joint", "convention")


def take_over(
    spec: mujoco.MjSpec,
    added: mujoco.MjsActuator,
    actuator: Actuator,
    *,
    keep_armature: bool = False,
) -> tuple[Numbers, Numbers]:
    """Make rotor inertia, damping and friction of the joint the actuator's.

    An armature stands for a rotor, so every actuator's takes its place: behind a spring it is none.
    Damping and friction are the joint's own where the actuator has none on the joint's side.

    Returns:
        The joint's numbers that are lost, and those that stay.
    """
    joint = joint_named(spec, added.target)
    there = _friction_of(joint)
    takes = has_budget(actuator) and not is_frictionless(actuator)
    if takes and there:
        joint.damping, joint.frictionloss = 0.0 * joint.damping, 0.0
    lost, kept = (there, ()) if takes else ((), there)
    armature = armature_of(actuator) * gear_of(added) ** 2
    own = (JointNumber("armature", float(joint.armature)),) if joint.armature else ()
    if own and keep_armature:
        return lost, (*own, *kept)
    if own and joint.armature == armature:
        own = ()
    joint.armature = armature
    return (*lost, *own), kept


def is_frictionless(actuator: Actuator) -> bool:
    """Whether it says nothing of friction; then the joint keeps the model's."""
    return all(
        law.name == "none" for law in actuator.laws.values() if law.kind == "friction_budget"
    )


def _friction_of(joint: mujoco.MjsJoint) -> Numbers:
    """Damping and frictionloss of the joint, where it has any; damping may have several terms."""
    damping = np.atleast_1d(joint.damping)
    found = [JointNumber("damping", float(damping[0]))] if damping.any() else []
    if joint.frictionloss:
        found.append(JointNumber("frictionloss", float(joint.frictionloss)))
    return tuple(found)
