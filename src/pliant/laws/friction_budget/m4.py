"""Stribeck load-dependent friction (M4): M3, increased near standstill, also with the load.

    budget = M3 + s (K_cs + K_ls |tau_m - tau_e|)          servos_and_friction: row M4

Source: Duclusaud et al., ICRA 2025. Left out: direction, temperature, dwell time.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m3
from pliant.laws.friction_budget._stribeck import fading


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_l: Annotated[float, "1", (0.0, 2.0)]  # friction per torque through the gear
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # additional friction at rest
    K_ls: Annotated[float, "1", (0.0, 2.0)]  # additional friction per torque at rest
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck factor is 1/e
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve


SYMMETRIC = True
REDUCES_TO = {"m2": {"K_l": 0.0, "K_ls": 0.0}, "m3": {"K_cs": 0.0, "K_ls": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    s = fading(v, p.v_s, p.alpha)
    steady = m3.budget(v, tau_m, tau_e, m3.P(p.K_c, p.K_v, p.K_l))
    return steady + s * (p.K_cs + p.K_ls * abs(tau_m - tau_e))
