"""A robot's settings beside its actuators."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pliant.engines.spec.attachment import Attachment

__all__ = ["JointSetting", "RobotInfo"]


@dataclass(frozen=True, kw_only=True)
class JointSetting:
    """Settings of a joint that its actuator does not have.

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
    """The actuators and settings of a robot's file: `Robot(spec.compile(), info)` takes it.

    Attributes:
        attachment: what `attach` set. settings: joint to its mode and external torque.
    """

    attachment: Attachment
    settings: Mapping[str, JointSetting] = field(default_factory=dict[str, JointSetting])
    notes: tuple[str, ...] = ()
    """Parts of the file that were left out, in words."""

    def __str__(self) -> str:
        return "\n".join([str(self.attachment), *(f"note: {text}" for text in self.notes)])
