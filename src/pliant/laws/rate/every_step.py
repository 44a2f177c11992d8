"""The controller runs in every step of the actuator.

Left out: the controller's own rate; see `sampled`.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


def start(p: P) -> S:
    return S()


def due(s: S, p: P) -> float:
    return 1.0


def step(s: S, p: P, h: float) -> S:
    return s


def period(p: P, h: float) -> float:
    return h
