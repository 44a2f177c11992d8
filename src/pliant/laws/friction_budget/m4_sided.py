"""Friction that depends on the loaded tooth flank: M4, larger on one side.

    budget = K_v |v| + (1 + K_side sign(tau_e)) (M4 - K_v |v|)

Source: an assumption of this project, with no paper behind its form. On an XL330, with K_side from -0.11 to
-0.05, the error on three of four held-out recordings was 21 to 25 instead of 28.7 mrad; held-out gains of
the same bench did not confirm it, nor did an STS3032. Teeth touch on the loaded flank, and the two flanks
of a gear differ. The side is that of the load, not that of the motion, because a budget must not jump at
standstill. Without a load there is no side.

Left out: dwell time, temperature.
"""

from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m4


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_l: Annotated[float, "1", (0.0, 2.0)]  # friction per torque through the gear
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # additional friction at rest
    K_ls: Annotated[float, "1", (0.0, 2.0)]  # additional friction per torque at rest
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck factor is 1/e
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve
    K_side: Annotated[float, "1", (-0.9, 0.9)]  # relative increase under a positive load


SYMMETRIC = False
REDUCES_TO = {"m4": {"K_side": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    both = m4.P(p.K_c, p.K_v, p.K_l, p.K_cs, p.K_ls, p.v_s, p.alpha)
    viscous = p.K_v * abs(v)
    dry = m4.budget(v, tau_m, tau_e, both) - viscous
    side = 0.0
    if tau_e > 0.0:
        side = 1.0
    if tau_e < 0.0:
        side = -1.0
    return viscous + (1.0 + p.K_side * side) * dry
