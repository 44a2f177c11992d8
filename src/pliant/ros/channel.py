"""Topics and services of the Gazebo toolbox and of CENTAURO, with the content of their messages.

compliant_actuators: 3.1, 3.3 and 4.1
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.manager_file import ManagerFile
from pliant.robots.controller import JointCommand, JointController, SetGains
from pliant.robots.manager import heard
from pliant.robots.robot import Robot
from pliant.ros.commands import Commands
from pliant.ros.messages import message

STATE = "sensor_msgs/msg/JointState"
FLOAT = "std_msgs/msg/Float64"
FLOATS = "std_msgs/msg/Float64MultiArray"


@dataclass(frozen=True)
class Heard:
    """A subscribed topic: its messages are passed to `act` with the time [s]."""

    topic: str
    kind: str
    act: Callable[[Any, float], None]


@dataclass(frozen=True)
class Said:
    """A published topic: `make` returns its message at a time [s]."""

    topic: str
    kind: str
    make: Callable[[float], Any]


@dataclass(frozen=True)
class Asked:
    """A service, such as std_srvs/srv/SetBool: `act` carries out a request, or raises the reason why not."""

    service: str
    kind: str
    act: Callable[[Any, float], None]


def stamp(seconds: float) -> Any:
    """A time as a ROS message."""
    whole = int(np.floor(seconds))
    nanoseconds = min(round(1e9 * (seconds - whole)), 999_999_999)
    return message("builtin_interfaces/msg/Time", sec=whole, nanosec=nanoseconds)


def joint_state(t: float, names: Sequence[str], *values: Floats) -> Any:
    """A JointState of positions, velocities, efforts; unknown values are NaN, as everywhere."""
    kinds = ("position", "velocity", "effort")
    columns = {kind: list(map(float, x)) for kind, x in zip(kinds, values, strict=False)}
    header = message("std_msgs/msg/Header", stamp=stamp(t))
    return message(STATE, header=header, name=list(names), **columns)


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


def toolbox(robot: Robot, commands: Commands, file: ManagerFile) -> tuple[list[Heard], list[Said]]:
    """The topics from a manager's file.

    Raises:
        PliantError: the robot has no such joint.
    """
    made = _Toolbox(robot, commands)
    made.add_manager(file)
    return made.heard, made.said


class _Toolbox:
    def __init__(self, robot: Robot, commands: Commands) -> None:
        self._robot, self._commands = robot, commands
        self.heard: list[Heard] = []
        self.said: list[Said] = []

    def add_manager(self, file: ManagerFile) -> None:
        """The manager's arrays, and the topics of each joint, under its namespace."""
        robot, space = self._robot, f"/{file.namespace}" if file.namespace else ""
        order = [robot.joints.index(joint) for joint in file.joints]
        for number in (1, 2):
            act = partial(self._array, order, number)
            self.heard.append(Heard(f"{space}/reference_{number}", FLOATS, act))
        for name, values in (
            ("robot_state", lambda: robot.link),
            ("motor_1_state", lambda: robot.motor_1),
            ("motor_2_state", lambda: robot.motor_2),
        ):
            make = partial(self._manager_state, file.joints, order, values)
            self.said.append(Said(f"{space}/{name}", STATE, make))
        for joint, k in zip(file.joints, order, strict=True):
            self._add_joint(f"{space}/{joint}", joint, k)

    def _add_joint(self, prefix: str, joint: str, k: int) -> None:
        """The topics of one joint in its mode."""
        robot, mode = self._robot, self._robot.modes[k]
        for number in (1, 2):
            for topic in heard(mode, number - 1):
                act = partial(self._one, k, number)
                self.heard.append(Heard(f"{prefix}{topic}", FLOAT, act))
        if (
            robot.info.settings.get(joint) is None
            or robot.info.settings[joint].takes_external_torque
        ):
            self.heard.append(Heard(f"{prefix}/external_torque", FLOAT, partial(self._push, k)))
        kind = "pliant_msgs/msg/LinkState"
        self.said.append(Said(f"{prefix}/link_state", kind, partial(self._link, k)))
        for number, values in (
            ("1", lambda: robot.elastic_torque_1),
            ("2", lambda: robot.elastic_torque_2),
        ):
            make = partial(self._number, k, values)
            self.said.append(Said(f"{prefix}/torque_el{number}_state", FLOAT, make))
        if mode is not None and mode >= 4:
            for number, motor in (("1", lambda: robot.motor_1), ("2", lambda: robot.motor_2)):
                make = partial(self._manager_state, (joint,), [k], motor)
                self.said.append(Said(f"{prefix}/motor_{number}_state", STATE, make))

    def _one(self, k: int, number: int, sample: Any, _now: float) -> None:
        self._commands.reference(number, k, float(sample.data))

    def _array(self, order: list[int], number: int, sample: Any, _now: float) -> None:
        if len(sample.data) != len(order):  # the toolbox would read beyond the end of a short one
            found, count = len(sample.data), str(len(order))
            raise PliantError("wrong number of values", field="data", found=found, accepted=count)
        for k, value in zip(order, sample.data, strict=True):
            self._commands.reference(number, k, float(value))

    def _push(self, k: int, sample: Any, _now: float) -> None:
        torque = self._robot.external_torque.copy()
        torque[k] = float(sample.data)
        self._robot.external_torque = torque

    def _manager_state(
        self, names: tuple[str, ...], order: list[int], values: Callable[[], Any], t: float
    ) -> Any:
        found = values()
        effort = found.torque if hasattr(found, "torque") else found.effort
        return joint_state(t, names, found.position[order], found.velocity[order], effort[order])

    def _link(self, k: int, _t: float) -> Any:
        robot, link = self._robot, self._robot.link
        return message(
            "pliant_msgs/msg/LinkState",
            q=float(link.position[k]),
            dq=float(link.velocity[k]),
            ref_1=float(robot.reference_1[k]),
            ref_2=float(robot.reference_2[k]),
            tau=float(link.torque[k]),
            stiff=float(robot.stiffness[k]),
        )

    def _number(self, k: int, values: Callable[[], Floats], _t: float) -> Any:
        return message(FLOAT, data=float(values()[k]))
