"""PID on position that commands a torque; the law of `pid` in newton metres.

    torque = clip(k_p e + I - k_d v, +-limit),  dI = k_i e dt  compliant_actuators: 2.5

The published plugins use k_p 125, k_i 0, k_d 4.5 before a motor of 6 N m, and 0.8, 0, 0.2 on the
link itself.

Left out: derivative filter, set-point weights.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import advanced, output


class P(NamedTuple):
    k_p: Annotated[float, "N m/rad", (0.0, 1e6)]  # proportional gain
    k_i: Annotated[float, "N m/(rad s)", (0.0, 1e6)]  # integral gain
    k_d: Annotated[float, "N m s/rad", (0.0, 1e5)]  # derivative gain
    limit: Annotated[float, "N m", (1e-3, 1e4)]  # largest torque


class S(NamedTuple):
    integral: Annotated[float, "N m"]  # integral part of the output


GOAL = "rad"
COMMAND = "N m"


def start(q: float, p: P) -> S:
    return S(0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return S(advanced(s.integral, goal - q, v, p.k_p, p.k_i, p.k_d, p.limit, h))


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return output(s.integral, goal - q, v, p.k_p, p.k_d, p.limit)
