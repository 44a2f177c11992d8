"""One body: winding, iron and housing share one temperature.

    C dT = P - (T - ambient) / R_th,  C = tau_th / R_th

Source: the thermal lines of maxon's data sheets (17 to 20), with winding and housing as one. The step is exact for constant heat. P is the copper loss, R i^2 at the present R: a hot
winding draws less current at a given voltage and gives off more heat at a given current.

Left out: iron and friction losses, a housing mounted on metal, an ambient that changes.
"""

from math import expm1
from typing import Annotated, NamedTuple

from pliant.laws.thermal._copper_and_magnets import factor


class P(NamedTuple):
    R_th: Annotated[float, "K/W", (1e-3, 1e3)]  # thermal resistance to ambient
    tau_th: Annotated[float, "s", (1e-2, 1e5)]  # thermal time constant
    ambient: Annotated[float, "K", (200.0, 400.0)]  # ambient temperature
    stated_at: Annotated[float, "K", (200.0, 400.0)]  # temperature of the stated R and k_t
    alpha_R: Annotated[float, "1/K", (0.0, 0.01)]  # temperature coefficient of the resistance
    alpha_k: Annotated[float, "1/K", (-0.01, 0.0)]  # temperature coefficient of the torque constant


class S(NamedTuple):
    rise: Annotated[float, "K"]  # temperature above ambient


def start(p: P) -> S:
    return S(0.0)


def step(s: S, heat: float, p: P, h: float) -> S:
    return S(s.rise - expm1(-h / p.tau_th) * (p.R_th * heat - s.rise))


def temperature(s: S, p: P) -> float:
    return p.ambient + s.rise


def resistance(s: S, p: P) -> float:
    return factor(p.alpha_R, temperature(s, p), p.stated_at)


def constant(s: S, p: P) -> float:
    return factor(p.alpha_k, temperature(s, p), p.stated_at)
