"""Hayward-Armstrong friction: Dahl's slip, but none inside a stick zone.

    dz = dtheta - alpha(z) z |dtheta|                      compliant_actuators: 2.4
    alpha(z) = 0 below z_stick z_max, then rises linearly to 1/z_max at z_max = tau_f / k_z

The published shape of alpha could not be confirmed; any that vanishes in the stick zone has the
property that matters: no drift below breakaway. z_stick = 0.999 is nearly the elasto-plastic stop.

Left out: the Stribeck drop, viscous friction, load.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    tau_f: Annotated[float, "N m", (1e-6, 10.0)]  # breakaway torque
    k_z: Annotated[float, "N m/rad", (1.0, 1e5)]  # stiffness before it slips
    z_stick: Annotated[float, "1", (0.0, 0.999)]  # fraction of the deflection without creep


class S(NamedTuple):
    z: Annotated[float, "rad"]  # deflection of the spring


EXACT = False


def start(p: P) -> S:
    return S(0.0)


def step(s: S, dtheta: float, p: P) -> S:
    z_max = p.tau_f / p.k_z
    stick = p.z_stick * z_max
    rise = min(max((abs(s.z) - stick) / (z_max - stick), 0.0), 1.0)
    # A motion through the whole zone ends at its edge, however long the step.
    reach = min(max(dtheta, -2.0 * z_max), 2.0 * z_max)
    z = s.z + reach - rise / z_max * s.z * abs(reach)
    return S(min(max(z, -z_max), z_max))


def torque(s: S, p: P) -> float:
    return p.k_z * s.z


def energy(s: S, p: P) -> float:
    return 0.5 * p.k_z * s.z * s.z


def stiffness(p: P) -> float:
    return p.k_z
