"""No controller: the goal is the current itself, within a limit.

    command = clip(goal, +-limit)                          servos_and_friction: Drive

For torque-controlled actuators.

Left out: the loop itself, rates, filters.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import clipped


class P(NamedTuple):
    limit: Annotated[float, "A", (1e-3, 1e3)]  # largest current


class S(NamedTuple):
    pass


GOAL = "A"
COMMAND = "A"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return clipped(goal, p.limit)
