"""Friction clutch: Coulomb friction under a commanded normal force. A lock is one that never slips.

    capacity = T_c u,   u follows the command, 0 to 1, within t_on on the way up and t_off down

Source: data sheets of electromagnetic clutches, which state torque, rise time and extinction time;
between them the torque is assumed to change at a constant rate.

Left out: heat and wear, a torque that falls with the slip speed, residual torque when released.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    T_c: Annotated[float, "N m", (1e-6, 1e4)]  # torque at which it slips, fully engaged
    t_on: Annotated[float, "s", (1e-4, 10.0)]  # time to engage fully
    t_off: Annotated[float, "s", (1e-4, 10.0)]  # time to release fully


class S(NamedTuple):
    u: Annotated[float, "1"]  # fraction of the torque that it holds now


def start(p: P) -> S:
    return S(0.0)


def step(s: S, command: float, p: P, h: float) -> S:
    asked = min(max(command, 0.0), 1.0)
    return S(min(max(asked, s.u - h / p.t_off), s.u + h / p.t_on))


def capacity(s: S, p: P) -> float:
    return p.T_c * s.u


def damping(s: S, p: P) -> float:
    return 0.0


def most_damping(p: P) -> float:
    return 0.0
