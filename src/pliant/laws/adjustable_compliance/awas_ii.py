"""AwAS-II: a lever whose pivot the adjuster moves between spring and output.

    G = L/r_t x/(L - x),  V = K_s G^2 sin(phi)^2,  phi = q - theta       compliant_actuators: 1.4

x is the position of the pivot on the lever of length L (`arm`); as x approaches L the lever locks
and G grows without bound. The law clamps x to 0 ... 0.9 L: beyond that, V does not depend on x and
the pivot feels no force. The published simulator lacks the pivot force, -dV/dx.

Left out: deflection limit, friction of the pivot's screw. The published numbers are not the
hardware: at x = 0.04 m the torque at 0.3 rad is 1004 N m.
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_s: Annotated[float, "N m", (1e-2, 1e3)]  # torsional spring on the lever
    arm: Annotated[float, "m", (5e-3, 0.5)]  # length of the lever
    r_t: Annotated[float, "m", (1e-3, 0.5)]  # radius of the output


ADJUSTER = "m"
"""Unit of x: the position of the pivot."""
PART = 0.9
"""Usable fraction of the lever for the pivot."""


def on_lever(x: float, p: P) -> float:
    return min(max(x, 0.0 * p.arm), PART * p.arm)


def ratio(x: float, p: P) -> float:
    """G."""
    s = on_lever(x, p)
    return p.arm / p.r_t * s / (p.arm - s)


def ratio_slope(x: float, p: P) -> float:
    """dG/dx, 0 where the law clamps x."""
    s = on_lever(x, p)
    return p.arm / p.r_t * p.arm / ((p.arm - s) * (p.arm - s)) if s == x else 0.0 / p.arm


def energy(q: float, theta: float, x: float, p: P) -> float:
    g = ratio(x, p) * sin(q - theta)
    return p.K_s * g * g


def torque(q: float, theta: float, x: float, p: P) -> float:
    g = ratio(x, p)
    return p.K_s * g * g * sin(2.0 * (q - theta))


def load(q: float, theta: float, x: float, p: P) -> float:
    return -torque(q, theta, x, p)


def adjuster_load(q: float, theta: float, x: float, p: P) -> float:
    s = sin(q - theta)
    return 2.0 * p.K_s * ratio(x, p) * ratio_slope(x, p) * s * s


def stiffness(q: float, theta: float, x: float, p: P) -> float:
    g = ratio(x, p)
    return 2.0 * p.K_s * g * g * cos(2.0 * (q - theta))


def coupling(q: float, theta: float, x: float, p: P) -> float:
    return 2.0 * p.K_s * ratio(x, p) * ratio_slope(x, p) * sin(2.0 * (q - theta))


def adjuster_for(sigma: float, p: P) -> float:
    """The x at which the undeflected joint has stiffness `sigma` [N m/rad]."""
    g = sqrt(sigma / (2.0 * p.K_s)) * p.r_t
    return p.arm * g / (p.arm + g)
