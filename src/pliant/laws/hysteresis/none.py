"""No hysteresis: the spring's torque depends only on its deflection.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


def start(phi: float, p: P) -> S:
    return S()


def step(s: S, phi: float, p: P) -> S:
    return s


def torque(s: S, p: P) -> float:
    return 0.0


def energy(s: S, p: P) -> float:
    return 0.0


def lost(s: S, rate: float, p: P) -> float:
    return 0.0


def stiffest(p: P) -> float:
    return 0.0
