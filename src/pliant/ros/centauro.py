"""The two topics of the CENTAURO plugin and its service: one command, one state, gains of a joint.

compliant_actuators: 4.1
"""

import math
from typing import Any

from pliant.robots.controller import JointCommand, JointController, SetGains
from pliant.ros.channel import Asked, Heard, Said, stamp
from pliant.ros.messages import message

__all__ = ["centauro"]


def centauro(controller: JointController) -> tuple[list[Heard], list[Said], list[Asked]]:
    """The topics and services of a controller of series-elastic joints."""

    def command(sample: Any, _now: float) -> None:
        velocity, torque = (list(x) or None for x in (sample.velocity, sample.torque))
        controller.command(JointCommand(list(sample.name), list(sample.position), velocity, torque))

    def set_gains(sample: Any, _now: float) -> None:
        names = ("k_p", "k_i", "k_d", "k_v", "limit")
        given = {n: float(getattr(sample, n)) for n in names}
        known = {n: x for n, x in given.items() if not math.isnan(x)}
        controller.set_gains(SetGains(sample.joint, **known))

    def state(t: float) -> Any:
        now = controller.state()
        names = ("position", "velocity", "motor_torque", "transmission_torque")
        columns = {n: [float(x) for x in getattr(now, n)] for n in names}
        header = message("std_msgs/msg/Header", stamp=stamp(t))
        return message("pliant_msgs/msg/MotorState", header=header, name=list(now.name), **columns)

    heard = [
        Heard("command", "pliant_msgs/msg/JointCommand", command),
        Heard("set_gains", "pliant_msgs/msg/SetGains", set_gains),
    ]
    asked = [Asked("set_gains", "pliant_msgs/srv/SetGains", set_gains)]
    return heard, [Said("state", "pliant_msgs/msg/MotorState", state)], asked
