"""The toolbox's manager node without ROS: two arrays of references in, the robot's state out.

    manager = Manager(robot, read_manager("manager.yaml"))
    state = manager.step([0.5, 0.2], [0.3, 0.3])        one period, `T_sample`, later

                                                         compliant_actuators: 3.3
Left out: messages and clocks of ROS; the names of its topics are in `topics_1` and `topics_2`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.errors import PliantError, check_known
from pliant.io.manager_file import ManagerFile
from pliant.robots.joint_groups import Motor
from pliant.robots.references import equilibrium, of_joints
from pliant.robots.robot import Robot

_REFERENCES = ("/reference_1", "/reference_2")
_EQUILIBRIUM = ("/equilibrium_position", "/stiffness_preset")
_TORQUES = (
    ("/torque_m1_command", "/motor_1_command", "/tau_m1_command"),
    ("/torque_m2_command", "/motor_2_command", "/tau_m2_command"),
)
"""The paper, the code and the shipped file call them differently."""


def heard(mode: int | None, reference: int) -> tuple[str, ...]:
    """The topics on which a joint in this mode hears its reference; none if it hears nothing."""
    if mode in (0, 1):
        return ((("/torque_command",), ("/link_command",))[mode]) if reference == 0 else ()
    if mode == 4:
        return _TORQUES[reference]
    return ((_EQUILIBRIUM if mode in (3, 6) else _REFERENCES)[reference],)


@dataclass(frozen=True, eq=False)
class JointState:
    """(n,) each: [rad], [rad/s], [N m]; NaN where the mode has none."""

    name: tuple[str, ...]
    position: Floats
    velocity: Floats
    effort: Floats


@dataclass(frozen=True, eq=False)
class RobotState:
    """State of the robot as the node publishes it, at `time` [s].

    Attributes:
        robot: of the links; `effort` is what the actuators apply.
        motor_1, motor_2: of the motors, behind their gears. stiffness: [N m/rad] of the joints.
    """

    time: float
    robot: JointState
    motor_1: JointState
    motor_2: JointState
    stiffness: Floats


class Manager:
    """A robot led by arrays of references, in the order of the manager's file.

    Args:
        robot: to be led. file: from `read_manager`.
        before_first: references before the first command: "zeros", as in the toolbox, or "stay",
            the references that keep the joints where they are.

    Raises:
        PliantError: a joint is not the robot's, listens to another topic in its mode, or the
            period is not a whole number of steps.
    """

    def __init__(
        self, robot: Robot, file: ManagerFile, *, before_first: Literal["zeros", "stay"] = "zeros"
    ) -> None:
        self.robot, self.file = robot, file
        for joint in file.joints:
            problem = "the robot has no such joint"
            check_known(joint, robot.joints, problem, file=file.path, field="joints_name")
        self._order = np.array([robot.joints.index(joint) for joint in file.joints])
        self._check_topics()
        self._steps = self._whole_steps()
        self._stays = before_first == "stay"
        self._commanded = False

    @property
    def topics_1(self) -> tuple[str, ...]:
        """Full names of the topics of the first references."""
        return self._names(self.file.topics_1)

    @property
    def topics_2(self) -> tuple[str, ...]:
        """Full names of the topics of the second references."""
        return self._names(self.file.topics_2)

    def step(self, refs_1: ArrayLike | None = None, refs_2: ArrayLike | None = None) -> RobotState:
        """Give the references and simulate one period.

        Args:
            refs_1, refs_2: (joints,) in the units of the modes; None keeps the last ones.
        """
        if not self._commanded and refs_1 is None and refs_2 is None:
            if self._stays:
                self._stay()
        else:
            self._commanded = True
        if refs_1 is not None:
            self.robot.reference_1 = self._merged("refs_1", self.robot.reference_1, refs_1)
        if refs_2 is not None:
            self.robot.reference_2 = self._merged("refs_2", self.robot.reference_2, refs_2)
        self.robot.step(self._steps)
        return self.state()

    def state(self) -> RobotState:
        """The robot as it is now."""
        robot, k = self.robot, self._order
        link, names = robot.link, self.file.joints

        def motor(values: Motor) -> JointState:
            return JointState(names, values.position[k], values.velocity[k], values.effort[k])

        return RobotState(
            time=float(robot.data.time),
            robot=JointState(names, link.position[k], link.velocity[k], link.torque[k]),
            motor_1=motor(robot.motor_1),
            motor_2=motor(robot.motor_2),
            stiffness=robot.stiffness[k],
        )

    def _names(self, topics: Sequence[str]) -> tuple[str, ...]:
        before = f"/{self.file.namespace}" if self.file.namespace else ""
        joints = self.file.joints
        return tuple(f"{before}/{j}{topic}" for j, topic in zip(joints, topics, strict=True))

    def _merged(self, name: str, all_: Floats, values: ArrayLike) -> Floats:
        merged = np.array(all_)
        merged[self._order] = of_joints(name, values, self.file.joints)
        return merged

    def _stay(self) -> None:
        """References at which unloaded joints stay: where the links are, torques and presets 0."""
        robot = self.robot
        new = np.array(robot.reference_1)
        position = robot.link.position * robot.places.gear
        for k in map(int, self._order):
            if robot.modes[k] not in (0, 4):
                new[k] = position[k]
        robot.reference_1 = new
        second = np.array(robot.reference_2)
        for k in map(int, self._order):
            actuator = robot.places.actuators[k]
            if robot.modes[k] in (2, 5) and actuator.topology.name == "antagonistic":
                offset = equilibrium(actuator, (0.0, 0.0))
                new[k], second[k] = position[k] - offset, position[k] - offset
        robot.reference_1, robot.reference_2 = new, second

    def _check_topics(self) -> None:
        lists = (("ref1_topic_name", self.file.topics_1), ("ref2_topic_name", self.file.topics_2))
        for reference, (key, topics) in enumerate(lists):
            for joint, topic in zip(self.file.joints, topics, strict=True):
                mode = self.robot.modes[self.robot.joints.index(joint)]
                topics_heard = heard(mode, reference)
                if topics_heard and topic not in topics_heard:
                    raise PliantError(
                        f"joint {joint}, in operation mode {mode}, does not listen to this topic",
                        file=self.file.path,
                        field=key,
                        found=topic,
                        accepted=topics_heard,
                    )

    def _whole_steps(self) -> int:
        h = float(self.robot.model.opt.timestep)
        count = round(self.file.period / h)
        if count < 1 or abs(count * h - self.file.period) > 1e-9 * self.file.period:
            raise PliantError(
                "is not a multiple of the model's timestep",
                file=self.file.path,
                field="T_sample",
                found=self.file.period,
                accepted=f"a multiple of {h:g} s",
            )
        return count
