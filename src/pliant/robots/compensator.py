"""Commands that make a robot's joints follow a wanted motion, from its model and its actuators.

    compensator = pliant.Compensator("robot.toml", cycle=0.02)
    goals = compensator.step(position, velocity, acceleration, measured=joints)     # once a cycle

1. the delay of each actuator is led: the wanted motion is taken ahead by it and half a cycle
2. MuJoCo's inverse dynamics say the torque that the motion needs there, with the payload
3. each servo's firmware, driver and motor are inverted: the goal at which they give that torque and
   overcome friction on the side of the approach; what is still missing at rest is added slowly
   (`engines.hosts.inverse`). A joint with springs gets the references that bend them so (`sprung_joint`)
4. goals are kept within limits

Left out: contacts, and friction of joints whose motor is behind a spring.
"""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.hosts.leads import Leads
from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.placing import Wanted
from pliant.errors import PliantError, check_kind, located
from pliant.lower.law import delay_of
from pliant.robots.attach import attach
from pliant.robots.goal_limits import goal_limits, holdable, position_told
from pliant.robots.inverse_load import Course, InverseLoad, add_payload
from pliant.robots.joint_groups import places_of
from pliant.robots.references import of_joints
from pliant.robots.robot_file import robot_in
from pliant.robots.sprung_joint import SprungJoint

STALE = 0.1
"""[s] Age from which a measured position is no longer used."""
FINE = 1e-4
"""[s] Timestep of the model, which is never stepped; so small that no spring is too stiff for it."""
POSES = 500
"""Number of a motion's poses that are checked for whether they can be held."""
BEGINNING = 0.5
"""[s] Transition from the first command, which is the joints' position, to the wanted motion."""


class Compensator:
    """Goals of J joints, cycle by cycle; see the module.

    Attributes:
        joints: names, in the order of all arrays. cycle: [s].
        goal: (J,) last goals, in turns of the actuators [rad], like MuJoCo's controls.
        preset: (J,) second command of joints that have one; NaN for the others.
        held: reason why the last goals were held instead of new ones; empty if they were not.
        supply: (J,) [V], initially the nominal one; may be set.
    """

    # So many options: payload, limits, and those of `attach`.
    def __init__(
        self,
        model: str | Path | mujoco.MjSpec,
        actuators: Wanted | None = None,
        *,
        cycle: float,
        payload: Mapping[str, float] | None = None,
        speed: float | None = None,
        current: float | None = None,
        **options: Any,
    ) -> None:
        """Compile the servos' inverses.

        Args:
            model: robot file (TOML), MJCF, URDF, or a spec without its actuators.
            actuators: joint to actuator, as of `pliant.attach`; None where the model names them.
            cycle: [s] between two calls of `step`.
            payload: site, or body for its centre of mass, to a mass held there [kg].
            speed: [rad/s] limit of the goals; None: the firmware's own limit, or 10.
            current: [A] limit of each servo; None: the firmware's own limit.
            options: as of `pliant.attach`, if `actuators` are given.

        Raises:
            PliantError: the model, an actuator or an option is refused, or an actuator does not take
                a position.
        """
        check_kind(cycle, (int, float), "cycle", "seconds")
        if not 0.0 < cycle <= 1.0:
            raise PliantError(
                "out of range", field="cycle", found=cycle, accepted="above 0, to 1 s"
            )
        spec, attachment = robot_spec(model, actuators, payload or {}, options, FINE)
        with unlogged():
            compiled = spec.compile()
        places = places_of(compiled, attachment)
        self.joints, self.cycle, self.gear = places.joints, float(cycle), places.gear
        units = places.actuators
        for joint, unit in zip(self.joints, units, strict=True):
            with located(field=f"joint {joint}"):
                position_told(unit)
        servos = [j for j, unit in enumerate(units) if unit.topology.name == "rigid_servo"]
        self.leads = Leads(units, cycle, servos)
        self.load = InverseLoad(compiled, places)
        self._sprung = {j: SprungJoint(unit) for j, unit in enumerate(units) if j not in servos}
        self.supply = self.leads.wanted[4]
        self.supply[:] = [unit.value("own.voltage") for unit in units]
        self._ahead = np.array([delay_of(unit) for unit in units]) + 0.5 * self.cycle
        self.limits = self.leads.limits
        self.limits[:] = goal_limits(compiled, places, self.leads, speed, current)
        count = len(self.joints)
        self.goal, self.preset = self.leads.kept[1], np.full(count, np.nan)
        self._last, self._first = np.zeros(count), np.zeros(count)
        self.reset()

    def __repr__(self) -> str:
        return f"<Compensator of {', '.join(self.joints)}, each {1e3 * self.cycle:g} ms>"

    def reset(self) -> None:
        """Start again: the next command is the joints' present position."""
        self.leads.kept[:] = 0.0
        self.preset[:] = np.nan
        self._begun, self.held = 0.0, "not begun"

    def step(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        *,
        measured: ArrayLike,
        age: float = 0.0,
        stiffness: ArrayLike | None = None,
    ) -> Floats:
        """The goals of this cycle: `goal`, which the next cycle overwrites.

        The first are the joints' present positions; from there they reach the wanted motion within half a
        second. If a number is not finite, or the measured position is older than 0.1 s, the last goals are
        held, and `held` says why. The goal of a joint whose spring cannot do what is asked is held too.

        Args:
            position, velocity, acceleration: (J,) wanted now [rad, m; and per second]. Without a velocity, it
                is taken from the last two positions, and the acceleration is 0.
            measured: (J,) positions of the joints; NaN where there are none. age: of them [s].
            stiffness: (J,) [N m/rad] of joints with springs whose stiffness can be chosen.

        Raises:
            PliantError: an array has another length, or there is nothing to hold yet.
        """
        q, seen = self._turned("position", position), self._turned("measured", measured)
        if velocity is None:
            v = (q - self._last) / self.cycle if self._begun else 0.0 * q
        else:
            v = self._turned("velocity", velocity)
        a = 0.0 * v if acceleration is None else self._turned("acceleration", acceleration)
        self.held = _unusable(float(np.add.reduce(q + v + a)), float(np.add.reduce(seen)), age)
        if self.held:
            if not self._begun:
                raise PliantError(
                    self.held, field="the first cycle", accepted="where the joints are"
                )
            return self.goal
        return self._next(q, v, a, seen, age, stiffness)

    def _next(
        self,
        q: Floats,
        v: Floats,
        a: Floats,
        seen: Floats | None,
        age: float,
        stiffness: ArrayLike | None,
    ) -> Floats:
        """The next goals; without a measured position, the joints are assumed to be at the wanted one."""
        self._last = q
        begins = not self._begun
        if begins:
            self._first = q if seen is None else seen
        if self._begun < BEGINNING:
            part = self._begun / BEGINNING
            part *= part * (3.0 - 2.0 * part)
            q = self._first + part * (q - self._first)
            v, a = part * v, part * a
        self._begun += self.cycle
        ahead, wanted = self._ahead, self.leads.wanted
        led = a * ahead
        wanted[0], wanted[1] = q + ahead * (v + 0.5 * led), v + led
        late = 0.0 if seen is None else q - age * (v - 0.5 * age * a) - seen
        wanted[3] = wanted[0] - late
        wanted[2] = self.load.torque(wanted[0], wanted[1], a)
        goals = self.leads.follow()
        for j, joint in self._sprung.items():
            try:
                goals[j] = self._bent(j, joint, stiffness, begins)
            except PliantError as error:
                if begins:
                    raise
                self.held = str(error)
        return goals

    def _bent(self, j: int, joint: SprungJoint, stiffness: ArrayLike | None, begins: bool) -> float:
        """The first reference of a joint with springs, within its limits; the second is kept."""
        q, v, tau, seen, supply = (float(x) for x in self.leads.wanted[:, j])
        sigma = None if stiffness is None else float(np.broadcast_to(stiffness, self.goal.shape)[j])
        with located(field=f"joint {self.joints[j]}"):
            goal, self.preset[j] = joint.references(
                q, v, tau, sigma and sigma / self.gear[j] ** 2, supply
            )
        if begins:
            return seen
        low, high, speed = self.limits[:3, j]
        reach = speed * self.cycle
        goal = min(max(goal, low), high)
        return min(max(goal, self.goal[j] - reach), self.goal[j] + reach)

    def along(self, course: Course, stiffness: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Commands for a motion known in advance, without measured positions.

        Args:
            course: of these joints and this cycle. stiffness: as of `step`.

        Returns:
            (N, J) goals [rad] and (N, J) second commands, NaN of joints that have none.

        Raises:
            PliantError: the motion leaves a joint's range, a servo cannot hold one of its poses, or a spring
                cannot do what is asked; names the joint, the time and the limit.
        """
        poses = course.position * self.gear
        low, high = self.limits[:2]
        for n, j in np.argwhere((poses < low) | (poses > high))[:1].tolist():
            raise PliantError(
                "beyond the joint's range",
                field=f"joint {self.joints[j]} at {course.time[n]:.3f} s",
                found=round(float(course.position[n, j]), 4),
                accepted=f"{low[j] / self.gear[j]:.4g} to {high[j] / self.gear[j]:.4g}",
            )
        self.check_holds(course.position[:: max(len(poses) // POSES, 1)])
        self.reset()
        self.held = ""
        goals, presets = np.empty_like(poses), np.empty_like(poses)
        for n, (q, v, a) in enumerate(course):
            turned = self.gear * q, self.gear * v, self.gear * a
            goals[n] = self._next(*turned, None, 0.0, stiffness)
            presets[n] = self.preset
            if self.held:
                raise PliantError(self.held, field=f"at {course.time[n]:.3f} s")
        return goals, presets

    def check_holds(self, position: Floats) -> None:
        """Refuse poses (N, J) [rad, m] that a servo cannot hold.

        Raises:
            PliantError: names the joint, the torque that the worst pose needs, and the servo's limit.
        """
        holdable(self.joints, position * self.gear, self.load, self.leads)

    def _turned(self, name: str, values: ArrayLike) -> Floats:
        """Joint values converted to turns of their actuators."""
        return of_joints(name, values, self.joints) * self.gear


def _unusable(wanted: float, seen: float, age: float) -> str:
    if not isfinite(wanted):
        return "the wanted motion is not finite"
    if not isfinite(seen):
        return "a measured position is missing or not finite"
    return "" if 0.0 <= age <= STALE else f"the measured position is {age:g} s old"


def robot_spec(
    model: str | Path | mujoco.MjSpec,
    actuators: Wanted | None,
    payload: Mapping[str, float],
    options: Mapping[str, Any],
    timestep: float | None,
) -> tuple[mujoco.MjSpec, Attachment]:
    """The model with its actuators and payload, to be compiled, and what was attached.

    Args:
        model, actuators, payload, options: as of `Compensator`. timestep: [s] instead of the model's.
    """
    path = None if isinstance(model, mujoco.MjSpec) else Path(model)
    attachment = None
    if path is not None and actuators is None:
        spec, info = robot_in(path, timestep)
        attachment = info.attachment
    else:
        spec = model.copy() if isinstance(model, mujoco.MjSpec) else load_model(model)[0]
    if actuators is not None:
        if timestep is not None:
            spec.option.timestep = timestep
        attachment = attach(spec, actuators, **options)
    if attachment is None or not attachment.joints:
        raise PliantError(
            "no joint has an actuator", file=path, accepted="joint to actuator, or a robot's file"
        )
    add_payload(spec, payload)
    return spec, attachment
