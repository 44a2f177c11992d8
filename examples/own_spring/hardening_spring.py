"""A spring that hardens with the cube of its deflection: rubber, or a leaf on a curved support.

    E = k phi^2 / 2 + c phi^4 / 4

Left out: hysteresis, creep, temperature.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k: Annotated[float, "N m/rad", (0.1, 1e3)]
    c: Annotated[float, "N m/rad^3", (0.0, 1e4)]


ZERO_AT_REST = True


def energy(phi: float, p: P) -> float:
    return (0.5 * p.k + 0.25 * p.c * phi * phi) * phi * phi


def torque(phi: float, p: P) -> float:
    return (p.k + p.c * phi * phi) * phi


def stiffness(phi: float, p: P) -> float:
    return p.k + 3.0 * p.c * phi * phi
