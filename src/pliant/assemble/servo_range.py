"""Bounds of numbers that nothing is known of, from the servo that they are to be numbers of.

A law's range holds for every joint there is: dry friction of up to 100 N m. A servo that stalls at
0.7 N m has not more than a part of that, and a search that has to find it in the law's range spends
itself where no such servo is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from pliant.assemble.parameters import Fact, Number
from pliant.catalogue import Field

DRY, VISCOUS = 0.2, 2.0
"""Largest dry friction, as a part of the stall torque; largest viscous friction, as a part of what
would brake the joint to a halt at its no-load speed. The published servos reach 0.1 and 0.7."""
CURVED = 1.5
"""Largest friction per torque squared, times the stall torque."""
IN_LEADS = 4.0
"""Largest resistance of supply and leads, in units of the winding's."""
WINDING = {"k_t": 3.0, "R": 6.0}
"""Factor, either way, about what a data sheet makes of torque constant and resistance. Those identified are 0.8 to
1.7 and 0.3 to 3.0 times as large: makers measure with friction, and warm or for a moment."""


@dataclass(frozen=True)
class ServoRange:
    """Torque and speed that a servo reaches.

    Attributes:
        torque: [N m] at standstill. speed: [rad/s] without a load. resistance: [Ohm] of the winding;
            each NaN where it is not known.
    """

    torque: float
    speed: float
    resistance: float

    @classmethod
    def of(cls, numbers: Mapping[str, Number], facts: tuple[Fact, ...] = ()) -> "ServoRange":
        """From the numbers of an actuator; where they do not tell, from facts of its data sheet."""
        known = {name: number.value for name, number in numbers.items()}
        nan = float("nan")
        k_t, resistance = (known.get(f"motor.{name}", nan) for name in ("k_t", "R"))
        volts, limit = known.get("own.voltage", nan), known.get("control.limit", nan)
        by_voltage = "motor.R" in known
        unit = numbers["control.limit"].unit if "control.limit" in numbers else ""
        torque = {"1": k_t / resistance * volts * limit, "N m": limit}.get(unit, nan)
        speed = volts * limit / k_t if by_voltage and unit == "1" else nan
        for fact in facts:
            if fact.fact == "stall_torque" and not isfinite(torque):
                torque = fact.value
            if fact.fact == "no_load_speed" and not isfinite(speed):
                speed = fact.value
        return cls(torque, speed, resistance)

    def bounds(self, declared: Field) -> tuple[float, float]:
        """The range of a law's number, as much of it as this servo can have."""
        most = {
            "N m": DRY * self.torque,
            "N m s/rad": VISCOUS * self.torque / self.speed if self.speed else float("nan"),
            "1/(N m)": CURVED / self.torque if self.torque else float("nan"),
            "Ohm": IN_LEADS * self.resistance,
        }.get(declared.unit, float("nan"))
        if not (isfinite(most) and declared.low < most < declared.high):
            return declared.low, declared.high
        return declared.low, most


def winding_bounds(declared: Field, facts: tuple[Fact, ...]) -> tuple[float, float] | None:
    """The range of a motor's k_t or R, about what its data sheet has; None where it has nothing of it.

    k_t = U / v_0, without a speed tau / i;  R = k_t U / tau        at stall, and without a load
    """
    by = {fact.fact: fact for fact in facts}
    torque, speed, current = (
        by.get(name) for name in ("stall_torque", "no_load_speed", "stall_current")
    )
    nan = float("nan")
    k_t = torque.value / current.value if torque and current else nan
    if speed and speed.voltage:
        k_t = speed.voltage / speed.value
    resistance = k_t * torque.voltage / torque.value if torque and torque.voltage else nan
    middle = {"k_t": k_t, "R": resistance}.get(declared.name, nan)
    factor = WINDING.get(declared.name, nan)
    low, high = max(middle / factor, declared.low), min(middle * factor, declared.high)
    return (low, high) if isfinite(middle) and low < high else None
