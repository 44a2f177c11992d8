"""Edinburgh VSA: two equal springs from two servo horns to either side of a symmetric lever.

    V = sum k_s (|s_i| - s0)^2 / 2                                   compliant_actuators: 1.8
    s_1 = (-h - L sin u1, -d + L cos u1) + a (cos q, sin q)
    s_2 = ( h + L sin u2, -d + L cos u2) - a (cos q, sin q)

u1 is theta, u2 is x; h, d are `axis_x`, `axis_y`, L is `horn`, a `lever`, s0 `rest_length`. Spring
2 is spring 1 in a mirror: |s_2|(q, u) = |s_1|(-q, u), so V = W(q, u1) + W(-q, u2) with one W. Both
servos set both stiffness and equilibrium; V depends on more than q - theta, and the link's torque
is not the opposite of the motors'.

Left out: deflection limit, coils that touch (with the published numbers no spring is ever shorter
than s0 for u in 0 ... pi, so the formula needs no case for it).
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_s: Annotated[float, "N/m", (1.0, 1e6)]  # stiffness of one coil spring
    rest_length: Annotated[float, "m", (1e-3, 0.05)]  # of an unloaded spring
    horn: Annotated[float, "m", (1e-3, 0.029)]  # length of a servo horn
    lever: Annotated[float, "m", (1e-3, 0.029)]  # half length of the lever on the link
    axis_x: Annotated[float, "m", (5e-3, 0.5)]  # from joint to servo axis, to the side
    axis_y: Annotated[float, "m", (0.06, 0.5)]  # from joint to servo axis, backwards


ADJUSTER = "rad"
"""Unit of x: the angle u2 of the second servo."""


def across(q: float, u: float, p: P) -> float:
    """First component of s_1."""
    return -p.axis_x - p.horn * sin(u) + p.lever * cos(q)


def along(q: float, u: float, p: P) -> float:
    """Second component of s_1."""
    return -p.axis_y + p.horn * cos(u) + p.lever * sin(q)


def length(q: float, u: float, p: P) -> float:
    x = across(q, u, p)
    y = along(q, u, p)
    return sqrt(x * x + y * y)


def length_by_q(q: float, u: float, p: P) -> float:
    # s_1 along ds_1/dq, in which the lever's own part cancels
    turned = p.axis_x * sin(q) - p.axis_y * cos(q) + p.horn * cos(u - q)
    return p.lever * turned / length(q, u, p)


def length_by_u(q: float, u: float, p: P) -> float:
    # s_1 along ds_1/du, in which the horn's own part cancels
    turned = p.axis_x * cos(u) + p.axis_y * sin(u) - p.lever * cos(u - q)
    return p.horn * turned / length(q, u, p)


def tension(q: float, u: float, p: P) -> float:
    return p.k_s * (length(q, u, p) - p.rest_length)


def one_energy(q: float, u: float, p: P) -> float:
    """W."""
    longer = length(q, u, p) - p.rest_length
    return 0.5 * p.k_s * longer * longer


def one_stiffness(q: float, u: float, p: P) -> float:
    """d2W/dq2."""
    slope = length_by_q(q, u, p)
    # ds/dq . ds/dq + s . d2s/dq2, less the slope's square
    outward = p.axis_x * cos(q) + p.axis_y * sin(q) + p.horn * sin(u - q)
    bend = p.lever * outward - slope * slope
    return p.k_s * slope * slope + tension(q, u, p) * bend / length(q, u, p)


def one_coupling(q: float, u: float, p: P) -> float:
    """d2W/dq du."""
    slopes = length_by_q(q, u, p) * length_by_u(q, u, p)
    # dot product of ds/dq = a (-sin q, cos q) and ds/du = -L (cos u, sin u)
    turned = p.lever * p.horn * sin(q - u)
    return p.k_s * slopes + tension(q, u, p) * (turned - slopes) / length(q, u, p)


def energy(q: float, theta: float, x: float, p: P) -> float:
    return one_energy(q, theta, p) + one_energy(-q, x, p)


def torque(q: float, theta: float, x: float, p: P) -> float:
    one = tension(q, theta, p) * length_by_q(q, theta, p)
    return one - tension(-q, x, p) * length_by_q(-q, x, p)


def load(q: float, theta: float, x: float, p: P) -> float:
    return tension(q, theta, p) * length_by_u(q, theta, p)


def adjuster_load(q: float, theta: float, x: float, p: P) -> float:
    return tension(-q, x, p) * length_by_u(-q, x, p)


def stiffness(q: float, theta: float, x: float, p: P) -> float:
    return one_stiffness(q, theta, p) + one_stiffness(-q, x, p)


def coupling(q: float, theta: float, x: float, p: P) -> float:
    return -one_coupling(-q, x, p)
