"""The loop of `pwm_dead_zone` with the branch error of its released simulator.

    u = k_p e - k_d v
    duty = 0 for |u| <= dead_zone
         = -dead_zone / (1 - dead_zone) sign(u) for dead_zone < |u| <= 1: against the command
         = sign(u) for |u| > 1, within +-limit                  compliant_actuators: 2.3

The released code sets its output only where |u| > 1, and subtracts the dead zone from the 0 that
it holds otherwise. Published figures of the qbmove Maker Pro show the effect: the motor stops where
|u| = 1, about 0.094 rad short. Only for comparison with them; no device behaves like this.

Left out: the same as in `pwm_dead_zone`.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._dead_zone import towards, wanted


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
    u = wanted(goal, q, v, p.k_p, p.k_d)
    if abs(u) <= p.dead_zone:
        return 0.0
    duty = 1.0 if abs(u) > 1.0 else -p.dead_zone / (1.0 - p.dead_zone)
    return towards(u, duty, p.limit)
