"""Elasto-plastic stop (Prandtl element): a spring that slips at its breakaway torque.

    z = theta - w,  |z| <= z_max = tau_f / k_z,  torque = k_z z    compliant_actuators: 2.4

The limit of Hayward and Armstrong (2000) without any creep below breakaway.

Left out: the Stribeck drop, viscous friction, load. Coupled explicitly to an inertia J its spring
needs steps below 2 sqrt(J / k_z).
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    tau_f: Annotated[float, "N m", (1e-6, 100.0)]  # breakaway torque
    k_z: Annotated[float, "N m/rad", (1.0, 1e5)]  # stiffness before it slips


class S(NamedTuple):
    z: Annotated[float, "rad"]  # deflection of the spring


EXACT = True
"""A step of any length is exact for motion in one direction."""


def start(p: P) -> S:
    return S(0.0)


def step(s: S, dtheta: float, p: P) -> S:
    z_max = p.tau_f / p.k_z
    return S(min(max(s.z + dtheta, -z_max), z_max))


def torque(s: S, p: P) -> float:
    return p.k_z * s.z


def energy(s: S, p: P) -> float:
    return 0.5 * p.k_z * s.z * s.z


def stiffness(p: P) -> float:
    return p.k_z
