"""No controller: the goal is the command itself (duty, or ampere), within a limit.

    command = clip(goal, +-limit)                             compliant_actuators: 3.1, mode 4

For torque-controlled actuators, and for benches that command the power stage.

Left out: everything else.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    limit: Annotated[float, "1", (1e-3, 1e3)]


class S(NamedTuple):
    pass


COMMAND = "any"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return min(max(goal, -p.limit), p.limit)
