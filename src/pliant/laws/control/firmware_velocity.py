"""Velocity loop of a bus servo in wheel mode: duty from the error of the speed.

    duty = clip(k_p e + I, +-limit),  dI = k_i e dt,  e = goal - v
                        Source: ROBOTIS e-manual, velocity control mode of the X series

The goal is a speed. The integral holds still while the output is beyond its limit and the error would
drive it further. Registers convert to these gains by the firmware's units, which data sheets rarely state.

Left out: acceleration profiles, the resolution of the measured speed, the firmware's sampling.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import advanced, output


class P(NamedTuple):
    k_p: Annotated[float, "s/rad", (0.0, 1e3)]  # proportional gain
    k_i: Annotated[float, "1/rad", (0.0, 1e4)]  # integral gain
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    integral: Annotated[float, "1"]  # integral part of the output


GOAL = "rad/s"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S(0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return S(advanced(s.integral, goal - v, 0.0, p.k_p, p.k_i, 0.0, p.limit, h))


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return output(s.integral, goal - v, 0.0, p.k_p, 0.0, p.limit)
