"""A robot as identification sees it: its actuators, and what is not known of its body."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

from pliant.assemble import Actuator, Number, assemble
from pliant.identify.problem.space import Space
from pliant.identify.robot.space import MASS, OFFSET


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot but for its model: what identification changes.

    Attributes:
        actuators: joint to actuator. led: joints that follow their recording.
        masses: body to factor of its mass. offsets: joint to position offset [rad, m].
    """

    actuators: Mapping[str, Actuator]
    led: tuple[str, ...] = ()
    masses: Mapping[str, float] = field(default_factory=dict[str, float])
    offsets: Mapping[str, float] = field(default_factory=dict[str, float])


def alone(robot: Robot, joint: str) -> Robot:
    """One joint with its actuator, the others led."""
    others = tuple(name for name in robot.actuators if name != joint)
    return dataclasses.replace(
        robot, actuators={joint: robot.actuators[joint]}, led=(*robot.led, *others)
    )


def with_values(robot: Robot, values: Mapping[str, float]) -> Robot:
    """The robot with other numbers, not yet said to be identified."""
    actuators: dict[str, Actuator] = {}
    for joint, actuator in robot.actuators.items():
        own = {
            name: values[f"{joint}.{name}"]
            for name in actuator.fields
            if f"{joint}.{name}" in values
        }
        actuators[joint] = actuator.with_values(own, "so far", "assumed")
    masses = {n.removeprefix(MASS): x for n, x in values.items() if n.startswith(MASS)}
    offsets = {j: values[f"{j}.{OFFSET}"] for j in actuators if f"{j}.{OFFSET}" in values}
    return dataclasses.replace(
        robot,
        actuators=actuators,
        masses={**robot.masses, **masses},
        offsets={**robot.offsets, **offsets},
    )


def identified(robot: Robot, values: Mapping[str, float], space: Space) -> Robot:
    """The robot with the values found, each with the bounds it was searched in."""
    boxes = {
        name: (float(low), float(high))
        for name, low, high in zip(space.names, space.low, space.high, strict=True)
    }
    actuators: dict[str, Actuator] = {}
    for joint, actuator in robot.actuators.items():
        own = {n: f"{joint}.{n}" for n in actuator.fields if f"{joint}.{n}" in values}
        numbers = {
            name: Number(
                values[at], actuator.fields[name].unit, "identification", "identified", *boxes[at]
            )
            for name, at in own.items()
        }
        text = f"pliant {version('pliant')}, from {actuator.name}; see [identification]"
        kept = {**actuator.numbers, **numbers}
        used = {number.source for number in [*kept.values(), *actuator.bench.values()]}
        sources = {key: said for key, said in actuator.sources.items() if key in used}
        actuators[joint] = assemble(
            dataclasses.replace(
                actuator,
                name=f"{actuator.device}_{joint}_identified",
                numbers=kept,
                title=f"{actuator.title.partition(',')[0]} at {joint}, identified",
                sources={**sources, "identification": text},
                path=None,
            )
        )
    return dataclasses.replace(with_values(robot, values), actuators=actuators)
