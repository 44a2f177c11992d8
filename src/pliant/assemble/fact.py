"""Facts of a maker's page about a device as a whole: stall torque, no-load speed, and the like."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from pliant.errors import PliantError

FACTS: Mapping[str, str] = {
    "stall_torque": "N m",
    "no_load_speed": "rad/s",
    "stall_current": "A",
    "winding_resistance": "Ohm",
    "gear_ratio": "1",
    "rotor_inertia": "kg m^2",
}
"""Facts and their units. Torque and speed are those of the joint, at full command; resistance and
inertia those of the motor, before the gear."""
AT_VOLTAGE = ("stall_torque", "no_load_speed", "stall_current")
"""Facts that hold at one supply voltage."""
TOLERANCE = 0.15
"""Relative: of a fact whose page gives none."""


@dataclass(frozen=True)
class Fact:
    """One line of a data sheet.

    Attributes:
        fact: one of `FACTS`. value: in `unit`. voltage: [V] of the supply; None where it plays no part.
        tolerance: relative; a third of all units, and of all ways to measure, may be farther off.
        source: key of the actuator's sources.

    Raises:
        PliantError: no such fact, another unit, a value or tolerance that is not above 0, or a
            voltage that is missing.
    """

    fact: str
    value: float
    unit: str
    source: str
    voltage: float | None = None
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        if self.fact not in FACTS:
            raise PliantError("no such fact", field="datasheet", found=self.fact, accepted=FACTS)
        field = f"datasheet.{self.fact}"
        if self.unit != FACTS[self.fact]:
            raise PliantError(
                "wrong unit", field=f"{field}.unit", found=self.unit, accepted=FACTS[self.fact]
            )
        numbers = {"value": self.value, "tolerance": self.tolerance}
        if self.fact in AT_VOLTAGE:
            if self.voltage is None:
                raise PliantError("is missing", field=f"{field}.voltage", accepted="volts")
            numbers["voltage"] = self.voltage
        for name, value in numbers.items():
            if not (isfinite(value) and value > 0.0):
                raise PliantError(
                    "out of range", field=f"{field}.{name}", found=value, accepted="above 0"
                )

    def __str__(self) -> str:
        at = "" if self.voltage is None else f" at {self.voltage:g} V"
        unit = "" if self.unit == "1" else f" {self.unit}"
        return f"{self.fact.replace('_', ' ')} {self.value:.3g}{unit}{at}"
