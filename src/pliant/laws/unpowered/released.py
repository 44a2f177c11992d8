"""While its driver is off, a motor brakes in proportion to its speed, and its gear has more friction.

    tau = -d_off v,   budget (1 + more)        while off

Windings shorted by the driver brake with k_t^2 / R, iron losses with less; an open bridge does not brake
(d_off = 0). A switching driver shakes the gear a little; without that, friction is larger by `more`.

Source: the equations of a DC motor with shorted terminals, u = 0: i = -k_t v / R, so tau is
-(k_t^2 / R) v. That a driver shorts them is an assumption, and so is the rise of friction (dither lowers it:
Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30, 1994, 1083): makers rarely say. Data sheets give
neither number: identify both on logs with the torque off.

Left out: braking beyond the speed at which the winding's inductance limits its current.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    d_off: Annotated[float, "N m s/rad", (0.0, 100.0)]  # damping while unpowered
    more: Annotated[float, "1", (0.0, 3.0)]  # additional friction while unpowered, as a fraction


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
