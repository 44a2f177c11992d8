"""The device whose units drive a robot's joints: mean and spread over servos of one kind.

Unit j was found at u_j in the unit cube of the search, with information H_j (the curvature of minus the
logarithm of its likelihood there, see `posterior`). Units are drawn around the device's mean with a width for
each parameter,

    u_j ~ N(mean, width²),   found u_j ~ N(true u_j, H_j⁻¹)

and mean and width are the most likely ones (expectation maximisation; Gelman et al., Bayesian
Data Analysis, 5.4). A parameter that one unit's motions do not determine is thus taken from the
others; one that no motion determines keeps its initial width.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Number
from pliant.errors import PliantError
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.space import Space
from pliant.identification.result.identification import Identification
from pliant.identification.robot.space import OFFSETS
from pliant.identification.search.least_squares import curvature
from pliant.io.robot_log import RobotLog

ROUNDS = 200
LEAST = 0.01
"""Smallest spread, as a fraction of the width: real units differ more, and so few could not prove less."""


@dataclass(frozen=True, eq=False)
class Device:
    """A device, seen through J units of it.

    Attributes:
        names: (D,) parameters without their joint. mean, width: (D,) in the unit cube.
        units: joint to (D,) most likely values of its unit. space: of one unit.
    """

    names: tuple[str, ...]
    mean: Floats
    width: Floats
    units: Mapping[str, Floats]
    space: Space

    def ratios(self) -> dict[str, dict[str, float]]:
        """Joint to parameter to the unit's value over the device's."""
        middle = self.space.from_cube(self.mean)
        return {
            joint: dict(zip(self.names, map(float, self.space.from_cube(u) / middle), strict=True))
            for joint, u in self.units.items()
        }


def pooled(found: Floats, information: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean (D,), width (D,) and the units (J, D) of found points (J, D).

    Args:
        found: (J, D) in the unit cube. information: (J, D, D) of each.
    """
    mean, width = found.mean(axis=0), np.maximum(found.std(axis=0), 0.1)
    units = found
    for _ in range(ROUNDS):
        prior = np.diag(1.0 / width**2)
        spread = np.linalg.inv(information + prior)
        pull = np.einsum("jab,jb->ja", information, found) + prior @ mean
        units = np.einsum("jab,jb->ja", spread, pull)
        mean = units.mean(axis=0)
        variance = np.diagonal(spread, axis1=1, axis2=2)
        width = np.sqrt(np.mean((units - mean) ** 2 + variance, axis=0))
        width = np.clip(width, LEAST, 1.0)
    return np.clip(mean, 0.0, 1.0), width, np.clip(units, 0.0, 1.0)


def device_of(found: Identification[RobotLog], joints: Sequence[str]) -> Device:
    """The device of which each of `joints` has a unit.

    Raises:
        PliantError: there is one joint, or they were not searched in the same parameters.
    """
    spaces = {joint: _own(found.space, joint) for joint in joints}
    first = spaces[joints[0]]
    if len(joints) < 2 or any(space.names != first.names for space in spaces.values()):
        raise PliantError(
            "no two joints have the same laws and parameters",
            field="device",
            found=joints,
        )
    box = Space(
        first.names,
        np.min([space.low for space in spaces.values()], axis=0),
        np.max([space.high for space in spaces.values()], axis=0),
        first.start,
    )
    values = [[found.values[f"{joint}.{n}"] for n in first.names] for joint in joints]
    points = np.array([box.to_cube(np.array(row)) for row in values])
    information = np.array([_information(found, joint, box) for joint in joints])
    mean, width, units = pooled(points, information)
    return Device(first.names, mean, width, dict(zip(joints, units, strict=True)), box)


def devices_of(found: Identification[RobotLog]) -> list[Device]:
    """The devices of which a robot has two units or more, searched in the same parameters."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for joint, actuator in found.actuators.items():
        if names := _own(found.space, joint).names:
            laws = [law.name for law in actuator.laws.values()]
            alike.setdefault((actuator.device, *laws, *names), []).append(joint)
    return [device_of(found, joints) for joints in alike.values() if len(joints) > 1]


def device_actuator(device: Device, unit: Actuator, name: str, title: str, source: str) -> Actuator:
    """The device's mean as an actuator, each number with its spread over the units.

    Args:
        device: see `device_of`. unit: an actuator of it. name, title, source: of the new one.
    """
    rows = np.clip(device.mean + np.outer([0.0, -1.0, 1.0], device.width), 0.0, 1.0)
    middle, low, high = device.space.from_cube(rows)
    fields = unit.fields
    bounds = device.space.bounds()
    numbers = {
        n: Number(
            float(middle[k]),
            fields[n].unit,
            "units",
            "identified",
            *bounds[n],
            std=float(0.5 * (high[k] - low[k])) or None,
        )
        for k, n in enumerate(device.names)
        if n in fields
    }
    made = unit.with_numbers(numbers)
    used = {one.source for one in (*made.numbers.values(), *made.datasheet)}
    sources = {k: text for k, text in made.sources.items() if k in used} | {"units": source}
    return dataclasses.replace(
        made, name=name, title=title, sources=sources, bench={}, identification={}, path=None
    )


def _own(space: Space, joint: str) -> Space:
    """The part of a joint, without what belongs to its recordings, by names without the joint."""
    mine = [n for n in space.names if n.startswith(f"{joint}.") and not n.endswith(OFFSETS)]
    part = space.part(mine)
    return dataclasses.replace(part, names=tuple(n.removeprefix(f"{joint}.") for n in mine))


def _information(found: Identification[RobotLog], joint: str, box: Space) -> Floats:
    """(D, D) curvature of minus the log-likelihood of a joint's motion, in the cube of `box`."""
    rig = found.rig.of_joint(joint).seeing(box)
    whole = dataclasses.replace(box, names=tuple(f"{joint}.{n}" for n in box.names))
    at = box.to_cube(np.array([found.values[n] for n in whole.names]))
    return curvature(Posterior(rig.residuals(found.fitted.logs, whole)), at)[2]
