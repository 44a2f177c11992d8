"""The controller runs at its own rate, f_c, and holds its command in between.

    update when n mod round(f_s / f_c) = 0                compliant_actuators: 4.1

Whole steps are counted: the published condition, t mod (1 / f_c) < eps, misses an update where the
remainder of a rounded time falls just below 1 / f_c. The controller's period is rounded to whole
steps, at least one.

Left out: jitter, a phase other than that of the simulation.
"""

from math import floor
from typing import Annotated, NamedTuple


class P(NamedTuple):
    f_c: Annotated[float, "1/s", (1e-2, 1e6)]  # rate of the controller


class S(NamedTuple):
    ticks: Annotated[float, "1"]  # steps since its last update


def start(p: P) -> S:
    return S(0.0)


def due(s: S, p: P) -> float:
    if s.ticks < 0.5:
        return 1.0
    return 0.0


def step(s: S, p: P, h: float) -> S:
    ticks = s.ticks + 1.0
    if ticks + 0.5 > steps(p, h):
        return S(0.0)
    return S(ticks)


TIE = 1e-5
"""Makes halves round up in either precision."""


def steps(p: P, h: float) -> float:
    return max(floor(1.0 / (p.f_c * h) + 0.5 + TIE), 1.0)


def period(p: P, h: float) -> float:
    return h * steps(p, h)
