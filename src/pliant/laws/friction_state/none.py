"""No friction: a null law, so that topologies need no special case.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


EXACT = True


def start(p: P) -> S:
    return S()


def step(s: S, dtheta: float, p: P) -> S:
    return s


def torque(s: S, p: P) -> float:
    return 0.0


def energy(s: S, p: P) -> float:
    return 0.0


def stiffness(p: P) -> float:
    return 0.0
