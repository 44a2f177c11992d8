"""Stribeck friction (M2): M1, increased near standstill.

    budget = M1 + s K_cs,   s = exp(-|v / v_s|^alpha)      servos_and_friction: row M2

Source: Duclusaud et al., ICRA 2025. Left out: load, direction, temperature, dwell time.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m1
from pliant.laws.friction_budget._stribeck import fading


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # additional friction at rest
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck factor is 1/e
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve


SYMMETRIC = True
REDUCES_TO = {"m1": {"K_cs": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    s = fading(v, p.v_s, p.alpha)
    return m1.budget(v, tau_m, tau_e, m1.P(p.K_c, p.K_v)) + s * p.K_cs
