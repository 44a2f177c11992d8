"""A resistance that is in the circuit only while the bridge drives: supply, leads, upper switches.

    U = U_0 - R_s |i|,  i = (duty U - e) / R              servos_and_friction: Drive, Limitations
    =>  U = (U_0 + R_s sign(duty) e / R) / (1 + R_s |duty| / R), never below 0

In `supply_resistance` a capacitor smooths the pulses into a steady current duty i: there the
winding sees R + R_s duty^2, here R + R_s |duty|. While the motor would feed current back, U = U_0.

Seen on recordings: fitted to an XL330 at P-gains 100 and 200 it predicts P-gain 800, where the duty
saturates, with a third of the other law's error. That servo's own voltmeter reads a twentieth of
this drop at full duty: most of R_s lies behind it, so R_s must be fitted, not measured.

Left out: inductance (the current's ripple), capacitors, voltage drops that do not grow with i.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    R_s: Annotated[float, "Ohm", (0.0, 10.0)]  # of supply, leads and upper switches


COMMAND = "1"
REDUCES_TO = {"ideal_supply": {"R_s": 0.0}}


def bus(duty: float, supply: float, back_emf: float, resistance: float, p: P) -> float:
    if duty * (duty * supply - back_emf) <= 0.0:
        return supply
    ratio = p.R_s / resistance
    towards = back_emf if duty > 0.0 else -back_emf
    return max((supply + ratio * towards) / (1.0 + ratio * abs(duty)), 0.0)
