"""MACCEPA: one spring from a lever on the motor to a point on the link, pretensioned by a drum.

    alpha = theta - q,  A = sqrt(B^2 + C^2 - 2 B C cos(alpha))
    extension = A - |C - B| + r x + P0,  V = k_s extension^2 / 2     compliant_actuators: 1.7

B is the lever, C the distance of the spring's other end, r the drum's radius. A rope cannot push:
below zero extension there is no energy.

Left out: deflection limit, elasticity of the rope, variable damping.
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_s: Annotated[float, "N/m", (1.0, 1e6)]  # stiffness of the coil spring
    B: Annotated[float, "m", (1e-3, 0.09)]  # lever on the motor
    C: Annotated[float, "m", (0.1, 1.0)]  # from joint to the spring's end on the link
    r: Annotated[float, "m", (1e-3, 0.1)]  # radius of the drum
    P0: Annotated[float, "m", (0.0, 0.1)]  # extension with the drum at 0


ADJUSTER = "rad"
"""Unit of x: the angle of the drum that pretensions the spring."""


def distance(alpha: float, p: P) -> float:
    """A, between the ends of the spring and its rope."""
    s = sin(0.5 * alpha)
    return sqrt((p.C - p.B) * (p.C - p.B) + 4.0 * p.B * p.C * s * s)


def distance_slope(alpha: float, p: P) -> float:
    return p.B * p.C * sin(alpha) / distance(alpha, p)


def distance_curvature(alpha: float, p: P) -> float:
    slope = distance_slope(alpha, p)
    return (p.B * p.C * cos(alpha) - slope * slope) / distance(alpha, p)


def extension(alpha: float, x: float, p: P) -> float:
    s = sin(0.5 * alpha)
    # A - |C - B|, in the form that keeps a small angle
    longer = 4.0 * p.B * p.C * s * s / (distance(alpha, p) + abs(p.C - p.B))
    return max(longer + p.r * x + p.P0, 0.0 * p.r)


def energy(q: float, theta: float, x: float, p: P) -> float:
    e = extension(theta - q, x, p)
    return 0.5 * p.k_s * e * e


def torque(q: float, theta: float, x: float, p: P) -> float:
    return -load(q, theta, x, p)


def load(q: float, theta: float, x: float, p: P) -> float:
    return p.k_s * extension(theta - q, x, p) * distance_slope(theta - q, p)


def adjuster_load(q: float, theta: float, x: float, p: P) -> float:
    return p.k_s * extension(theta - q, x, p) * p.r


def stiffness(q: float, theta: float, x: float, p: P) -> float:
    e = extension(theta - q, x, p)
    slope = distance_slope(theta - q, p)
    if e == 0.0:
        return 0.0
    return p.k_s * (slope * slope + e * distance_curvature(theta - q, p))


def coupling(q: float, theta: float, x: float, p: P) -> float:
    if extension(theta - q, x, p) == 0.0:
        return 0.0
    return -p.k_s * p.r * distance_slope(theta - q, p)


def adjuster_for(sigma: float, p: P) -> float:
    """The x at which the undeflected joint has stiffness `sigma` [N m/rad]."""
    e = sigma / (p.k_s * distance_curvature(0.0, p))
    return (e - p.P0) / p.r
