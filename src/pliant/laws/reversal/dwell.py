"""Static friction that rises with the time at rest, up to the budget.

    share = 1 in motion;   at rest for a time t   share = 1 - drop t_d / (t + t_d)

the rising static friction of the seven-parameter model. `drop` is the part of the budget at rest that is
missing when motion has just ended; it should not exceed what the budget has more at rest than in slow
motion (Stribeck), or friction would dip on stopping. At first the joint has rested for long.

Source: Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30(7), 1994, 1083-1138, the seven-parameter
model; also Budapest University of Technology, Robot Applications, 8.3.6 and 8.4.2.1. No servo with
published numbers for it is known.

Left out: that a faster push breaks loose at less; frictional memory, the lag of friction behind speed.
"""

from typing import Annotated, NamedTuple

STILL: Annotated[float, "rad/s"] = 1e-3
"""Below it a joint rests: one that a solver holds has a speed of no meaning."""
LONG: Annotated[float, "s"] = 1e6
"""Time that the joint has rested at first."""


class P(NamedTuple):
    t_d: Annotated[float, "s", (1e-3, 1e4)]  # time at rest in which half of `drop` has come back
    drop: Annotated[float, "1", (0.0, 1.0)]  # part of the budget missing just after stopping


REDUCES_TO = {"none": {"drop": 0.0}}


class S(NamedTuple):
    rested: Annotated[float, "s"]  # since it came to rest; 0 while it moves


def start(p: P) -> S:
    return S(LONG)


def step(s: S, v: float, p: P, h: float) -> S:
    if abs(v) > STILL:
        return S(0.0 * h)
    return S(min(s.rested + h, LONG))


def share(s: S, v: float, tau: float, p: P) -> float:
    if abs(v) > STILL or s.rested <= 0.0:
        return 1.0
    return 1.0 - p.drop * p.t_d / (s.rested + p.t_d)
