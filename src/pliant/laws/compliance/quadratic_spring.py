"""Quadratic spring: torque that grows with the square of the deflection.

    E = k |phi|^3 / 3,  torque = k phi |phi|                        compliant_actuators: 1.9

Two of them opposing each other at a preset s, theta = theta_eq +- s, are exactly linear: while both
stay loaded, |q - theta_eq| <= s, the stiffness is 4 k s.

Left out: deflection limit, hysteresis, damping.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k: Annotated[float, "N m/rad^2", (1e-3, 1e6)]  # torque per deflection squared


ZERO_AT_REST = True
"""E(0) = 0."""


def energy(phi: float, p: P) -> float:
    return p.k * phi * phi * abs(phi) / 3.0


def torque(phi: float, p: P) -> float:
    return p.k * phi * abs(phi)


def stiffness(phi: float, p: P) -> float:
    return 2.0 * p.k * abs(phi)


def damping(rate: float, p: P) -> float:
    return 0.0
