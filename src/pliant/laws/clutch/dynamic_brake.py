"""Variable damping: a motor on the joint, its winding shorted by a transistor part of the time.

    torque = d_max u v,   u = command, 0 to 1 (duty)                     compliant_actuators: 1.7

It holds no torque: the spring behind such a clutch is free.

Left out: inductance of the winding, energy returned to a battery, the motor's own friction.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    d_max: Annotated[float, "N m s/rad", (1e-6, 1e3)]  # damping at full duty


class S(NamedTuple):
    u: Annotated[float, "1"]  # duty


def start(p: P) -> S:
    return S(0.0)


def step(s: S, command: float, p: P, h: float) -> S:
    return S(min(max(command, 0.0), 1.0))


def capacity(s: S, p: P) -> float:
    return 0.0


def damping(s: S, p: P) -> float:
    return p.d_max * s.u


def most_damping(p: P) -> float:
    return p.d_max
