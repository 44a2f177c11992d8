"""A motor whose driver is off brakes in proportion to its speed, and its gear sticks more.

    tau = -d_off v,   budget (1 + more)        while off

Windings that the driver shorts brake with k_t^2 / R, iron losses with less; an open bridge does not brake
(d_off = 0). A driver that switches shakes the gear a little; without it friction is larger by `more`.

Source: the equations of a DC motor whose terminals are joined, u = 0: i = -k_t v / R, so that tau is
-(k_t^2 / R) v. That a driver joins them is an assumption, and so is that friction grows (dither lowers it:
Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30, 1994, 1083): makers rarely say. Neither number is of a
data sheet: identify them on logs with the torque off.

Left out: braking beyond the speed at which the winding's inductance limits its current.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    d_off: Annotated[float, "N m s/rad", (0.0, 100.0)]  # damping while unpowered
    more: Annotated[float, "1", (0.0, 3.0)]  # friction that comes on top while unpowered


class S(NamedTuple):
    off: Annotated[float, "1"]  # 1 while the driver is off


REDUCES_TO = {"none": {"d_off": 0.0, "more": 0.0}}


def start(p: P) -> S:
    return S(0.0)


def step(s: S, on: float, p: P) -> S:
    return S(1.0 - on)


def torque(on: float, v: float, p: P) -> float:
    return -(1.0 - on) * p.d_off * v


def friction_factor(s: S, p: P) -> float:
    return 1.0 + s.off * p.more
