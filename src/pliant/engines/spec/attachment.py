"""Record of what `attach` set on each joint, as data and in words."""

from dataclasses import dataclass

from pliant.assemble import Actuator
from pliant.engines.spec.steps import Steps
from pliant.engines.spec.sticking import Sticking
from pliant.errors import PliantError


@dataclass(frozen=True)
class Attached:
    """One joint and what it got."""

    joint: str
    actuator: Actuator
    replaced: tuple[str, ...]
    """Actuators and numbers that the joint had before and lost."""
    steps: Steps

    def __str__(self) -> str:
        text = f"{self.joint}: {self.actuator.name} ({self.actuator.title})"
        if self.replaced:
            text += f"; replaces the joint's {', '.join(self.replaced)}"
        if self.steps.mobility > 0.0:
            text += (
                "; where its spring is too stiff for the timestep, the joint moves in sub-steps too"
            )
        if self.steps.substeps > 1:
            text += f"; {self.steps.substeps} sub-steps of the actuator in each step"
        return text


@dataclass(frozen=True)
class Attachment:
    """Record of what `attach` set; `str()` puts it in words.

    Attributes:
        joints: each joint and what it got. sticking: what was set for friction that holds.
        warnings: what works against it on this model, one clause each, those of `sticking` too.
        notes: what of the model was left out.
    """

    joints: tuple[Attached, ...]
    sticking: Sticking | None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def column(self, joint: str, parameter: str) -> int:
        """The column of `actuator_user` that holds `parameter` ("friction.K_c") on `joint`.

        Raises:
            PliantError: nothing was attached to this joint, or its actuator has no such parameter.
        """
        attached = {entry.joint: entry.actuator for entry in self.joints}
        if joint not in attached:
            raise PliantError("nothing was attached to this joint", found=joint, accepted=attached)
        attached[joint].check_names([parameter])
        return list(attached[joint].fields).index(parameter)

    def __str__(self) -> str:
        lines = [str(joint) for joint in self.joints]
        if self.sticking is not None:
            lines.append(self.sticking.reason)
        return "\n".join([*lines, *self.notes, *(f"warning: {text}" for text in self.warnings)])
