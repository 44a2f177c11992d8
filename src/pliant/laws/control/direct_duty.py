"""No controller: the goal is the duty itself, within a limit.

    command = clip(goal, +-limit)                          servos_and_friction: Drive

For benches that command the power stage.

Left out: the loop itself, rates, filters.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import clipped


class P(NamedTuple):
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    pass


GOAL = "1"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return clipped(goal, p.limit)
