"""Dahl friction: a spring whose anchor always slips a little.

    dz = dtheta - z |dtheta| / z_max,  z_max = tau_f / k_z,  torque = k_z z
                                           compliant_actuators: 2.4, alpha = 1 / z_max

Integrated exactly over a motion in one direction:
z -> +-z_max + (z -+ z_max) exp(-|dtheta| / z_max).

Left out: a true stick zone (a biased joint that vibrates drifts), the Stribeck drop, load.
"""

from math import copysign, expm1
from typing import Annotated, NamedTuple


class P(NamedTuple):
    tau_f: Annotated[float, "N m", (1e-6, 10.0)]  # breakaway torque
    k_z: Annotated[float, "N m/rad", (1.0, 1e5)]  # stiffness before it slips


class S(NamedTuple):
    z: Annotated[float, "rad"]  # deflection of the spring


EXACT = True


def start(p: P) -> S:
    return S(0.0)


def step(s: S, dtheta: float, p: P) -> S:
    z_max = p.tau_f / p.k_z
    slip = copysign(z_max, dtheta)
    # slip + (z - slip) exp(...), in the form that keeps a small motion in float32 too
    return S(s.z + (s.z - slip) * expm1(-abs(dtheta) / z_max))


def torque(s: S, p: P) -> float:
    return p.k_z * s.z


def energy(s: S, p: P) -> float:
    return 0.5 * p.k_z * s.z * s.z


def stiffness(p: P) -> float:
    return p.k_z
