"""Friction that differs with the flank that carries the load: M4, more of it on one side.

    budget = K_v |v| + (1 + K_side sign(tau_e)) (M4 - K_v |v|)

Source: Armstrong-Hélouvry, Dupont and Canudas de Wit, Automatica 30(7), 1994: friction of gears differs
between the directions. Here the side of the load decides, not that of the motion: teeth touch on the
flank that carries, and a budget must not jump at standstill. Left out: dwell time, temperature.
"""

from math import copysign
from typing import Annotated, NamedTuple

from pliant.laws.friction_budget import m4


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction
    K_l: Annotated[float, "1", (0.0, 2.0)]  # friction per torque through the gear
    K_cs: Annotated[float, "N m", (0.0, 100.0)]  # more friction at rest
    K_ls: Annotated[float, "1", (0.0, 2.0)]  # more of it at rest
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]  # speed at which the Stribeck part has faded
    alpha: Annotated[float, "1", (0.1, 10.0)]  # exponent of the Stribeck curve
    K_side: Annotated[float, "1", (-0.9, 0.9)]  # more under a positive load, less under a negative


SYMMETRIC = False
REDUCES_TO = {"m4": {"K_side": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    both = m4.P(p.K_c, p.K_v, p.K_l, p.K_cs, p.K_ls, p.v_s, p.alpha)
    viscous = p.K_v * abs(v)
    dry = m4.budget(v, tau_m, tau_e, both) - viscous
    return viscous + (1.0 + p.K_side * copysign(1.0, tau_e)) * dry
