"""Saturation: beyond max_def the spring's torque stays at its value there.

    inside = max(-max_def, min(phi, max_def))                        compliant_actuators: 0.2

This is the published simulator's rule: the spring becomes a slip element of constant torque, its
energy grows linearly, its stiffness is zero.

Left out: the stop that the hardware has; `hard_stop` adds one.
"""

from typing import Annotated, NamedTuple

from pliant.laws.deflection_limit._range import clamped, within


class P(NamedTuple):
    max_def: Annotated[float, "rad", (1e-3, 10.0)]  # deflection to which the spring follows its law


def inside(phi: float, p: P) -> float:
    return clamped(phi, p.max_def)


def is_inside(phi: float, p: P) -> float:
    return within(phi, p.max_def)


def stop_energy(phi: float, p: P) -> float:
    return 0.0


def stop_torque(phi: float, p: P) -> float:
    return 0.0


def stop_stiffness(phi: float, p: P) -> float:
    return 0.0
