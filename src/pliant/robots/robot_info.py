"""What is known of a robot beside its actuators, and errors as those of its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pliant.engines.spec.attachment import Attachment
from pliant.errors import PliantError

__all__ = ["JointSetting", "RobotInfo", "in_file"]


@dataclass(frozen=True, kw_only=True)
class JointSetting:
    """What a joint's actuator does not say itself.

    Attributes:
        mode: operation mode; the one whose laws the actuator has, if None.
        ext_tau_sign: +1 or -1, of external torque.
        takes_external_torque: whether it may have any.
    """

    mode: int | None = None
    ext_tau_sign: float = 1.0
    takes_external_torque: bool = True


@dataclass(frozen=True, kw_only=True)
class RobotInfo:
    """What was made of a robot's file: `Robot(spec.compile(), info)` takes it."""

    attachment: Attachment
    settings: Mapping[str, JointSetting] = field(default_factory=dict[str, JointSetting])
    notes: tuple[str, ...] = ()
    """What of the file was left out, in words."""

    def __str__(self) -> str:
        return "\n".join([str(self.attachment), *(f"note: {text}" for text in self.notes)])


def in_file(error: PliantError, file: Path | None, at: str | None = None) -> PliantError:
    """`error` as one of `file`, or of no file, at a key of it."""
    field = ": ".join(part for part in (at, error.field) if part) or None
    text: str | None = error.as_dict()["accepted"]
    names = text.split(", ") if text is not None and error.nearest else text
    return PliantError(error.problem, file=file, field=field, found=error.found, accepted=names)
