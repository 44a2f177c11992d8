"""Motor under a torque loop, as `scaled_torque`; unpowered it brakes in proportion to its speed.

    powered: tau = scale command, unpowered: tau = -d_off v,   i = tau / k_t
                                                          servos_and_friction: Drive

A quasi-direct drive has so little friction that what its motor does when its torque is off is a part of
its motion: windings that the driver shorts brake with k_t^2 / R, iron losses with less.

Source: the equations of a DC motor whose terminals are joined, u = 0: i = -k_t v / R, so that tau is
-(k_t^2 / R) v. That a driver joins them while it is off is an assumption; makers rarely say, and a driver
that opens them leaves iron losses alone. d_off is therefore no number of a data sheet: identify it on logs
with the torque off.

Left out: the voltage limit, the dynamics of the current loop, saturation, braking beyond the speed at
which the winding's inductance limits its current.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    scale: Annotated[float, "1", (0.1, 10.0)]  # real torque over torque asked for
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # only to tell the current
    d_off: Annotated[float, "N m s/rad", (0.0, 100.0)]  # damping while unpowered


COMMAND = "N m"
OFF_BRAKES = True
"""Unpowered, it resists motion."""


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return 0.0


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return torque(command, on, v, bus, p) / p.k_t


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * p.scale * command - (1.0 - on) * p.d_off * v
