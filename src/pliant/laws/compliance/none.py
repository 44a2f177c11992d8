"""No spring: a null law, for devices without a coupling spring.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


ZERO_AT_REST = True
"""E(0) = 0."""


def energy(phi: float, p: P) -> float:
    return 0.0


def torque(phi: float, p: P) -> float:
    return 0.0


def stiffness(phi: float, p: P) -> float:
    return 0.0


def damping(rate: float, p: P) -> float:
    return 0.0
