"""Bounds of a joint's armature, from the gear and the motor of its data sheet.

    armature = N^2 J        N the gear ratio, J the rotor's inertia before the gear

A sheet that states J bounds the armature about it. One that states the ratio alone bounds it by the rotors
of small brushed motors, where the torque before the gear is that of such a motor.
"""

from dataclasses import replace

from pliant.assemble.actuator import Actuator
from pliant.assemble.servo_range import ServoRange

AT_JOINT = ("own.armature", "rotor.J")
"""A rotor's inertia behind its gear: of a servo, and of one with play."""
STATED = 5.0
"""Factor, either way, about a rotor that the sheet states, beside the sheet's own tolerance. Those identified are
1.1 to 2.4 times as large, as the gear turns too; intervals of 90 % reach from 0.4 to 4.7 (AK80-6)."""
SMALLEST, LARGEST = 4.9e-9, 9.4e-7
"""Rotors of brushed motors of 8 to 22 mm [kg m^2], 1 to 370 mN m at stall. By their makers' sheets, read in copies:
Faulhaber 0816 SR 0.049 to 0.052 g cm^2, 1524 SR 0.53 to 0.58 (https://www.scribd.com/document/444504963/EN-1524-SR-DFF),
1331 SR 0.63 to 0.71; maxon DCX 22 L 9.37 (https://github.com/mattchg/ELEC441, MotorSpecs.m)."""
MARGIN = 3.0
"""Factor, either way, about these: the gear's own wheels, cheap motors with an iron core, smaller ones. The
armatures identified of small servos are 1.9e-8 to 5.3e-7 kg m^2 over the ratio squared."""
SMALL = 0.1
"""Torque before the gear up to which a motor counts as one of these [N m]. Servos have 2 to 40 mN m there,
quasi-direct drives more than 1 N m."""


def armature_bounds(actuator: Actuator) -> tuple[float, float] | None:
    """The armature [kg m^2] that its data sheet allows; None: the sheet has no ratio, or an unknown motor."""
    by = {fact.fact: fact for fact in actuator.datasheet}
    if "gear_ratio" not in by:
        return None
    gear, rotor = by["gear_ratio"], by.get("rotor_inertia")
    square, spread = gear.value**2, (1.0 + gear.tolerance) ** 2
    if rotor is not None:
        spread *= STATED * (1.0 + rotor.tolerance)
        return square * rotor.value / spread, square * rotor.value * spread
    torque = ServoRange.of(actuator.numbers, actuator.datasheet).torque
    if not torque / gear.value <= SMALL:  # not known, or larger
        return None
    spread *= MARGIN
    return square * SMALLEST / spread, square * LARGEST * spread


def bounded_by_gear(actuator: Actuator) -> tuple[Actuator, str]:
    """A copy whose armature is searched no farther than its data sheet allows, and what changed, in words.

    The words are empty where the file's own bounds are the narrower ones, and where the sheet tells nothing.
    An armature that is not what its sheet allows keeps the file's bounds.
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
    """The armature, where it is a number that a fit searches by default."""
    names = [name for name in AT_JOINT if name in actuator.numbers]
    return next((n for n in names if actuator.numbers[n].how in ("identified", "assumed")), None)
