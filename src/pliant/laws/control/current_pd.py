"""Proportional-derivative law that commands a current (eRob80 and other current-loop drives).

    i = clip(gain kp e - damping_gain sqrt(kp) v, +-limit)   servos_and_friction: Firmware laws

eRob80: gain 1, limit 12 A, damping_gain 2 with the 100:1 gear and 1 with the 50:1 gear.

Left out: integral gain, profiles, the current loop's own dynamics.
"""

from math import sqrt
from typing import Annotated, NamedTuple


class P(NamedTuple):
    gain: Annotated[float, "A/rad", (1e-3, 1e3)]  # output per unit of kp and error
    kp: Annotated[float, "1", (0.0, 1e5)]  # the register's proportional gain
    damping_gain: Annotated[float, "A s/rad", (0.0, 1e3)]  # output per root of kp and speed
    limit: Annotated[float, "A", (1e-3, 1e3)]  # largest current


class S(NamedTuple):
    pass


GOAL = "rad"
COMMAND = "A"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    i = p.gain * p.kp * (goal - q) - p.damping_gain * sqrt(p.kp) * v
    return min(max(i, -p.limit), p.limit)
