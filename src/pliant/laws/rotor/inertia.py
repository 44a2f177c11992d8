"""A rotor with viscous drag, all seen behind the gearbox.

    J dom = tau - D om,   dth = om                        compliant_actuators: 2.1

The speed is exact for a torque that is constant within the step, so that no drag is too strong for
the step. The angle moves before the speed: rotor and link then feel the spring in the same pose.
At a stop the angle is clamped and the speed zero.

Left out: a stop that gives, gearbox elasticity, the speed limit that the published code never
enforces.
"""

from math import expm1
from typing import Annotated, NamedTuple


class P(NamedTuple):
    J: Annotated[float, "kg m^2", (1e-6, 1e3)]
    D: Annotated[float, "N m s/rad", (0.0, 1e3)]
    low: Annotated[float, "rad", (-1e3, 0.0)]
    high: Annotated[float, "rad", (0.0, 1e3)]


class S(NamedTuple):
    theta: Annotated[float, "rad"]
    omega: Annotated[float, "rad/s"]


def start(q: float, p: P) -> S:
    return S(min(max(q, p.low), p.high), 0.0)


def drift(s: S, reference: float, p: P, h: float) -> S:
    theta = s.theta + h * s.omega
    if theta > p.high:
        return S(p.high, min(s.omega, 0.0))
    if theta < p.low:
        return S(p.low, max(s.omega, 0.0))
    return S(theta, s.omega)


def kick(s: S, tau: float, p: P, h: float) -> S:
    a = h * p.D / p.J
    lost = -expm1(-a)
    share = 1.0 - 0.5 * a
    if a > 1e-5:
        share = lost / a
    return S(s.theta, s.omega * (1.0 - lost) + h * tau / p.J * share)


def mobility(p: P) -> float:
    return 1.0 / p.J


def damping(p: P) -> float:
    return p.D
