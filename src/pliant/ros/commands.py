"""Commands received as messages: checked, then given to the robot; wrong ones are dropped and counted.

A whole message is dropped if a name is not a joint's, its arrays differ in length, or a number is not
finite.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.robots.compensator import Compensator
from pliant.robots.references import commands_of, refs_of
from pliant.robots.robot import Robot

__all__ = ["Commands", "Trajectory"]


class Trajectory:
    """Positions over time, between the points of a JointTrajectory.

    Cubic where points have speeds, else straight lines; before the first point from where the goals
    were, after the last one it holds.

    Args:
        joints: (m,) indices. time: (T,) [s] from the beginning, rising. position: (T, m) [rad].
        velocity: (T, m) [rad/s], or None.
    """

    def __init__(
        self, joints: Sequence[int], time: Floats, position: Floats, velocity: Floats | None
    ) -> None:
        self.joints, self._time, self._position = list(joints), time, position
        self._spline: Any = None
        if velocity is not None and len(time) > 1:
            spline = extra_module("scipy.interpolate", "ros2").CubicHermiteSpline

            self._spline = spline(time, position, velocity)

    @property
    def end(self) -> float:
        """[s] Of the last point."""
        return float(self._time[-1])

    def at(self, t: float) -> Floats:
        """(m,) Positions at a time [s] from the beginning."""
        t = min(max(t, float(self._time[0])), self.end)
        if self._spline is not None:
            return np.asarray(self._spline(t), dtype=np.float64)
        columns = range(self._position.shape[1])
        return np.array([np.interp(t, self._time, self._position[:, k]) for k in columns])


class Commands:
    """The commands that the robot got last.

    Args:
        compensator: of the robot, a cycle of it each period: positions are then those wanted of the joints,
            and their goals follow from them.

    Attributes:
        dropped: reason to how many messages. last: [s] on the clock, of the last command; -inf
            before the first.
    """

    def __init__(self, robot: Robot, compensator: Compensator | None = None) -> None:
        self._robot, self._compensator = robot, compensator
        if compensator is not None and (robot.places.preset >= 0).any():
            raise PliantError(
                "joints of variable stiffness cannot be compensated here",
                field="--compensate",
                accepted="actuators with one command each",
            )
        self._wanted = robot.link.position
        self.dropped: Counter[str] = Counter()
        self.last = -math.inf
        self._trajectory: Trajectory | None = None
        self._began = 0.0

    def taken(self, act: Callable[[Any, float], None], sample: Any, now: float) -> bool:
        """Give a message to one of the methods below; whether the robot took it."""
        try:
            act(sample, now)
        except (PliantError, ValueError, TypeError, OverflowError) as error:
            self.dropped[f"{error}"[:120]] += 1  # the last three: numbers that no array can hold
            return False
        self.last = now
        return True

    def positions(self, sample: Any, _now: float) -> None:
        """A JointState: `position` is reference 1, `effort` reference 2 where there is one."""
        k = self._joints(sample.name)
        first = self._first()
        second = self._robot.reference_2.copy()
        first[k] = commands_of("position", sample.position, sample.name)
        if len(sample.effort):
            second[k] = commands_of("effort", sample.effort, sample.name)
        self._give(first, second)
        self._trajectory = None

    def trajectory(self, sample: Any, now: float) -> None:
        """A JointTrajectory, from now on."""
        names = sample.joint_names
        k = self._joints(names)
        if not sample.points:
            raise PliantError("a trajectory without points")
        time = np.array(
            [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in sample.points]
        )
        position = np.array([commands_of("positions", p.positions, names) for p in sample.points])
        speeds = [p.velocities for p in sample.points]
        velocity = (
            np.array([commands_of("velocities", v, names) for v in speeds])
            if all(len(v) for v in speeds)
            else None
        )
        if time[0] < 0.0 or (np.diff(time) <= 0.0).any():
            raise PliantError("times of a trajectory do not increase")
        if time[0] > 0.0:
            time = np.r_[0.0, time]
            position = np.vstack([self._first()[k], position])
            velocity = None if velocity is None else np.vstack([0.0 * velocity[:1], velocity])
        self._trajectory, self._began = Trajectory(k, time, position, velocity), now

    def stiffness(self, sample: Any, _now: float) -> None:
        """A StiffnessCommand: references at which the joints rest there, that stiffly."""
        k = self._joints(sample.name)
        self._rest(k, commands_of("equilibrium", sample.equilibrium, sample.name), sample.stiffness)

    def stiffness_fallback(self, sample: Any, _now: float) -> None:
        """The same as a JointState: `position` is the stiffness; they rest where they are told to."""
        k = self._joints(sample.name)
        self._rest(k, self._equilibria()[k], sample.position)

    def reference(self, number: int, joint: int, value: float) -> None:
        """Reference 1 or 2 of one joint."""
        one, two = self._first(), self._robot.reference_2.copy()
        (one if number == 1 else two)[joint] = value
        self._give(one, two)

    def follow(self, now: float) -> None:
        """Bring the references to where the trajectory is; while there is one, commands come."""
        if self._trajectory is not None:
            since = now - self._began
            first = self._first()
            first[self._trajectory.joints] = self._trajectory.at(since)
            self._tell(first)
            self.last = now
            if since > self._trajectory.end:
                self._trajectory = None
        if self._compensator is not None:
            seen = self._robot.link.position
            self._robot.reference_1 = self._compensator.step(self._wanted, measured=seen)

    def stay(self) -> None:
        """Goals become where the joints are; torques become 0."""
        robot = self._robot
        torque = np.array([mode in (0, 4) for mode in robot.modes])
        self._trajectory = None
        gear = 1.0 if self._compensator is not None else robot.places.gear
        self._tell(np.where(torque, 0.0, gear * robot.link.position))

    def _give(self, first: Floats, second: Floats) -> None:
        self._robot.reference_2 = second  # this one has a range, and may be refused
        self._tell(first)

    def _first(self) -> Floats:
        """First references, or positions wanted where they are compensated."""
        known = self._robot.reference_1 if self._compensator is None else self._wanted
        return known.copy()

    def _tell(self, first: Floats) -> None:
        if self._compensator is None:
            self._robot.reference_1 = first
        else:
            self._wanted = first

    def _rest(self, k: list[int], q: Floats, sigma: Sequence[float]) -> None:
        if len(sigma) not in (0, len(k)):
            raise PliantError("wrong number of values", field="stiffness", found=len(sigma))
        robot, places = self._robot, self._robot.places
        told = replace(
            places,
            joints=tuple(places.joints[i] for i in k),
            actuators=tuple(places.actuators[i] for i in k),
            gear=places.gear[k],
        )
        wanted = np.asarray(sigma, dtype=np.float64) if len(sigma) else np.nan
        one, two = refs_of(told, tuple(robot.modes[i] for i in k), q, wanted, 0.0)
        first, second = self._first(), robot.reference_2.copy()
        first[k], second[k] = one, two
        self._give(first, second)

    def _equilibria(self) -> Floats:
        """(n,) [rad] Where the joints rest, unloaded; where they are, if they have no spring."""
        robot = self._robot
        found = robot.equilibrium(robot.motor_1.position, robot.motor_2.position)
        return np.where(np.isnan(found), robot.link.position, found)

    def _joints(self, names: Sequence[str]) -> list[int]:
        if not len(names) or len(set(names)) < len(names):
            raise PliantError("no joints, or one twice", field="name")
        unknown = [name for name in names if name not in self._robot.joints]
        if unknown:
            raise PliantError("no such joint", found=unknown[0][:60], accepted=self._robot.joints)
        return [self._robot.joints.index(name) for name in names]
