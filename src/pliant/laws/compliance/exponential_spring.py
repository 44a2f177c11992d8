"""Exponential spring: one of the two of a BAVS.

    E = k/k_e (b exp(-k_e phi) + a exp(k_e phi)),  torque = k (a exp(k_e phi) - b exp(-k_e phi))
                                                                    compliant_actuators: 1.5

The other spring of a BAVS is the same with a and b exchanged. Unless a = b it exerts a torque
at phi = 0, and its energy is never zero. a k and b k are torques.

Left out: deflection limit, hysteresis, damping.
"""

from math import exp
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k: Annotated[float, "N m", (1e-3, 1e6)]  # torque per weight
    a: Annotated[float, "1", (1e-9, 1e-3)]  # weight of the rising exponential
    b: Annotated[float, "1", (1e-9, 1e-3)]  # weight of the falling exponential
    k_e: Annotated[float, "1/rad", (0.1, 25.0)]  # steepness


ZERO_AT_REST = False
"""E(0) = k/k_e (a + b): the springs of a BAVS are always under load."""


def energy(phi: float, p: P) -> float:
    return p.k / p.k_e * (p.b * exp(-p.k_e * phi) + p.a * exp(p.k_e * phi))


def torque(phi: float, p: P) -> float:
    return p.k * (p.a * exp(p.k_e * phi) - p.b * exp(-p.k_e * phi))


def stiffness(phi: float, p: P) -> float:
    return p.k * p.k_e * (p.a * exp(p.k_e * phi) + p.b * exp(-p.k_e * phi))


def damping(rate: float, p: P) -> float:
    return 0.0
