"""An absolute encoder with a finite step: the nearest multiple of `quantum`.

    measured = quantum floor(x / quantum + 1/2)             compliant_actuators: 4.2

12 bit: 2 pi / 4096 = 1.534e-3 rad. A device that truncates instead of rounding differs by half a
step, which the mounting offset absorbs.

Left out: noise, non-linearity, delay, hysteresis.
"""

from math import floor
from typing import Annotated, NamedTuple


class P(NamedTuple):
    quantum: Annotated[float, "rad", (1e-7, 0.1)]  # step of the encoder


class S(NamedTuple):
    pass


def start(p: P) -> S:
    return S()


def step(s: S, p: P, h: float) -> S:
    return s


def measured(s: S, x: float, p: P) -> float:
    return p.quantum * floor(x / p.quantum + 0.5)
