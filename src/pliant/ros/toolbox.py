"""The topics of the Gazebo toolbox: its manager's arrays, and those of each joint in its mode.

compliant_actuators: 3.1, 3.3
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.manager_file import ManagerFile
from pliant.robots.manager import heard
from pliant.robots.robot import Robot
from pliant.ros.channel import FLOAT, FLOATS, STATE, Heard, Said, joint_state
from pliant.ros.commands import Commands
from pliant.ros.messages import message

__all__ = ["toolbox"]


def toolbox(robot: Robot, commands: Commands, file: ManagerFile) -> tuple[list[Heard], list[Said]]:
    """The topics of a manager's file.

    Raises:
        PliantError: a joint is not the robot's.
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
        (self._commands.first if number == 1 else self._commands.second)(k, float(sample.data))

    def _array(self, order: list[int], number: int, sample: Any, _now: float) -> None:
        if len(sample.data) != len(order):  # the toolbox reads beyond the end of a short one
            raise PliantError(
                "wrong number of values",
                field="data",
                found=len(sample.data),
                accepted=str(len(order)),
            )
        for k, value in zip(order, sample.data, strict=True):
            (self._commands.first if number == 1 else self._commands.second)(k, float(value))

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
