"""Position loop of a bus servo whose reference follows a profile towards the goal.

    duty = clip(gain kp e + derivative_gain de/dt, +-limit),  e = reference - q, 0 within the dead band
    speed of the reference: towards min(sqrt(2 a |goal - reference|), speed_limit), from which it
    still stops at the goal, by a = acceleration_limit at most
                                     Source: trapezoidal profile; Feetech's register Acceleration

Feetech's register 41 (Acceleration, 0 to 254) counts 100 steps of 2 pi / 4096 rad per s²: memory table
of the ST3215, as copied in https://docs.rs/crate/st3215/0.0.2/source/build.rs. LeRobot writes 254 (its
motors/feetech/feetech.py, configure_motors), 39.0 rad/s². A free fit to recordings of an SO-101,
for its unloaded joint, gives a = 41.

Left out: integral gain, feed-forward gains, the firmware's sampling.
"""

from math import sqrt
from typing import Annotated, NamedTuple

from pliant.laws.control._position_duty import duty


class P(NamedTuple):
    gain: Annotated[float, "1/rad", (1e-6, 10.0)]  # output per unit of kp and error
    kp: Annotated[float, "1", (0.0, 1e5)]  # the register's proportional gain
    derivative_gain: Annotated[float, "s/rad", (0.0, 10.0)]  # output per speed of the error
    dead_band: Annotated[float, "rad", (0.0, 0.2)]  # error that is treated as zero
    speed_limit: Annotated[float, "rad/s", (1e-2, 1e9)]  # largest speed of the reference
    acceleration_limit: Annotated[float, "rad/s^2", (1.0, 1e4)]  # its largest acceleration
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    reference: Annotated[float, "rad"]  # position of the profile
    speed: Annotated[float, "rad/s"]  # speed of the profile


GOAL = "rad"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S(q, 0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    away = abs(goal - s.reference)
    reach = p.acceleration_limit * h
    # Tends to sqrt(2 a away) for h -> 0. Braking by a h per step thus ends at the goal, not beyond.
    stopping = sqrt(0.25 * reach * reach + 2.0 * p.acceleration_limit * away) - 0.5 * reach
    most = min(stopping, away / h, p.speed_limit)
    wanted = most if goal > s.reference else -most
    speed = s.speed + min(max(wanted - s.speed, -reach), reach)
    return S(s.reference + speed * h, speed)


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    e = s.reference - q
    return duty(e, s.speed - v, p.gain, p.kp, p.derivative_gain, p.dead_band, p.limit)
