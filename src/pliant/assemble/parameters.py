"""Parameters that laws declare, the numbers given for them, and data sheet values."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from pliant.catalogue import Field, Physics, law_files, leaves, load_law
from pliant.errors import PliantError, check_known

How = Literal["datasheet", "identified", "measured", "firmware", "assumed", "convention"]
OWN = "own"
BENCH = "plant."
"""Prefix of numbers that belong to the bench, not to the actuator."""


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


def fields_of(topology: Physics, laws: Mapping[str, Physics]) -> dict[str, Field]:
    """Every parameter of a topology with its laws, in flat order."""
    parts = parts_of(topology, laws)
    return {f"{label}.{f.name}": f for label, part in parts for f in part.parameters}


def parts_of(topology: Physics, laws: Mapping[str, Physics]) -> list[tuple[str, Physics]]:
    """All slots that have numbers, with their labels, in flat order."""
    return [
        (slot.label, laws[slot.label] if slot.part is None else slot.part)
        for slot in leaves(topology)
    ]


def check_widths(
    topology: Physics, laws: Mapping[str, Physics], parameters: int, state: int
) -> None:
    """Refuse compiled code with other array sizes than the flat arrays: it would read past their ends."""
    own = sum(len(part.state) for _, part in parts_of(topology, laws))
    held = (len(fields_of(topology, laws)), own)
    if held != (parameters, state):
        raise PliantError(
            "is compiled for a different number of parameters or states than its files declare",
            file=topology.path,
            found=f"{parameters} and {state}",
            accepted=f"{held[0]} and {held[1]}",
        )


def of_bench(name: str) -> bool:
    """Whether a parameter belongs to the bench (`plant.symbol`)."""
    return name.startswith(BENCH)


def bench_fields() -> dict[str, Field]:
    """Every number that a bench can have: the parameters of all plants in the catalogue."""
    plants = [load_law("plant", name) for name in law_files("plant")]
    return {field.name: field for plant in plants for field in plant.parameters}


FACTS: Mapping[str, str] = {
    "stall_torque": "N m",
    "no_load_speed": "rad/s",
    "stall_current": "A",
    "breakaway_torque": "N m",
    "winding_resistance": "Ohm",
    "gear_ratio": "1",
    "rotor_inertia": "kg m^2",
}
"""Facts and their units. Torque and speed are at the joint, at full command; resistance and
inertia are those of the motor, before the gear."""
AT_VOLTAGE = ("stall_torque", "no_load_speed", "stall_current")
"""Facts that hold at one supply voltage."""
TOLERANCE = 0.15
"""Relative tolerance of a fact whose source gives none."""


@dataclass(frozen=True)
class Fact:
    """One line of a data sheet.

    Attributes:
        fact: one of `FACTS`. value: in `unit`. voltage: [V] of the supply; None if it does not matter.
        tolerance: relative, one standard deviation over units and ways to measure.
        source: key of the actuator's sources.

    Raises:
        PliantError: no such fact, a wrong unit, a value or tolerance that is not above 0, or a
            missing voltage.
    """

    fact: str
    value: float
    unit: str
    source: str
    voltage: float | None = None
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        check_known(self.fact, FACTS, "no such fact", "datasheet")
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
