"""A robot's topics and services, for each kind of peer.

- without ros2_control: /joint_states, /joint_commands, /joint_trajectory
- with it, through joint_state_topic_hardware_interface: /robot_joint_states, /robot_joint_commands
- the Gazebo toolbox (`toolbox`), the CENTAURO plugin (`centauro`)
- always: /clock, /tf, /robot_description, /joint_stiffness and /stiffness_command
- services: /set_gains, and SECTION/enable of each section
"""

import xml.etree.ElementTree as ET
from functools import partial
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.io.manager_file import ManagerFile
from pliant.robots.controller import JointController
from pliant.robots.robot import Robot
from pliant.robots.sections import Sections
from pliant.ros.channel import STATE, Asked, Heard, Said, centauro, joint_state, stamp, toolbox
from pliant.ros.commands import Commands
from pliant.ros.messages import message

_G = mujoco.mjtGeom
_J = mujoco.mjtJoint


def urdf_of(model: mujoco.MjModel, name: str) -> str:
    """The model as a URDF for RViz, with boxes, spheres and cylinders; a capsule becomes a cylinder.

    Left out: meshes, actuators, and all but the first joint of a body.
    """
    root = ET.Element("robot", name=name)
    for body in range(model.nbody):
        link = ET.SubElement(root, "link", name=frame_of(model, body))
        if body and model.body_mass[body] > 0.0:
            _inertial(link, model, body)
        for geom in np.flatnonzero(model.geom_bodyid == body):
            _shape(link, model, int(geom))
    for body in range(1, model.nbody):
        _joint(root, model, body)
    return ET.tostring(root, encoding="unicode")


def frame_of(model: mujoco.MjModel, body: int) -> str:
    """Frame name of a body."""
    return model.body(body).name or f"body_{body}"


def transforms(
    model: mujoco.MjModel, data: mujoco.MjData
) -> list[tuple[str, str, NDArray[np.float64], NDArray[np.float64]]]:
    """Parent frame, frame, translation (3,) [m], rotation (x, y, z, w) of each body."""
    found: list[Any] = []
    for body in range(1, model.nbody):
        parent = int(model.body_parentid[body])
        back = np.empty(4)
        mujoco.mju_negQuat(back, data.xquat[parent])
        place, turn = np.empty(3), np.empty(4)
        mujoco.mju_rotVecQuat(place, data.xpos[body] - data.xpos[parent], back)
        mujoco.mju_mulQuat(turn, back, data.xquat[body])
        found.append((frame_of(model, parent), frame_of(model, body), place, turn[[1, 2, 3, 0]]))
    return found


def _joint(root: ET.Element, model: mujoco.MjModel, body: int) -> None:
    first = int(model.body_jntadr[body])
    kinds = {int(_J.mjJNT_HINGE): "revolute", int(_J.mjJNT_SLIDE): "prismatic"}
    kind = kinds.get(int(model.jnt_type[first]), "floating") if first >= 0 else "fixed"
    limited = first >= 0 and bool(model.jnt_limited[first])
    if kind == "revolute" and not limited:
        kind = "continuous"
    name = model.joint(first).name if first >= 0 else ""
    joint = ET.SubElement(root, "joint", name=name or f"joint_{body}", type=kind)
    ET.SubElement(joint, "parent", link=frame_of(model, int(model.body_parentid[body])))
    ET.SubElement(joint, "child", link=frame_of(model, body))
    _origin(joint, model.body_pos[body], model.body_quat[body])
    if kind in ("revolute", "prismatic", "continuous"):
        ET.SubElement(joint, "axis", xyz=_text(model.jnt_axis[first]))
    if kind in ("revolute", "prismatic"):
        low, high = model.jnt_range[first] if limited else (-10.0, 10.0)
        ET.SubElement(
            joint, "limit", lower=f"{low:g}", upper=f"{high:g}", effort="1000", velocity="100"
        )


def _inertial(link: ET.Element, model: mujoco.MjModel, body: int) -> None:
    inertial = ET.SubElement(link, "inertial")
    _origin(inertial, model.body_ipos[body], model.body_iquat[body])
    ET.SubElement(inertial, "mass", value=f"{model.body_mass[body]:.9g}")
    x, y, z = (f"{value:.9g}" for value in model.body_inertia[body])
    ET.SubElement(inertial, "inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")


def _shape(link: ET.Element, model: mujoco.MjModel, geom: int) -> None:
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    shapes = {
        int(_G.mjGEOM_BOX): ("box", {"size": _text(2.0 * size)}),
        int(_G.mjGEOM_SPHERE): ("sphere", {"radius": f"{size[0]:g}"}),
        int(_G.mjGEOM_CYLINDER): (
            "cylinder",
            {"radius": f"{size[0]:g}", "length": f"{2 * size[1]:g}"},
        ),
        int(_G.mjGEOM_CAPSULE): (
            "cylinder",
            {"radius": f"{size[0]:g}", "length": f"{2 * (size[1] + size[0]):g}"},
        ),
    }
    if kind not in shapes:
        return
    visual = ET.SubElement(link, "visual")
    _origin(visual, model.geom_pos[geom], model.geom_quat[geom])
    name, values = shapes[kind]
    ET.SubElement(ET.SubElement(visual, "geometry"), name, values)
    material = ET.SubElement(visual, "material", name=f"colour_{geom}")
    ET.SubElement(material, "color", rgba=_text(model.geom_rgba[geom]))


def _origin(parent: ET.Element, place: NDArray[Any], turn: NDArray[Any]) -> None:
    w, x, y, z = turn
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    ET.SubElement(parent, "origin", xyz=_text(place), rpy=_text([roll, pitch, yaw]))


def _text(values: Any) -> str:
    return " ".join(f"{float(x):.9g}" for x in values)


class Channels:
    """The topics and services of a robot.

    Args:
        commands: passed to the robot. ros2_control: talk to its topic-based hardware interface.
        manager: file of the toolbox's manager, or None. controller: of series-elastic joints, driven
            on the topics of the CENTAURO plugin, or None. sections: switched by services, or None.

    Attributes:
        heard: subscribed topics. said: published topics. asked: services. sections: as given.
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
        """Set gains of one joint's controllers, by the names in its law."""
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
        )  # checks its range before anything is changed
        info = robot.info.attachment
        for name, value in values.items():
            column = info.column(sample.joint, name)
            robot.model.actuator_user[
                robot.places.ids[robot.joints.index(sample.joint)], column
            ] = value


def _switch(sections: Sections, name: str, request: Any, _now: float) -> None:
    sections.set(name, bool(request.data))
