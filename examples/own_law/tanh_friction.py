"""Coulomb friction that rises smoothly with speed, on a dry floor.

    budget = K_0 + K_c tanh(|v| / v_c)

Left out: load, direction, temperature.
"""

from math import tanh
from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_0: Annotated[float, "N m", (0.0, 10.0)]
    K_c: Annotated[float, "N m", (0.0, 10.0)]
    v_c: Annotated[float, "rad/s", (1e-3, 100.0)]


SYMMETRIC = True


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_0 + p.K_c * tanh(abs(v) / p.v_c)
