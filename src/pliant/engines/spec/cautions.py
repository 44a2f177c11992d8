"""Warnings of what works against an actuator on a model: data, words, and Python's warnings."""

import dataclasses
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pliant.errors import PliantWarning

__all__ = ["Caution", "warn", "worded"]

SHOWN = 6
"""Joints that a warning names."""


@dataclass(frozen=True)
class Caution:
    """One thing to know before the simulation is trusted.

    Attributes:
        kind: "armature", "timestep", "integrator", "solver", "iterations", "flag", "command_range",
            "limits", "torque_range", "group", "tendon", "sites", "coupled", "gain" or "base_collision".
        text: one clause, with the numbers. joint: on which it is; None: on the model.
        numbers: name to value, in SI units.
        bodies: the pair that collides.
    """

    kind: str
    text: str
    joint: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    bodies: tuple[str, str] | None = None

    def __str__(self) -> str:
        return self.text if self.joint is None else f"{self.joint}: {self.text}"

    def on(self, joint: str) -> "Caution":
        """The same of a joint."""
        return dataclasses.replace(self, joint=joint)


def warn(cautions: Iterable[Caution], *, stacklevel: int = 3) -> None:
    """Say each with `warnings.warn`, where the caller of the caller is shown."""
    for text in worded(cautions):
        warnings.warn(text, PliantWarning, stacklevel=stacklevel)


def worded(cautions: Iterable[Caution]) -> list[str]:
    """Each in words; one that holds alike of several joints is said once, with their names."""
    joints: dict[str, list[str]] = {}
    for caution in cautions:
        joints.setdefault(caution.text, []).extend(filter(None, [caution.joint]))
    return [f"{_listed(names)}: {text}" if names else text for text, names in joints.items()]


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:SHOWN])} and {more} more"
