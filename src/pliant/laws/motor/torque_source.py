"""Motor under an ideal current loop: the commanded current at any speed.

    i = command,   tau = k_t i                              servos_and_friction: Drive

For devices of unknown winding resistance, so that no voltage limit can be stated.

Left out: the voltage limit, the dynamics of the current loop.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # torque constant behind the gear


COMMAND = "A"


def warmed(resistance: float, constant: float, p: P) -> P:
    return P(p.k_t * constant)


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return 0.0


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * command


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return p.k_t * current(command, on, v, bus, p)
