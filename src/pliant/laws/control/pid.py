"""PID on position with the derivative on the measurement and conditional anti-windup.

    duty = clip(k_p e + I - k_d v, +-limit),  dI = k_i e dt  compliant_actuators: 2.5

The integral holds still while the output is beyond its limit and the error would drive it further.

Left out: derivative filter, set-point weights, sampling at its own rate (the engine's business).
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_p: Annotated[float, "1/rad", (0.0, 1e4)]
    k_i: Annotated[float, "1/(rad s)", (0.0, 1e4)]
    k_d: Annotated[float, "s/rad", (0.0, 1e3)]
    limit: Annotated[float, "1", (1e-3, 1.0)]


class S(NamedTuple):
    integral: Annotated[float, "1"]


GOAL = "rad"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S(0.0)


def unlimited(s: S, goal: float, q: float, v: float, p: P) -> float:
    return p.k_p * (goal - q) + s.integral - p.k_d * v


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    e = goal - q
    u = unlimited(s, goal, q, v, p)
    if (u > p.limit and e > 0.0) or (u < -p.limit and e < 0.0):
        return s
    return S(s.integral + p.k_i * e * h)


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return min(max(unlimited(s, goal, q, v, p), -p.limit), p.limit)
