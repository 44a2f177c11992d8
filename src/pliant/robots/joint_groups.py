"""Joints of a compiled model by their actuators: addresses, laws and motors.

Joints whose actuators have the same laws are evaluated together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.joints import references
from pliant.engines.spec.readings import actuator_on, off_joint, second_command_of
from pliant.engines.spec.slots import AGE, STATE
from pliant.lower.law import Target
from pliant.robots.elastic import Elastic, elastic_of
from pliant.robots.mode import motor_numbers

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class JointPlaces:
    """Actuators and addresses in the model of each joint, in one order.

    Attributes:
        actuators: one for each joint. ids: their numbers in the model. qpos, dof: of the joint.
        control: of the first command; preset: of the second, -1 without. output: of the torque.
        act: first activation. gear: (n,) transmission ratio. substeps: (n,) in a step.
    """

    joints: tuple[str, ...]
    actuators: tuple[Actuator, ...]
    ids: Ints
    qpos: Ints
    dof: Ints
    control: Ints
    preset: Ints
    output: Ints
    act: Ints
    gear: Floats
    substeps: Floats


def places_of(model: mujoco.MjModel, attachment: Attachment) -> JointPlaces:
    """Find the actuators of `attachment` in the model that was compiled after it.

    Those that act on a tendon itself, or between sites, have no joint, and are left out.
    """
    numbers = [actuator_on(model, entry.joint) for entry in attachment.joints]
    own = [k for k, number in enumerate(numbers) if not off_joint(model, number)]
    entries = [attachment.joints[k] for k in own]
    joints = tuple(entry.joint for entry in entries)
    actuators = tuple(entry.actuator for entry in entries)
    ids = np.array([numbers[k] for k in own], dtype=np.intp)
    presets = [
        int(model.actuator_ctrladr[second_command_of(model, int(i))])
        if references(actuator) > 1
        else -1
        for i, actuator in zip(ids, actuators, strict=True)
    ]
    return JointPlaces(
        joints,
        actuators,
        ids,
        np.array([model.joint(joint).qposadr[0] for joint in joints], dtype=np.intp),
        np.array([model.joint(joint).dofadr[0] for joint in joints], dtype=np.intp),
        model.actuator_ctrladr[ids].astype(np.intp),
        np.array(presets, dtype=np.intp),
        model.actuator_outadr[ids].astype(np.intp),
        model.actuator_actadr[ids].astype(np.intp),
        model.actuator_gear[model.actuator_outadr[ids], 0].copy(),
        np.array([entry.steps.substeps for entry in entries], dtype=np.float64),
    )


@dataclass(frozen=True, eq=False)
class Group:
    """Joints whose compliant actuators have the same laws.

    Attributes:
        members: which joints. act: (n, S) where their states are in `act`. user: (n, P) rows.
        substeps: (n,) of each actuator in a step.
    """

    members: Ints
    elastic: Elastic
    ages: Ints
    act: NDArray[np.intp]
    ids: Ints
    qpos: Ints
    gear: Floats
    substeps: Floats

    def parameters(self, model: mujoco.MjModel) -> Floats:
        """(n, P) Of each actuator, as they stand in the model."""
        return model.actuator_user[self.ids, : len(self.elastic.actuator.fields)]

    def enabled(self, model: mujoco.MjModel) -> Floats:
        """(n,) 0 of actuators whose group is disabled, else 1."""
        off = (model.opt.disableactuator >> model.actuator_group[self.ids]) & 1
        return 1.0 - off.astype(float)

    def angles(self, data: mujoco.MjData) -> Floats:
        """(n,) [rad] Link angles as the actuators see them."""
        return self.gear * data.qpos[self.qpos]

    def states(self, model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
        """(n, S) States of the actuators at the link's time; at rest where no step was taken.

        A step first advances the motor at its present speed, up to a stop; spring and engine then see
        the poses of both. `act` is from before that advance.
        """
        states = self.applied(model, data)
        late = model.opt.timestep / self.substeps
        columns = (self.elastic.columns(name) for name in ("rotor.theta", "rotor.omega"))
        for motor, (theta, omega) in enumerate(zip(*columns, strict=False)):  # ideal: no speed
            turned = states[:, theta] + late * states[:, omega]
            low, high = (self.end(model, end, motor) for end in ("low", "high"))
            states[:, theta] = np.clip(
                turned, -np.inf if low is None else low, np.inf if high is None else high
            )
        return states

    def end(self, model: mujoco.MjModel, end: str, motor: int) -> Floats | None:
        """(n,) [rad] "low" or "high" of the range of motor 0 or 1, if it has one."""
        name = f"rotor{self.elastic.numbers[motor]}.{end}"
        fields = list(self.elastic.actuator.fields)
        return self.parameters(model)[:, fields.index(name)] if name in fields else None

    def applied(self, model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
        """(n, S) States from which the torque of the last sub-step was computed; at rest without one."""
        states = data.act[self.act]
        fresh = data.act[self.ages] == 0.0
        if fresh.any():
            rested = self.elastic.start(self.angles(data), self.parameters(model))
            states = np.where(fresh[:, None], rested, states)
        return states


def groups_of(places: JointPlaces, target: Target) -> list[Group]:
    """The compliant joints of a robot by their laws."""
    members: dict[Any, list[int]] = {}
    for k, actuator in enumerate(places.actuators):
        if motor_numbers(actuator):
            key = (actuator.topology, tuple(actuator.laws.items()))
            members.setdefault(key, []).append(k)
    found: list[Group] = []
    for joints in members.values():
        mine = np.array(joints, dtype=np.intp)
        elastic = elastic_of(places.actuators[joints[0]], target)
        first = places.act[mine]
        width = np.arange(len(elastic.actuator.state))
        found.append(
            Group(
                mine,
                elastic,
                first + AGE,
                first[:, None] + STATE + width,
                places.ids[mine],
                places.qpos[mine],
                places.gear[mine],
                places.substeps[mine],
            )
        )
    return found


def by_joint(count: int, groups: list[Group], values: Callable[[Group], Floats | None]) -> Floats:
    """(count,) `values` of each group at its joints, NaN where there is none."""
    result = np.full(count, np.nan)
    for group in groups:
        found = values(group)
        if found is not None:
            result[group.members] = found
    return result


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
    return elastic.effort(number, group.applied(model, data), supply, group.enabled(model), p)
