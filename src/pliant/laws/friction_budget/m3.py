"""Load-dependent friction (M3): M1 plus a fraction of the torque that the gear transmits.

    budget = M1 + K_l |tau_m - tau_e|                      servos_and_friction: row M3

Source: Duclusaud et al., ICRA 2025. Left out: the Stribeck drop, direction, temperature.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m1


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_l: Annotated[float, "1", (0.0, 2.0)]  # friction per torque through the gear


SYMMETRIC = True
REDUCES_TO = {"m1": {"K_l": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return m1.budget(v, tau_m, tau_e, m1.P(p.K_c, p.K_v)) + p.K_l * abs(tau_m - tau_e)
