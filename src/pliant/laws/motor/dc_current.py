"""DC motor under a current loop, limited by the supply voltage.

    i = clip(command, (-U - k_t v) / R, (U - k_t v) / R),   tau = k_t i
                                                           servos_and_friction: Drive

`on` = 0 holds zero current. k_t includes the gear ratio and serves as back-EMF constant.

Left out: the dynamics of the current loop; for inductance see the winding laws.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # torque constant behind the gear
    R: Annotated[float, "Ohm", (1e-3, 1000.0)]  # resistance of the winding


COMMAND = "A"


def warmed(resistance: float, constant: float, p: P) -> P:
    return P(p.k_t * constant, p.R * resistance)


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return p.R


def reached(voltage: float, v: float, p: P) -> float:
    """Current [A] under a constant voltage."""
    return (voltage - back_emf(v, p)) / p.R


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * min(max(command, reached(-bus, v, p)), reached(bus, v, p))


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return p.k_t * current(command, on, v, bus, p)


def lowest(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * p.k_t * reached(-bus, v, p)


def highest(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * p.k_t * reached(bus, v, p)
