"""Two bodies: a winding that warms within seconds in a housing that warms within minutes.

    C_w dT_w = P - (T_w - T_h) / R_w,          C_w = tau_w / R_w
    C_h dT_h = (T_w - T_h) / R_w - (T_h - ambient) / R_h,   C_h = tau_h / R_h

Source: the four thermal lines of maxon's data sheets (17 to 20). The step is implicit: stable at any length, and what goes into the bodies is what came in. The
winding's temperature sets its resistance, the housing's, where the magnets are, the torque constant.
In single precision a temperature stops within some 0.1 K of its end where the step is a
ten-thousandth of a time constant or less.

Left out: iron and friction losses, a housing that is mounted on metal, an ambient that changes.
"""

from typing import Annotated, NamedTuple

from pliant.laws.thermal._copper_and_magnets import factor


class P(NamedTuple):
    R_w: Annotated[float, "K/W", (1e-3, 1e3)]  # thermal resistance, winding to housing
    tau_w: Annotated[float, "s", (1e-2, 1e5)]  # thermal time constant of the winding
    R_h: Annotated[float, "K/W", (1e-3, 1e3)]  # thermal resistance, housing to ambient
    tau_h: Annotated[float, "s", (1e-2, 1e5)]  # thermal time constant of the housing
    ambient: Annotated[float, "K", (200.0, 400.0)]  # temperature around it
    stated_at: Annotated[float, "K", (200.0, 400.0)]  # where resistance and torque constant hold
    alpha_R: Annotated[float, "1/K", (0.0, 0.01)]  # rise of the resistance
    alpha_k: Annotated[float, "1/K", (-0.01, 0.0)]  # rise of the torque constant, a fall


class S(NamedTuple):
    winding: Annotated[float, "K"]  # winding above ambient
    housing: Annotated[float, "K"]  # housing above ambient


def start(p: P) -> S:
    return S(0.0, 0.0)


def step(s: S, heat: float, p: P, h: float) -> S:
    """Both temperatures at the end of the step, from x = a + share y put into the second line."""
    a = h / p.tau_w
    b = h / p.tau_h
    # of the housing's own rate: what passes from the winding, over what passes to the ambient
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
