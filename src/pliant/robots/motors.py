"""Motion and torque of the motors of a robot's joints, as arrays in the order of the joints."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.robots.joint_groups import Group, by_joint

__all__ = ["Motor", "motor_of"]


@dataclass(frozen=True, eq=False)
class Motor:
    """(n,) each: [rad], [rad/s], applied and commanded torque, and whether it is at its end.

    Of an adjuster whose place is a length read m and N. `commanded` is in the controller's own
    unit, and in mode 4 the reference as it was given. `at_end`: the motor stands at an end of its
    range, where the toolbox publishes no effort.
    """

    position: Floats
    velocity: Floats
    effort: Floats
    commanded: Floats
    at_end: NDArray[np.bool_]


def motor_of(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    groups: list[Group],
    *,
    modes: Sequence[int | None],
    asked: Floats,
    number: int,
) -> Motor:
    """Motor 0 or 1 of each joint; NaN where it has none, and in modes without motors.

    Args:
        groups: of the joints. modes, asked: (n,) of each joint; what was commanded in mode 4.
    """

    def column(name: str) -> Floats:
        return by_joint(len(modes), groups, lambda group: _state(model, data, group, name, number))

    position, commanded = column("rotor.theta"), column("own.command")
    effort = by_joint(len(modes), groups, lambda group: _effort(model, data, group, number))
    is_asked = np.array([mode == 4 for mode in modes]) & ~np.isnan(commanded)
    commanded = np.where(is_asked, asked, commanded)
    has_motors = np.array([mode is not None and mode >= 4 for mode in modes])
    velocity, effort, commanded = (
        np.where(has_motors, values, np.nan)
        for values in (column("rotor.omega"), effort, commanded)
    )
    low, high = (
        by_joint(
            len(modes),
            groups,
            lambda group, end=end: (
                group.end(model, end, number) if number < len(group.elastic.numbers) else None
            ),
        )
        for end in ("low", "high")
    )
    at_end = (position <= low) | (position >= high)
    return Motor(position, velocity, effort, commanded, at_end & has_motors)


def _state(
    model: mujoco.MjModel, data: mujoco.MjData, group: Group, name: str, number: int
) -> Floats | None:
    columns = group.elastic.columns(name)
    return group.states(model, data)[:, columns[number]] if number < len(columns) else None


def _effort(model: mujoco.MjModel, data: mujoco.MjData, group: Group, number: int) -> Floats | None:
    elastic = group.elastic
    if number >= len(elastic.numbers):
        return None
    p = group.parameters(model)
    supply = p[:, list(elastic.actuator.fields).index("own.voltage")]
    off = (model.opt.disableactuator >> model.actuator_group[group.ids]) & 1
    on = 1.0 - off.astype(float)
    return elastic.effort(number, group.applied(model, data), supply, on, p)
