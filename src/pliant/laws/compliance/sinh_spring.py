"""Hyperbolic-sine spring: one of the two of a qbmove.

    E = k/a (cosh(a phi) - 1),  torque = k sinh(a phi)              compliant_actuators: 1.6

Two of them, on q - theta_1 and q - theta_2, make a qbmove Maker Pro, Cube or Advanced. k is a
torque and a an inverse angle; the paper on iterative learning prints them swapped.

Left out: deflection limit, hysteresis; the spring's own damping is linear.
"""

from math import cosh, sinh
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k: Annotated[float, "N m", (1e-6, 100.0)]  # torque per unit of sinh
    a: Annotated[float, "1/rad", (0.1, 25.0)]  # steepness
    d: Annotated[float, "N m s/rad", (0.0, 1e3)]  # damping of the spring


ZERO_AT_REST = True
"""E(0) = 0."""


def energy(phi: float, p: P) -> float:
    # cosh(x) - 1 = 2 sinh(x/2)^2, which keeps a small deflection
    half = sinh(0.5 * p.a * phi)
    return 2.0 * p.k / p.a * half * half


def torque(phi: float, p: P) -> float:
    return p.k * sinh(p.a * phi)


def stiffness(phi: float, p: P) -> float:
    return p.a * p.k * cosh(p.a * phi)


def damping(rate: float, p: P) -> float:
    return p.d * rate
