"""The topics and services of a robot, for each kind of peer.

- without ros2_control: /joint_states, /joint_commands, /joint_trajectory
- with it, through joint_state_topic_hardware_interface: /robot_joint_states, /robot_joint_commands
- the Gazebo toolbox (`toolbox`), the CENTAURO plugin (`centauro`)
- always: /clock, /tf, /robot_description, /joint_stiffness and /stiffness_command
- services: /set_gains, and SECTION/enable of each section
"""

from functools import partial
from typing import Any

import numpy as np

from pliant.errors import PliantError
from pliant.io.manager_file import ManagerFile
from pliant.robots.controller import JointController
from pliant.robots.robot import Robot
from pliant.robots.sections import Sections
from pliant.ros.channel import STATE, Asked, Heard, Said, centauro, joint_state, stamp, toolbox
from pliant.ros.commands import Commands
from pliant.ros.description import transforms
from pliant.ros.messages import message

__all__ = ["Channels"]


class Channels:
    """The topics and services of a robot.

    Args:
        commands: that the robot is given. ros2_control: talk to its topic-based hardware interface.
        manager: file of the toolbox's manager, or None. controller: of series-elastic joints, to be
            led on the topics of the CENTAURO plugin, or None. sections: switched by services, or None.

    Attributes:
        heard, said: topics. asked: services. sections: as given.
    """

    def __init__(
        self,
        robot: Robot,
        commands: Commands,
        *,
        ros2_control: bool = False,
        manager: ManagerFile | None = None,
        controller: JointController | None = None,
        sections: Sections | None = None,
    ) -> None:
        self._robot, self._commands, self.sections = robot, commands, sections
        states, orders = (
            ("robot_joint_states", "robot_joint_commands")
            if ros2_control
            else ("joint_states", "joint_commands")
        )
        self.heard = [
            Heard(orders, STATE, commands.positions),
            Heard("stiffness_command", "pliant_msgs/msg/StiffnessCommand", commands.stiffness),
            Heard("joint_stiffness_commands", STATE, commands.stiffness_fallback),
        ]
        if not ros2_control:
            kind = "trajectory_msgs/msg/JointTrajectory"
            self.heard.append(Heard("joint_trajectory", kind, commands.trajectory))
        self.said = [
            Said("/clock", "rosgraph_msgs/msg/Clock", self._clock),
            Said(states, STATE, self._states),
            Said("/tf", "tf2_msgs/msg/TFMessage", self._frames),
            Said("joint_stiffness", "pliant_msgs/msg/JointStiffness", self._stiffness),
            Said("joint_stiffness_states", STATE, self._stiffness_fallback),
        ]
        if manager is not None:
            heard, said = toolbox(robot, commands, manager)
            self.heard, self.said = [*self.heard, *heard], [*self.said, *said]
        if controller is not None:
            heard, said, self.asked = centauro(controller)
            self.heard, self.said = [*self.heard, *heard], [*self.said, *said]
        else:
            self.heard.append(Heard("set_gains", "pliant_msgs/msg/SetGains", self._set_gains))
            self.asked = [Asked("set_gains", "pliant_msgs/srv/SetGains", self._set_gains)]
        if sections is not None:
            for name in sections.enabled:
                act = partial(_switch, sections, name)
                self.asked.append(Asked(f"{name}/enable", "std_srvs/srv/SetBool", act))

    def _clock(self, t: float) -> Any:
        return message("rosgraph_msgs/msg/Clock", clock=stamp(t))

    def _states(self, t: float) -> Any:
        link = self._robot.link
        return joint_state(t, self._robot.joints, link.position, link.velocity, link.torque)

    def _frames(self, t: float) -> Any:
        robot = self._robot
        found: list[Any] = []
        for parent, child, place, turn in transforms(robot.model, robot.data):
            x = dict(zip("xyz", map(float, place), strict=True))
            r = dict(zip("xyzw", map(float, turn), strict=True))
            moved = message(
                "geometry_msgs/msg/Transform",
                translation=message("geometry_msgs/msg/Vector3", **x),
                rotation=message("geometry_msgs/msg/Quaternion", **r),
            )
            header = message("std_msgs/msg/Header", stamp=stamp(t), frame_id=parent)
            kind = "geometry_msgs/msg/TransformStamped"
            found.append(message(kind, header=header, child_frame_id=child, transform=moved))
        return message("tf2_msgs/msg/TFMessage", transforms=found)

    def _stiffness(self, t: float) -> Any:
        robot = self._robot
        return message(
            "pliant_msgs/msg/JointStiffness",
            header=message("std_msgs/msg/Header", stamp=stamp(t)),
            name=list(robot.joints),
            stiffness=list(map(float, robot.stiffness)),
            deflection=list(map(float, robot.deflection[:, 0])),
            elastic_torque=list(map(float, robot.elastic_torque_1)),
        )

    def _stiffness_fallback(self, t: float) -> Any:
        return joint_state(t, self._robot.joints, self._robot.stiffness)

    def _set_gains(self, sample: Any, _now: float) -> None:
        """Gains of one joint's controllers, by the names that its law has."""
        robot = self._robot
        if sample.joint not in robot.joints:
            raise PliantError("no such joint", found=sample.joint[:60], accepted=robot.joints)
        actuator = robot.actuators[sample.joint]
        given = {n: float(getattr(sample, n)) for n in ("k_p", "k_i", "k_d", "limit")}
        fields = [n for n in actuator.fields if n.startswith("control")]
        values = {
            field: given[symbol]
            for field in fields
            if (symbol := field.partition(".")[2]) in given and not np.isnan(given[symbol])
        }
        if not values:
            raise PliantError("has no such gains", field=sample.joint, accepted=fields)
        actuator.with_values(
            values, "set_gains", "assumed"
        )  # its range, before anything is changed
        info = robot.info.attachment
        for name, value in values.items():
            column = info.column(sample.joint, name)
            robot.model.actuator_user[
                robot.places.ids[robot.joints.index(sample.joint)], column
            ] = value


def _switch(sections: Sections, name: str, request: Any, _now: float) -> None:
    sections.set(name, bool(request.data))
