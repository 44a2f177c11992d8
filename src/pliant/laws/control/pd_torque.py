"""Proportional-derivative law that commands a torque: a quasi-direct drive with a PD on its own board.

    torque = clip(kp (goal - q) - kd v, +-limit)
                        Source: MIT Mini Cheetah actuator, command of position, kp, kd (Katz, 2018)

T-Motor's AK and CubeMars drives, Unitree's, mjbots' moteus take both gains with each command. The
torque is that at the joint; the motor law decides how much of it arrives (`scaled_torque`).

Left out: commanded speed and torque in addition to the position, the board's sampling.
"""

from typing import Annotated, NamedTuple

from pliant.laws.control._pid import output


class P(NamedTuple):
    kp: Annotated[float, "N m/rad", (0.0, 1e5)]  # proportional gain, as commanded
    kd: Annotated[float, "N m s/rad", (0.0, 1e4)]  # derivative gain, as commanded
    limit: Annotated[float, "N m", (1e-3, 1e4)]  # largest torque


class S(NamedTuple):
    pass


GOAL = "rad"
COMMAND = "N m"


def start(q: float, p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, v: float, p: P, h: float) -> S:
    return s


def command(s: S, goal: float, q: float, v: float, p: P) -> float:
    return output(0.0, goal - q, v, p.kp, p.kd, p.limit)
