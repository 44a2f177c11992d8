"""A rotor that follows its reference with a first-order lag, under any load.

    tau_s dth = reference - th            compliant_actuators: 1.4

For a stiffness adjuster behind a self-locking screw. Its angle may be a length: then read m for
rad. The step is exact for a constant reference.

Left out: the load on it (use the rotor `inertia` for an adjuster that yields), a speed limit.
"""

from math import exp, expm1
from typing import Annotated, NamedTuple


class P(NamedTuple):
    tau_s: Annotated[float, "s", (1e-6, 10.0)]  # time constant


class S(NamedTuple):
    theta: Annotated[float, "rad"]  # angle of the rotor
    omega: Annotated[float, "rad/s"]  # its speed


def start(q: float, p: P) -> S:
    return S(q, 0.0)


def drift(s: S, reference: float, p: P, h: float) -> S:
    away = reference - s.theta
    return S(s.theta - expm1(-h / p.tau_s) * away, exp(-h / p.tau_s) * away / p.tau_s)


def kick(s: S, tau_m: float, tau: float, p: P, h: float) -> S:
    return s


def mobility(p: P) -> float:
    return 0.0


def damping(p: P) -> float:
    return 0.0
