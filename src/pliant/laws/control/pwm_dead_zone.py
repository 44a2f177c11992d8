"""Position loop of a qbmove's firmware with the dead zone of its power stage.

    u = k_p e - k_d v,   c = clip(u, +-1)
    duty = 0 for |c| <= dead_zone, else (|c| - dead_zone) / (1 - dead_zone) sign(c), within +-limit
                                                                compliant_actuators: 2.3, 2.5

qbmove Maker Pro: 1e-3 and 8e-3 of full duty per tick of 2 pi / 65536 rad at 1 kHz, that is k_p
10.43 1/rad and k_d 0.0834 s/rad; dead_zone 0.3.

Left out: integral gain, limits of the reference, the firmware's difference over two samples.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._dead_zone import towards, wanted
from pliant.laws.control._pid import clipped


class P(NamedTuple):
    k_p: Annotated[float, "1/rad", (0.0, 1e4)]  # proportional gain
    k_d: Annotated[float, "s/rad", (0.0, 1e3)]  # derivative gain
    dead_zone: Annotated[float, "1", (0.0, 0.9)]  # duty that moves nothing
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    pass


GOAL = "rad"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    c = clipped(wanted(goal, q, v, p.k_p, p.k_d), 1.0)
    if abs(c) <= p.dead_zone:
        return 0.0
    beyond = abs(c) - p.dead_zone
    return towards(c, beyond / (1.0 - p.dead_zone), p.limit)
