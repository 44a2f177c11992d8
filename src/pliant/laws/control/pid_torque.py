"""PID on position that commands a torque; the law of `pid` in newton metres.

    torque = clip(k_p e + I - k_d v, +-limit),  dI = k_i e dt  compliant_actuators: 2.5

What the published plugins run: k_p 125, k_i 0, k_d 4.5 before a motor of 6 N m; on the link itself
0.8, 0, 0.2.

Left out: derivative filter, set-point weights.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import clipped, integrated, unlimited


class P(NamedTuple):
    k_p: Annotated[float, "N m/rad", (0.0, 1e6)]
    k_i: Annotated[float, "N m/(rad s)", (0.0, 1e6)]
    k_d: Annotated[float, "N m s/rad", (0.0, 1e5)]
    limit: Annotated[float, "N m", (1e-3, 1e4)]


class S(NamedTuple):
    integral: Annotated[float, "N m"]


GOAL = "rad"
COMMAND = "N m"


def start(q: float, p: P) -> S:
    return S(0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    e = goal - q
    u = unlimited(s.integral, e, v, p.k_p, p.k_d)
    return S(integrated(s.integral, u, e, p.k_i, p.limit, h))


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return clipped(unlimited(s.integral, goal - q, v, p.k_p, p.k_d), p.limit)
