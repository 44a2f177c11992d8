"""A rotor that is always at its reference: an ideal position source.

    th = reference,   om = 0              compliant_actuators: 3.1

Left out: everything between reference and motion.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    theta: Annotated[float, "rad"]  # angle of the rotor
    omega: Annotated[float, "rad/s"]  # its speed


def start(q: float, p: P) -> S:
    return S(q, 0.0)


def drift(s: S, reference: float, p: P, h: float) -> S:
    return S(reference, 0.0)


def kick(s: S, tau_m: float, tau: float, p: P, h: float) -> S:
    return s


def mobility(p: P) -> float:
    return 0.0


def damping(p: P) -> float:
    return 0.0
