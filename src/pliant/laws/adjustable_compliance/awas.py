"""AwAS: springs on a lever whose arm the adjuster changes, their pivot fixed.

    r = r0 - b x,  V = k_s r^2 sin(phi)^2,  phi = q - theta          compliant_actuators: 1.3

No public source gives the hardware's numbers; see the preset for what is assumed.

Left out: deflection limit, friction of the spindle, the arm's end stops.
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_s: Annotated[float, "N/m", (1.0, 1e6)]  # stiffness of one coil spring
    r0: Annotated[float, "m", (1e-3, 1.0)]  # arm with the adjuster at 0
    b: Annotated[float, "m/rad", (1e-5, 0.1)]  # arm lost per angle of the adjuster


ADJUSTER = "rad"
"""Unit of x: the angle of the motor that moves the springs along the arm."""


def energy(q: float, theta: float, x: float, p: P) -> float:
    r = p.r0 - p.b * x
    s = sin(q - theta)
    return p.k_s * r * r * s * s


def torque(q: float, theta: float, x: float, p: P) -> float:
    r = p.r0 - p.b * x
    return p.k_s * r * r * sin(2.0 * (q - theta))


def load(q: float, theta: float, x: float, p: P) -> float:
    return -torque(q, theta, x, p)


def adjuster_load(q: float, theta: float, x: float, p: P) -> float:
    r = p.r0 - p.b * x
    s = sin(q - theta)
    return -2.0 * p.k_s * p.b * r * s * s


def stiffness(q: float, theta: float, x: float, p: P) -> float:
    r = p.r0 - p.b * x
    return 2.0 * p.k_s * r * r * cos(2.0 * (q - theta))


def coupling(q: float, theta: float, x: float, p: P) -> float:
    r = p.r0 - p.b * x
    return -2.0 * p.k_s * p.b * r * sin(2.0 * (q - theta))


def adjuster_for(sigma: float, p: P) -> float:
    """The x at which the undeflected joint has stiffness `sigma` [N m/rad]."""
    return (p.r0 - sqrt(sigma / (2.0 * p.k_s))) / p.b
