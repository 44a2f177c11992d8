"""Warnings of what works against an actuator on a model: data, words, and Python's warnings."""

import dataclasses
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pliant.errors import PliantWarning

__all__ = ["Caution", "warn"]


@dataclass(frozen=True)
class Caution:
    """One thing to know before the simulation is trusted.

    Attributes:
        kind: "timestep", "integrator", "solver", "iterations", "flag", "command_range",
            "torque_range", "group", "tendon" or "base_collision".
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
    for caution in cautions:
        warnings.warn(str(caution), PliantWarning, stacklevel=stacklevel)
