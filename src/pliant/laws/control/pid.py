"""PID on position with the derivative on the measurement and conditional anti-windup.

    duty = clip(k_p e + I - k_d v, +-limit),  dI = k_i e dt  compliant_actuators: 2.5

The integral is frozen while the output is beyond its limit and the error would push it further.

Left out: derivative filter, set-point weights.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import advanced, output


class P(NamedTuple):
    k_p: Annotated[float, "1/rad", (0.0, 1e4)]  # proportional gain
    k_i: Annotated[float, "1/(rad s)", (0.0, 1e4)]  # integral gain
    k_d: Annotated[float, "s/rad", (0.0, 1e3)]  # derivative gain
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    integral: Annotated[float, "1"]  # integral part of the output


GOAL = "rad"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S(0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return S(advanced(s.integral, goal - q, v, p.k_p, p.k_i, p.k_d, p.limit, h))


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return output(s.integral, goal - q, v, p.k_p, p.k_d, p.limit)
