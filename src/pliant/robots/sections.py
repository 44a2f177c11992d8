"""Sections of a robot, such as its arms, switched on and off while it runs.

    sections = Sections(robot, {"torso": ["torso_yaw"], "arms": ["shoulder", "elbow"]})
    sections.set("torso", False)          # the arms hang on it: they are off too
    sections.enabled                      # {"torso": False, "arms": False}

A section that is off has motors without torque; friction and springs remain. What carries a section
is read from the model: whichever section's joints its bodies hang on.  compliant_actuators: 4.1
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.errors import PliantError, check_known
from pliant.robots.robot import Robot

GROUPS = 31
"""Groups of actuators that MuJoCo can disable."""


class Sections:
    """Sections of a robot and whether they are on; all are on at first.

    Each section becomes an actuator group of its own in the compiled model.

    Args:
        robot: with actuators on all joints named. joints: section to its joints, each in one section.

    Raises:
        PliantError: a section is empty, a joint is not the robot's or is in two sections, or the model
            has too few groups left.
    """

    def __init__(self, robot: Robot, joints: Mapping[str, Sequence[str]]) -> None:
        self._robot = robot
        self._joints = {name: _checked(robot, name, members) for name, members in joints.items()}
        _check_once(self._joints)
        self._on = dict.fromkeys(self._joints, True)
        self._carriers = {name: _carriers(robot, name, self._joints) for name in self._joints}
        self._groups = dict(zip(self._joints, _free_groups(robot, len(joints)), strict=True))
        for name, members in self._joints.items():
            for joint in members:
                actuator = robot.places.ids[robot.joints.index(joint)]
                robot.model.actuator_group[actuator] = self._groups[name]

    @property
    def enabled(self) -> dict[str, bool]:
        """Whether each section's motors are on, which requires it and all that carry it to be on."""
        return {
            name: on and all(self._on[carrier] for carrier in self._carriers[name])
            for name, on in self._on.items()
        }

    def set(self, name: str, on: bool) -> None:
        """Switch a section on or off; sections mounted on it go off with it.

        Raises:
            PliantError: there is no such section.
        """
        check_known(name, self._on, "unknown section", field="section")
        self._on[name] = on
        self.apply()

    def apply(self) -> None:
        """Write the present state to the model, after something else changed its disabled groups."""
        option = self._robot.model.opt
        bits = int(option.disableactuator)
        for section, is_on in self.enabled.items():
            bit = 1 << self._groups[section]
            bits = bits & ~bit if is_on else bits | bit
        option.disableactuator = bits


def _checked(robot: Robot, section: str, joints: Sequence[str]) -> tuple[str, ...]:
    field = f"section {section}"
    if not joints:
        raise PliantError("has no joints", field=field, accepted=robot.joints)
    for joint in joints:
        check_known(joint, robot.joints, "no such joint with an actuator", field=field)
    return tuple(joints)


def _check_once(sections: Mapping[str, Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for name, joints in sections.items():
        for joint in joints:
            if joint in seen:
                raise PliantError(f"is in {seen[joint]} and in {name}", field=f"joint {joint}")
            seen[joint] = name


def _carriers(robot: Robot, section: str, joints: Mapping[str, Sequence[str]]) -> list[str]:
    """Sections whose joints lie between the first body of this one and the world."""
    model = robot.model
    above: set[str] = set()
    for joint in joints[section]:
        body = int(model.body_parentid[model.jnt_bodyid[model.joint(joint).id]])
        while body:
            first = int(model.body_jntadr[body])
            numbers = range(first, first + int(model.body_jntnum[body]))
            above |= {str(model.joint(k).name) for k in numbers}
            body = int(model.body_parentid[body])
    return [name for name, members in joints.items() if name != section and above & set(members)]


def _free_groups(robot: Robot, count: int) -> list[int]:
    used = set(np.unique(robot.model.actuator_group).tolist())
    free = [group for group in range(GROUPS) if group not in used]
    if len(free) < count:
        raise PliantError(
            "more sections than actuator groups that are free",
            field="sections",
            found=count,
            accepted=f"at most {len(free)}",
        )
    return free[:count]
