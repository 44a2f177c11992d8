"""No limit: the spring follows its law at any deflection.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


def inside(phi: float, p: P) -> float:
    return phi


def is_inside(phi: float, p: P) -> float:
    return 1.0


def stop_energy(phi: float, p: P) -> float:
    return 0.0


def stop_torque(phi: float, p: P) -> float:
    return 0.0


def stop_stiffness(phi: float, p: P) -> float:
    return 0.0
