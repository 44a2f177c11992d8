"""No controller: the goal is the torque itself, within a limit.

    command = clip(goal, +-limit)          compliant_actuators: 3.1

For the operation modes that command motor torques.

Left out: the loop itself, rates, filters.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import clipped


class P(NamedTuple):
    limit: Annotated[float, "N m", (1e-3, 1e4)]  # largest torque


class S(NamedTuple):
    pass


GOAL = "N m"
COMMAND = "N m"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return clipped(goal, p.limit)
