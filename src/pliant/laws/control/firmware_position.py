"""Position loop of a hobby or bus servo: duty from the position error.

    duty = clip(gain kp e + derivative_gain de/dt, +-limit),  e = reference - q, 0 within the dead band
    reference follows the goal at speed_limit at most        servos_and_friction: Firmware laws

Confirmed on recordings: `gain` is 0.158 per rad (MX-64, MX-106), 0.05048 (XL-320), 0.002877 (XL330,
(4096 / 2 pi) / (256 885)), 0.166 (STS3215). kp is the register's value. The derivative
includes the goal, as seen on an STS3032 and six STS3215, whose derivative_gain is 0.02.

Left out: integral gain, feed-forward gains, acceleration profiles (`firmware_profile` has one), the
firmware's sampling: the derivative kick of a goal that jumps lasts one simulation step here.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._position_duty import duty


class P(NamedTuple):
    gain: Annotated[float, "1/rad", (1e-6, 10.0)]  # output per unit of kp and error
    kp: Annotated[float, "1", (0.0, 1e5)]  # the register's proportional gain
    derivative_gain: Annotated[float, "s/rad", (0.0, 10.0)]  # output per speed of the error
    dead_band: Annotated[float, "rad", (0.0, 0.2)]  # error that is treated as zero
    speed_limit: Annotated[float, "rad/s", (1e-2, 1e9)]  # largest speed of the reference
    limit: Annotated[float, "1", (1e-3, 1.0)]  # largest duty


class S(NamedTuple):
    reference: Annotated[float, "rad"]  # position of the profile
    speed: Annotated[float, "rad/s"]  # speed of the profile


GOAL = "rad"
COMMAND = "1"


def start(q: float, p: P) -> S:
    return S(q, 0.0)


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    reach = p.speed_limit * h
    change = min(max(goal - s.reference, -reach), reach)
    return S(s.reference + change, change / h)


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    e = s.reference - q
    return duty(e, s.speed - v, p.gain, p.kp, p.derivative_gain, p.dead_band, p.limit)
