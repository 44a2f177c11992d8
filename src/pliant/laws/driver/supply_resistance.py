"""A supply whose voltage sags under the current that the bridge draws.

    U = U_0 - R_s i_bus,  i_bus = duty i,  i = (duty U - e) / R
    =>  U = (U_0 + R_s duty e / R) / (1 + R_s duty^2 / R), never below 0

A bench supply cannot take current back: while the motor would feed it (i_bus < 0), U = U_0.
Seen on recordings: 7.4 V down to 5.7 V under an XL330 (servos_and_friction: Limitations).

Left out: capacitors, the rise of the bus while braking, other consumers on the same leads.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    R_s: Annotated[float, "Ohm", (0.0, 10.0)]  # resistance of supply and leads


COMMAND = "1"
REDUCES_TO = {"ideal_supply": {"R_s": 0.0}}


def bus(duty: float, supply: float, back_emf: float, resistance: float, p: P) -> float:
    if duty * (duty * supply - back_emf) <= 0.0:
        return supply
    ratio = p.R_s / resistance
    return max((supply + ratio * duty * back_emf) / (1.0 + ratio * duty * duty), 0.0)
