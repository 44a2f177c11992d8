"""Directional friction (M5): driving and being driven load the gear differently.

    budget = M1 + |K_m tau_m - K_e tau_e| + s (K_cs + |K_ms tau_m - K_es tau_e|)
                                                           servos_and_friction: row M5

Source: Duclusaud et al., ICRA 2025. Left out: temperature, dwell time.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m1
from pliant.laws.friction_budget._stribeck import fading


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_m: Annotated[float, "1", (0.0, 2.0)]  # friction per motor torque
    K_e: Annotated[float, "1", (0.0, 2.0)]  # friction per external torque
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # additional friction at rest
    K_ms: Annotated[float, "1", (0.0, 2.0)]  # additional friction per motor torque at rest
    K_es: Annotated[float, "1", (0.0, 2.0)]  # additional friction per external torque at rest
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck factor is 1/e
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve


SYMMETRIC = True
REDUCES_TO = {"m4": {"K_m": "K_l", "K_e": "K_l", "K_ms": "K_ls", "K_es": "K_ls"}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    s = fading(v, p.v_s, p.alpha)
    steady = m1.budget(v, tau_m, tau_e, m1.P(p.K_c, p.K_v)) + abs(p.K_m * tau_m - p.K_e * tau_e)
    return steady + s * (p.K_cs + abs(p.K_ms * tau_m - p.K_es * tau_e))
