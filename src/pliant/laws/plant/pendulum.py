"""Pendulum bench: a point mass on a uniform arm, q = 0 hanging down.

    inertia = m l^2 + m_arm l^2 / 3,  load = -(m + m_arm / 2) g l sin(q + q_0)
                                                             servos_and_friction: Pendulum bench

The actuator's armature adds to the inertia. q_0 is the mounting error: the true angle of the arm
where the servo reports 0.

Left out: air drag, flexibility of the arm, a bench that tilts.
"""

from math import sin
from typing import Annotated, NamedTuple

G: Annotated[float, "m/s^2"] = 9.81


class P(NamedTuple):
    mass: Annotated[float, "kg", (0.0, 100.0)]  # point mass at the end
    length: Annotated[float, "m", (1e-3, 10.0)]  # from axis to point mass
    arm_mass: Annotated[float, "kg", (0.0, 100.0)]  # mass of the uniform arm
    position_offset: Annotated[float, "rad", (-3.2, 3.2)]  # true angle where 0 is reported


def inertia(p: P) -> float:
    return (p.mass + p.arm_mass / 3.0) * p.length * p.length


def gravity(p: P) -> float:
    """Largest torque of gravity [N m], at the horizontal."""
    return (p.mass + 0.5 * p.arm_mass) * G * p.length


def load(q: float, p: P) -> float:
    return -gravity(p) * sin(q + p.position_offset)
