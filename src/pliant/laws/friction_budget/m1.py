"""Coulomb and viscous friction (M1).

    budget = K_c + K_v |v|                          servos_and_friction: model table, row M1

Source: Duclusaud, Passault, Padois, Ly, ICRA 2025. The budget is a bound: `_stop_torque.py` turns
it into a torque.

Left out: the Stribeck drop, load, direction, temperature, dwell time.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]  # Coulomb friction
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]  # viscous friction


SYMMETRIC = True
"""The budget does not change when v, tau_m and tau_e all change sign."""
REDUCES_TO = {"none": {"K_c": 0.0, "K_v": 0.0}}


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c + p.K_v * abs(v)
