"""Static friction that rises with the time at rest before the motion, up to the budget.

    share = 1 - drop t_d / (t + t_d) exp(-(v / v_s)^2)

t is the time at rest so far or, while the joint moves, that of its last rest: friction that a short rest did
not build up is also missing in the slow motion after it. `drop` is the fraction of the budget at rest that is
missing after no rest at all; it should not exceed the budget's Stribeck excess, and v_s should equal the
budget's. The joint starts as if it had rested for long.

Source: Duclusaud et al., ICRA 2025, VII-A, names the effect as one that its models leave out. The form is this
project's: the simplest that rises and saturates. No published values for a servo were found.

Left out: lower breakaway friction under a faster push; frictional memory, the lag of friction behind speed.
"""

from math import exp
from typing import Annotated, NamedTuple

STILL: Annotated[float, "rad/s"] = 1e-3
"""Speed below which a joint counts as at rest: while a solver holds it, its speed is meaningless."""
LONG: Annotated[float, "s"] = 1e6
"""Time that the joint has rested at the start."""


class P(NamedTuple):
    t_d: Annotated[float, "s", (1e-3, 1e4)]  # time at rest after which half of `drop` has recovered
    drop: Annotated[float, "1", (0.0, 1.0)]  # fraction of the budget missing after no rest
    v_s: Annotated[float, "rad/s", (1e-3, 0.15)]  # speed at which the loss has fallen to 1/e


REDUCES_TO = {"none": {"drop": 0.0}}


class S(NamedTuple):
    rested: Annotated[float, "s"]  # time at rest, so far or in the last rest
    moving: Annotated[float, "1"]  # 1: in motion, 0: at rest


def start(p: P) -> S:
    return S(LONG, 0.0)


def step(s: S, v: float, p: P, h: float) -> S:
    if abs(v) > STILL:
        return S(s.rested, 1.0)
    return S(min((1.0 - s.moving) * s.rested + h, LONG), 0.0)


def share(s: S, v: float, tau: float, p: P) -> float:
    r = v / p.v_s
    return 1.0 - p.drop * p.t_d / (s.rested + p.t_d) * exp(-r * r)
