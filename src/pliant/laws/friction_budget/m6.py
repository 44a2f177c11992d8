"""Quadratic friction (M6): M5, and near standstill the square of the weaker of opposing torques.

    budget = M5 + s Q                                      servos_and_friction: row M6
    Q = K_eq tau_e^2  if |tau_m| > |tau_e|,  K_mq tau_m^2  if |tau_m| < |tau_e|,
        only while tau_m and tau_e oppose each other; if equal (not stated) K_mq tau_m^2

Source: Duclusaud et al., ICRA 2025. Left out: temperature, dwell time.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m5
from pliant.laws.friction_budget._stribeck import fading


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_m: Annotated[float, "1", (0.0, 2.0)]  # friction per motor torque
    K_e: Annotated[float, "1", (0.0, 2.0)]  # friction per external torque
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # additional friction at rest
    K_ms: Annotated[float, "1", (0.0, 2.0)]  # additional friction per motor torque at rest
    K_es: Annotated[float, "1", (0.0, 2.0)]  # additional friction per external torque at rest
    K_mq: Annotated[float, "1/(N m)", (0.0, 2.0)]  # friction at rest per motor torque squared
    K_eq: Annotated[float, "1/(N m)", (0.0, 2.0)]  # friction at rest per external torque squared
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck factor is 1/e
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve


SYMMETRIC = True
REDUCES_TO = {"m5": {"K_mq": 0.0, "K_eq": 0.0}}


def quadratic(tau_m: float, tau_e: float, p: P) -> float:
    """Q of the model table."""
    if tau_m * tau_e >= 0.0:
        return 0.0
    if abs(tau_m) > abs(tau_e):
        return p.K_eq * tau_e * tau_e
    return p.K_mq * tau_m * tau_m


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    s = fading(v, p.v_s, p.alpha)
    directional = m5.P(p.K_c, p.K_v, p.K_m, p.K_e, p.K_cs, p.K_ms, p.K_es, p.v_s, p.alpha)
    return m5.budget(v, tau_m, tau_e, directional) + s * quadratic(tau_m, tau_e, p)
