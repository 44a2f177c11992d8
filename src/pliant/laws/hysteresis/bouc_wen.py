"""Bouc-Wen hysteresis in parallel with a spring, in its normalised form.

    dz = (dphi - sigma |dphi| |z|^(n-1) z + (sigma - 1) dphi |z|^n) k_r / tau_z,  |z| <= 1
    torque = tau_z z

Source: Ikhouane and Rodellar, Systems with Hysteresis, Wiley 2007, the normalised Bouc-Wen model,
with rho = k_r / tau_z. With sigma = 1/2 a reversal begins along a straight line of slope k_r. It
dissipates energy in any motion, as sigma >= 1/2:

    stored = tau_z^2 z^2 / (2 k_r),  lost = tau_z |dphi| |z|^(n+1) times 1, or 2 sigma - 1 on the return branch

A step uses the exponential of the slope at its start, in two halves: exact for n = 1, otherwise of
second order in the travel. It depends only on the path, not on its speed.

Left out: creep and any dependence on rate; the spring's own damping is separate.
"""

from math import copysign, expm1, pow
from typing import Annotated, NamedTuple


class P(NamedTuple):
    tau_z: Annotated[float, "N m", (1e-6, 1e4)]  # largest torque of the hysteresis
    k_r: Annotated[float, "N m/rad", (1e-3, 1e6)]  # stiffness of the hysteresis at a reversal
    sigma: Annotated[float, "1", (0.5, 2.0)]  # shape of the return branch; 1/2: straight
    n: Annotated[float, "1", (1.0, 10.0)]  # how sharply it yields


class S(NamedTuple):
    phi: Annotated[float, "rad"]  # deflection at the last step
    z: Annotated[float, "1"]  # fraction of the largest torque


SMALL = 1e-6
"""Exponent below which its exponential is a straight line."""


def start(phi: float, p: P) -> S:
    return S(phi, 0.0)


def bent(u: float, p: P) -> float:
    """1 - dz/dx at u = z in the direction of the motion, x in units of tau_z / k_r."""
    power = pow(abs(u), p.n)
    if u < 0.0:
        return (1.0 - 2.0 * p.sigma) * power
    return power


def moved(u: float, x: float, p: P) -> float:
    """Z in the direction of the motion after the travel x > 0, from the slope at its start."""
    rate = 1.0 - bent(u, p)
    decay = 0.0 * u
    if u != 0.0:
        decay = p.n * bent(u, p) / u
    a = decay * x
    gain = x
    if abs(a) > SMALL:
        gain = -expm1(-a) / decay
    return min(u + gain * rate, 1.0)


def step(s: S, phi: float, p: P) -> S:
    way = copysign(1.0, phi - s.phi)
    half = 0.5 * abs(phi - s.phi) * p.k_r / p.tau_z
    return S(phi, way * moved(moved(way * s.z, half, p), half, p))


def torque(s: S, p: P) -> float:
    return p.tau_z * s.z


def energy(s: S, p: P) -> float:
    return 0.5 * p.tau_z * p.tau_z / p.k_r * s.z * s.z


def lost(s: S, rate: float, p: P) -> float:
    u = copysign(s.z, s.z * rate)
    return p.tau_z * rate * s.z * bent(u, p) if u != 0.0 else 0.0 * rate * p.tau_z


def stiffest(p: P) -> float:
    return 2.0 * p.sigma * p.k_r
