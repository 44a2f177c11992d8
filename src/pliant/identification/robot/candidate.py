"""A robot without its model: actuators, and what is not known of the body."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from pliant.assemble import Actuator
from pliant.identification.robot.space import MASS, OFFSETS


@dataclass(frozen=True, eq=False)
class RobotCandidate:
    """Everything of a robot that a fit may change.

    Attributes:
        actuators: joint to actuator. led: joints that follow their recording.
        masses: body to factor of its mass. offsets: "<joint>.position_offset" and
            "<joint>.command_offset" [rad, m].
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
    """

    actuators: Mapping[str, Actuator]
    led: tuple[str, ...] = ()
    masses: Mapping[str, float] = field(default_factory=dict[str, float])
    offsets: Mapping[str, float] = field(default_factory=dict[str, float])
    hold: bool = True


def alone(robot: RobotCandidate, joint: str) -> RobotCandidate:
    """One joint with its actuator, the others led."""
    others = tuple(name for name in robot.actuators if name != joint)
    return dataclasses.replace(
        robot, actuators={joint: robot.actuators[joint]}, led=(*robot.led, *others)
    )


def with_values(
    robot: RobotCandidate, values: Mapping[str, float], source: str = "so far"
) -> RobotCandidate:
    """The robot with other numbers, not said to be identified."""
    actuators: dict[str, Actuator] = {}
    for joint, actuator in robot.actuators.items():
        own = {
            name: values[f"{joint}.{name}"]
            for name in actuator.fields
            if f"{joint}.{name}" in values
        }
        actuators[joint] = actuator.with_values(own, source, "assumed")
    masses = {n.removeprefix(MASS): x for n, x in values.items() if n.startswith(MASS)}
    known = [f"{joint}.{offset}" for joint in actuators for offset in OFFSETS]
    offsets = {name: values[name] for name in known if name in values}
    return dataclasses.replace(
        robot,
        actuators=actuators,
        masses={**robot.masses, **masses},
        offsets={**robot.offsets, **offsets},
    )
