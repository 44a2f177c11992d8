"""A rotor with viscous drag, as seen behind the gearbox.

    J dom = tau_m + tau - D om,   dth = om                compliant_actuators: 2.1

The speed is exact for torques that are constant within the step, so no drag is too strong for the
step. The angle moves before the speed: rotor and link then feel the spring in the same pose.
At a stop the angle is clamped and the speed zero.

The motor does not drive the rotor beyond `max_speed`: its torque tau_m is reduced, to zero if
necessary, so that the step ends there. It still brakes, and tau, from spring and friction, may turn
the rotor faster. The speed approaches the limit as if there were none and stays there, at any step.

Left out: a compliant stop, gearbox elasticity.
"""

from math import expm1
from typing import Annotated, NamedTuple


class P(NamedTuple):
    J: Annotated[float, "kg m^2", (1e-6, 1e3)]  # inertia of the rotor behind the gear
    D: Annotated[float, "N m s/rad", (0.0, 1e3)]  # viscous drag behind the gear
    low: Annotated[float, "rad", (-1e3, 0.0)]  # lower stop
    high: Annotated[float, "rad", (0.0, 1e3)]  # upper stop
    max_speed: Annotated[float, "rad/s", (1e-3, 1e3)]  # speed to which the motor drives


class S(NamedTuple):
    theta: Annotated[float, "rad"]  # angle of the rotor behind the gear
    omega: Annotated[float, "rad/s"]  # its speed


def start(q: float, p: P) -> S:
    return S(min(max(q, p.low), p.high), 0.0)


def drift(s: S, reference: float, p: P, h: float) -> S:
    theta = s.theta + h * s.omega
    if theta > p.high:
        return S(p.high, min(s.omega, 0.0))
    if theta < p.low:
        return S(p.low, max(s.omega, 0.0))
    return S(theta, s.omega)


def kick(s: S, tau_m: float, tau: float, p: P, h: float) -> S:
    per = h / p.J
    a = per * p.D
    lost = -expm1(-a)
    share = 1.0 - 0.5 * a
    if a > 1e-5:
        share = lost / a
    gain = per * share
    coasting = s.omega * (1.0 - lost) + gain * tau
    driven = coasting + gain * tau_m
    driven = min(driven, max(coasting, p.max_speed))
    return S(s.theta, max(driven, min(coasting, -p.max_speed)))


def mobility(p: P) -> float:
    return 1.0 / p.J


def damping(p: P) -> float:
    return p.D
