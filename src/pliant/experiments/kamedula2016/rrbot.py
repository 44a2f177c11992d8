"""The last link of the three-link demonstration arm "rrbot", behind a series-elastic actuator.

    I dq' = m g c sin q - d dq + k (th - q) + d_t (dth - dq)         q = 0 is upright
    B dth' = clip(K_p (th_d - th), +-limit) - D dth - k (th - q) - d_t (dth - dq)

Kamedula et al. 2016; only this link and its joint are modeled, without the other two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import pi, sin

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.experiments.kamedula2016.signals import torques
from pliant.experiments.support.benches import GRAVITY, Segment, driven, one_joint
from pliant.extras import extra_module

SOURCES = {
    "LINK, DAMPING": "published description of the demonstration arm rrbot, which section 5.1 names",
}

LINK = Segment(mass=1.0, centre=0.45, inertia=0.286667, length=0.9)
DAMPING = 0.7
"""[N m s/rad] Of the joint."""
WEIGHT = LINK.mass * GRAVITY * LINK.centre
"""[N m]"""


@dataclass(frozen=True, eq=False)
class Answer:
    """Positions and torques of link and motor at (T,) times."""

    time: Floats
    q: Floats
    theta: Floats
    transmission: Floats
    """k (th - q) + d_t (dth - dq) [N m]."""
    motor: Floats
    """[N m] After its limit."""


def simulated(
    actuator: Actuator,
    goal: Callable[[Floats], Floats],
    duration: float,
    timestep: float,
    *,
    gravity: bool,
) -> Answer:
    """The motion in MuJoCo, from rest at q = 0; `goal` [rad] of (T,) times holds within a step."""
    spec = one_joint(LINK, timestep=timestep, damping=DAMPING, gravity=gravity, zero=0.5 * pi)
    steps = round(duration / timestep)
    told = goal(timestep * np.arange(steps, dtype=np.float64))
    motion = driven(spec, {"joint": actuator}, steps, {"joint": told})
    q, theta = motion.position("joint"), motion.state("joint", "rotor.theta")
    return Answer(motion.time, q, theta, *torques(motion, "joint", goal(motion.time)))


def integrated(
    actuator: Actuator,
    goal: Callable[[float], float],
    times: Floats,
    breaks: tuple[float, ...],
    *,
    gravity: bool,
) -> Answer:
    """The same equations by an integrator of 8th order with tight tolerances, as the reference.

    It restarts at each of `breaks` [s], where the goal jumps.
    """
    k, d = actuator.value("spring.k"), actuator.value("spring.d")
    kp, limit = actuator.value("control.k_p"), actuator.value("control.limit")
    J, D = actuator.value("rotor.J"), actuator.value("rotor.D")
    weight = WEIGHT if gravity else 0.0

    def motor(t: float, theta: float) -> float:
        return min(max(kp * (goal(t) - theta), -limit), limit)

    def rates(t: float, y: Floats) -> list[float]:
        q, v, theta, omega = y
        pull = k * (theta - q) + d * (omega - v)
        return [
            v,
            (weight * sin(q) - DAMPING * v + pull) / LINK.inertia,
            omega,
            (motor(t, theta) - D * omega - pull) / J,
        ]

    integrate = extra_module("scipy.integrate", "identify")
    edges = [0.0, *breaks, float(times[-1])]
    y, rows = np.zeros(4), np.empty((len(times), 4))
    for begin, end in pairwise(edges):
        inside = (times > begin) & (times <= end)
        run = integrate.solve_ivp(
            rates,
            (begin, end),
            y,
            "DOP853",
            np.unique(np.append(times[inside], end)),
            rtol=1e-10,
            atol=1e-12,
        )
        rows[inside] = run.y.T[: inside.sum()]
        y = run.y[:, -1]
    q, v, theta, omega = rows.T
    told = np.array([motor(t, x) for t, x in zip(times, theta, strict=True)])
    return Answer(times, q, theta, k * (theta - q) + d * (omega - v), told)
