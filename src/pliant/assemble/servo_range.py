"""Bounds of unknown numbers, from the servo, gear and motor that they belong to.

A law's range holds for every possible joint: dry friction of up to 100 N m. A servo that stalls at 0.7 N m
has only a fraction of its stall torque, and a search over the law's whole range would waste its time on
values that no such servo has.

The joint's armature comes from the gear and the rotor:

    armature = N^2 J        N the gear ratio, J the rotor's inertia before the gear

A sheet that states J gives bounds around N^2 J. If it states only the ratio, the rotors of small brushed
motors give the bounds, provided that the torque before the gear is that of such a motor.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite

from pliant.assemble.actuator import Actuator
from pliant.assemble.parameters import Fact, Number
from pliant.catalogue import Field

DRY, VISCOUS = 0.2, 2.0
"""Largest dry friction, relative to the stall torque; largest viscous friction, relative to stall torque over
no-load speed. The published servos reach 0.1 and 0.7."""
CURVED = 1.5
"""Largest friction per torque squared, times the stall torque."""
IN_LEADS = 4.0
"""Largest resistance of supply and leads, relative to the winding's."""
WINDING = {"k_t": 3.0, "R": 6.0}
"""Factor, up or down, around torque constant and resistance computed from a data sheet. Identified ones are 0.8 to
1.7 and 0.3 to 3.0 times as large: makers measure with friction, and on a warm motor or only briefly."""


@dataclass(frozen=True)
class ServoRange:
    """Largest torque and speed of a servo.

    Attributes:
        torque: [N m] at standstill. speed: [rad/s] without a load. resistance: [Ohm] of the winding;
            each NaN if unknown.
    """

    torque: float
    speed: float
    resistance: float

    @classmethod
    def of(cls, numbers: Mapping[str, Number], facts: tuple[Fact, ...] = ()) -> "ServoRange":
        """From the numbers of an actuator or, if they do not determine it, from facts of its data sheet."""
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
        """The range of a law's number, limited to what this servo can have."""
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
    """The range of a motor's k_t or R around its data sheet's value; None if it gives none.

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


AT_JOINT = ("own.armature", "rotor.J")
"""Names of the rotor's inertia behind its gear: of a servo, and of one with play."""
STATED = 5.0
"""Factor, up or down, around a stated rotor inertia, on top of the sheet's own tolerance. Identified ones are 1.1
to 2.4 times as large, because the gear turns too; intervals of 90 % reach from 0.4 to 4.7 (AK80-6)."""
SMALLEST, LARGEST = 4.9e-9, 9.4e-7
"""Rotors of brushed motors of 8 to 22 mm [kg m^2], 1 to 370 mN m at stall. From copies of their makers' sheets:
Faulhaber 0816 SR 0.049 to 0.052 g cm^2, 1524 SR 0.53 to 0.58 (https://www.scribd.com/document/444504963/EN-1524-SR-DFF),
1331 SR 0.63 to 0.71; maxon DCX 22 L 9.37 (https://github.com/mattchg/ELEC441, MotorSpecs.m)."""
MARGIN = 3.0
"""Factor, up or down, around these: for the gear's own wheels, cheap motors with an iron core, smaller motors. The
identified armatures of small servos are 1.9e-8 to 5.3e-7 kg m^2 times the ratio squared."""
SMALL = 0.1
"""Torque before the gear up to which a motor counts as one of these [N m]. Servos have 2 to 40 mN m there,
quasi-direct drives more than 1 N m."""


def armature_bounds(actuator: Actuator) -> tuple[float, float] | None:
    """Bounds [kg m^2] of the armature from its data sheet; None: no gear ratio, or an unknown kind of motor."""
    by = {fact.fact: fact for fact in actuator.datasheet}
    if "gear_ratio" not in by:
        return None
    gear, rotor = by["gear_ratio"], by.get("rotor_inertia")
    square, spread = gear.value**2, (1.0 + gear.tolerance) ** 2
    if rotor is not None:
        spread *= STATED * (1.0 + rotor.tolerance)
        return square * rotor.value / spread, square * rotor.value * spread
    torque = ServoRange.of(actuator.numbers, actuator.datasheet).torque
    if not torque / gear.value <= SMALL:  # unknown, or larger
        return None
    spread *= MARGIN
    return square * SMALLEST / spread, square * LARGEST * spread


def bounded_by_gear(actuator: Actuator) -> tuple[Actuator, str]:
    """A copy whose armature is searched only within the bounds of its data sheet, and a message about the change.

    The message is empty if the file's own bounds are narrower, or if the sheet gives none. An armature outside the
    bounds of its sheet keeps the file's bounds.
    """
    sheet, name = armature_bounds(actuator), _searched(actuator)
    if sheet is None or name is None:
        return actuator, ""
    number, by = actuator.numbers[name], "by gear and motor of its data sheet"
    if not sheet[0] <= number.value <= sheet[1]:
        allowed = f"{sheet[0]:.3g} to {sheet[1]:.3g} kg m^2"
        return (
            actuator,
            f"{name} {number.value:.3g} keeps its file's bounds: {by} it would be {allowed}",
        )
    low = sheet[0] if number.low is None else max(sheet[0], number.low)
    high = sheet[1] if number.high is None else min(sheet[1], number.high)
    if (low, high) == (number.low, number.high):
        return actuator, ""
    numbers = {**actuator.numbers, name: replace(number, low=low, high=high)}
    return replace(actuator, numbers=numbers), f"{name} {low:.3g} to {high:.3g} kg m^2, {by}"


def _searched(actuator: Actuator) -> str | None:
    """Name of the armature, if a fit searches it by default."""
    names = [name for name in AT_JOINT if name in actuator.numbers]
    return next((n for n in names if actuator.numbers[n].how in ("identified", "assumed")), None)
