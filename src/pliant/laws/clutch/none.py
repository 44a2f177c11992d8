"""No clutch: the spring is bolted to the frame, and nothing brakes.

Left out: everything.
"""

from typing import Annotated, NamedTuple

ALL: Annotated[float, "N m"] = 1e12


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


def start(p: P) -> S:
    return S()


def step(s: S, command: float, p: P, h: float) -> S:
    return s


def capacity(s: S, p: P) -> float:
    return ALL


def damping(s: S, p: P) -> float:
    return 0.0


def most_damping(p: P) -> float:
    return 0.0
