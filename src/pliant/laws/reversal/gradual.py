"""Friction that recovers over a small displacement after a reversal, up to the budget.

    share = 1 - drop (1 - side z) / 2,   dz = (dq / reach) (1 - sign(dq) z),   -1 <= z <= 1

z is Dahl's deflection as a fraction of its largest; side is the direction in which the joint moves, or is
pushed at rest. So friction saturates at a budget that may depend on the load, not at a constant. dz is
integrated exactly over a step in one direction.

Source: Dahl, A solid friction model, Aerospace Corp. TOR-0158(3107-18)-1, 1968, for z.

Left out: torque returned by bent teeth and bearings (friction never drives), creep below the budget.
"""

from math import copysign, expm1
from typing import Annotated, NamedTuple

STILL: Annotated[float, "rad/s"] = 1e-3
"""Speed below which the push decides the side: while a solver holds the joint, its speed is meaningless."""


class P(NamedTuple):
    reach: Annotated[float, "rad", (1e-5, 1.0)]  # displacement over which friction recovers
    drop: Annotated[
        float, "1", (0.0, 1.0)
    ]  # fraction of the budget that is missing just after a reversal


REDUCES_TO = {"none": {"drop": 0.0}}


class S(NamedTuple):
    z: Annotated[float, "1"]  # deflection of the friction, from -1 to 1


def start(p: P) -> S:
    return S(0.0)


def step(s: S, v: float, p: P, h: float) -> S:
    side = copysign(1.0, v)
    # side + (z - side) exp(...), in the form that keeps a small motion in float32 too
    return S(s.z + (s.z - side) * expm1(-abs(v) * h / p.reach))


def share(s: S, v: float, tau: float, p: P) -> float:
    side = copysign(1.0, v) if abs(v) > STILL else copysign(1.0, tau)
    return 1.0 - 0.5 * p.drop * (1.0 - side * s.z)
