"""An open bridge: no current flows, and friction is unchanged; a null law.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


def start(p: P) -> S:
    return S()


def step(s: S, on: float, p: P) -> S:
    return s


def torque(on: float, v: float, p: P) -> float:
    return 0.0


def friction_factor(s: S, p: P) -> float:
    return 1.0
