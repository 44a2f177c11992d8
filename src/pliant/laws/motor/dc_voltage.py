"""DC motor behind a drive/brake H-bridge, inductance neglected.

    i = (duty U - k_t v) / R,   tau = k_t i                servos_and_friction: Drive

Duty 0 is a brake: the winding is shorted, and back-EMF opposes the motion. `on` = 0 is a coast: the
bridge is released, and no current flows. k_t includes the gear ratio; it is the back-EMF constant.

Left out: brush drop; for gear efficiency see the friction laws, for inductance the
winding laws.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # torque constant behind the gear
    R: Annotated[float, "Ohm", (1e-3, 1000.0)]  # resistance of the winding


COMMAND = "1"
"""Unit of the command: duty, from -1 to 1."""


def warmed(resistance: float, constant: float, p: P) -> P:
    return P(p.k_t * constant, p.R * resistance)


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return p.R


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * (command * bus - p.k_t * v) / p.R


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return p.k_t * current(command, on, v, bus, p)
