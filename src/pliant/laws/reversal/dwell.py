"""Static friction that rises with the time at rest before the motion, up to the budget.

    share = 1 - drop t_d / (t + t_d) exp(-(v / v_s)^2)

t is the time at rest so far, and while the joint moves, that of its last rest: what a short rest has not
built up is missing in the slow motion after it too. `drop` is the part of the budget at rest that is missing
after no rest at all; it should not exceed what the budget has more there than in motion (Stribeck), and v_s
be as that of the budget. At first the joint has rested for long.

Source: Duclusaud et al., ICRA 2025, VII-A, names the effect as one that its models leave out. The form is chosen
here: the simplest that rises and saturates. No numbers of a servo were found for it.

Left out: that a faster push breaks loose at less; frictional memory, the lag of friction behind speed.
"""

from math import exp
from typing import Annotated, NamedTuple

STILL: Annotated[float, "rad/s"] = 1e-3
"""Below it a joint rests: one that a solver holds has a speed of no meaning."""
LONG: Annotated[float, "s"] = 1e6
"""Time that the joint has rested at first."""


class P(NamedTuple):
    t_d: Annotated[float, "s", (1e-3, 1e4)]  # time at rest in which half of `drop` has come back
    drop: Annotated[float, "1", (0.0, 1.0)]  # part of the budget missing after no rest
    v_s: Annotated[float, "rad/s", (1e-3, 0.15)]  # speed at which that no longer matters


REDUCES_TO = {"none": {"drop": 0.0}}


class S(NamedTuple):
    rested: Annotated[float, "s"]  # at rest, so far or the last time
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
