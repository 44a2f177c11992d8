"""A number of an actuator: value, unit, source, and how it was obtained."""

from dataclasses import dataclass
from typing import Literal

How = Literal["datasheet", "identified", "measured", "firmware", "assumed", "convention"]
OWN = "own"
BENCH = "plant."
"""Before the name of a number that belongs to the bench, not to the actuator."""


@dataclass(frozen=True)
class Number:
    """A parameter's value and where it comes from."""

    value: float
    unit: str
    source: str
    how: How
    low: float | None = None
    high: float | None = None
    std: float | None = None
