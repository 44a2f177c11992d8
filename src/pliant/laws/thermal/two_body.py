"""Two bodies: a winding that warms up in seconds, in a housing that warms up in minutes.

    C_w dT_w = P - (T_w - T_h) / R_w,          C_w = tau_w / R_w
    C_h dT_h = (T_w - T_h) / R_w - (T_h - ambient) / R_h,   C_h = tau_h / R_h

Source: the four thermal lines of maxon's data sheets (17 to 20). The step is implicit: stable at any length, and it conserves energy. The winding's temperature sets
its resistance; that of the housing, where the magnets are, sets the torque constant. In single
precision a temperature stops some 0.1 K short of its final value if the step is a ten-thousandth of
a time constant or less.

Left out: iron and friction losses, a housing mounted on metal, an ambient that changes.
"""

from typing import Annotated, NamedTuple

from pliant.laws.thermal._copper_and_magnets import factor


class P(NamedTuple):
    R_w: Annotated[float, "K/W", (1e-3, 1e3)]  # thermal resistance, winding to housing
    tau_w: Annotated[float, "s", (1e-2, 1e5)]  # thermal time constant of the winding
    R_h: Annotated[float, "K/W", (1e-3, 1e3)]  # thermal resistance, housing to ambient
    tau_h: Annotated[float, "s", (1e-2, 1e5)]  # thermal time constant of the housing
    ambient: Annotated[float, "K", (200.0, 400.0)]  # ambient temperature
    stated_at: Annotated[float, "K", (200.0, 400.0)]  # temperature of the stated R and k_t
    alpha_R: Annotated[float, "1/K", (0.0, 0.01)]  # temperature coefficient of the resistance
    alpha_k: Annotated[float, "1/K", (-0.01, 0.0)]  # temperature coefficient of the torque constant


class S(NamedTuple):
    winding: Annotated[float, "K"]  # temperature of the winding above ambient
    housing: Annotated[float, "K"]  # temperature of the housing above ambient


def start(p: P) -> S:
    return S(0.0, 0.0)


def step(s: S, heat: float, p: P, h: float) -> S:
    """Both temperatures at the end of the step: x = before + share y, substituted in the second line."""
    a = h / p.tau_w
    b = h / p.tau_h
    # relative to the housing's own rate: conductance from the winding over that to the ambient
    passed = b * p.R_h / p.R_w
    before = (s.winding + a * p.R_w * heat) / (1.0 + a)
    share = a / (1.0 + a)
    housing = (s.housing + passed * before) / (1.0 + b + passed / (1.0 + a))
    return S(before + share * housing, housing)


def temperature(s: S, p: P) -> float:
    return p.ambient + s.winding


def resistance(s: S, p: P) -> float:
    return factor(p.alpha_R, temperature(s, p), p.stated_at)


def constant(s: S, p: P) -> float:
    return factor(p.alpha_k, p.ambient + s.housing, p.stated_at)
