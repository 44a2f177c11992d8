"""Linear spring with transmission damping.

    E = k phi^2 / 2,  torque = k phi,  damping = d dphi      compliant_actuators: 1.1, 1.2

Published: k 200 and 400 N m/rad (WALK-MAN); (k, d) = (100, 0.3), (188, 0.5), (500, 1.5) (CENTAURO).

Left out: deflection limit, hysteresis.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k: Annotated[float, "N m/rad", (1e-3, 1e6)]  # stiffness
    d: Annotated[float, "N m s/rad", (0.0, 1e3)]  # damping of the transmission


ZERO_AT_REST = True
"""E(0) = 0."""


def energy(phi: float, p: P) -> float:
    return 0.5 * p.k * phi * phi


def torque(phi: float, p: P) -> float:
    return p.k * phi


def stiffness(phi: float, p: P) -> float:
    return p.k


def damping(rate: float, p: P) -> float:
    return p.d * rate
