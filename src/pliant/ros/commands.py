"""Commands received as messages: checked, then passed to the robot; invalid ones are dropped and counted.

A whole message is dropped if a name is not that of a joint, its arrays differ in length, or a number is
not finite.
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

    Cubic if the points have velocities, else linear. It starts from the goals before the trajectory and
    holds the last point.

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
        """[s] Time of the last point."""
        return float(self._time[-1])

    def at(self, t: float) -> Floats:
        """(m,) Positions at a time [s] from the beginning."""
        t = min(max(t, float(self._time[0])), self.end)
        if self._spline is not None:
            return np.asarray(self._spline(t), dtype=np.float64)
        columns = range(self._position.shape[1])
        return np.array([np.interp(t, self._time, self._position[:, k]) for k in columns])


class Commands:
    """The robot's most recent commands.

    Args:
        compensator: of the robot, run once each period: positions are then the desired ones of the joints,
            from which it computes the goals.

    Attributes:
        dropped: reason to number of messages. last: clock time [s] of the last command; -inf before
            the first.
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
        """Pass a message to one of the methods below; whether the robot accepted it."""
        try:
            act(sample, now)
        except (PliantError, ValueError, TypeError, OverflowError) as error:
            self.dropped[f"{error}"[:120]] += 1  # the last three: numbers that do not fit an array
            return False
        self.last = now
        return True

    def positions(self, sample: Any, _now: float) -> None:
        """A JointState: `position` is reference 1, `effort` reference 2 if there is one."""
        k = self._joints(sample.name)
        first = self._first()
        second = self._robot.reference_2.copy()
        first[k] = commands_of("position", sample.position, sample.name)
        if len(sample.effort):
            second[k] = commands_of("effort", sample.effort, sample.name)
        self._give(first, second)
        self._trajectory = None

    def trajectory(self, sample: Any, now: float) -> None:
        """Start a JointTrajectory now."""
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
        """A StiffnessCommand: references that give the joints this rest position and stiffness."""
        k = self._joints(sample.name)
        self._rest(k, commands_of("equilibrium", sample.equilibrium, sample.name), sample.stiffness)

    def stiffness_fallback(self, sample: Any, _now: float) -> None:
        """The same as a JointState: `position` is the stiffness; rest positions stay as commanded."""
        k = self._joints(sample.name)
        self._rest(k, self._equilibria()[k], sample.position)

    def reference(self, number: int, joint: int, value: float) -> None:
        """Reference 1 or 2 of one joint."""
        one, two = self._first(), self._robot.reference_2.copy()
        (one if number == 1 else two)[joint] = value
        self._give(one, two)

    def follow(self, now: float) -> None:
        """Move the references along the trajectory; while there is one, no commands count as lost."""
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
        """Set goals to the joints' present positions, and torques to 0."""
        robot = self._robot
        torque = np.array([mode in (0, 4) for mode in robot.modes])
        self._trajectory = None
        gear = 1.0 if self._compensator is not None else robot.places.gear
        self._tell(np.where(torque, 0.0, gear * robot.link.position))

    def _give(self, first: Floats, second: Floats) -> None:
        self._robot.reference_2 = second  # this one has a range and may be refused
        self._tell(first)

    def _first(self) -> Floats:
        """First references, or desired positions if a compensator runs."""
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
        """(n,) [rad] Rest positions of the unloaded joints; present positions of joints without a spring."""
        robot = self._robot
        found = robot.equilibrium(robot.motor_1.position, robot.motor_2.position)
        return np.where(np.isnan(found), robot.link.position, found)

    def _joints(self, names: Sequence[str]) -> list[int]:
        if not len(names) or len(set(names)) < len(names):
            raise PliantError("no joints, or one named twice", field="name")
        unknown = [name for name in names if name not in self._robot.joints]
        if unknown:
            raise PliantError("no such joint", found=unknown[0][:60], accepted=self._robot.joints)
        return [self._robot.joints.index(name) for name in names]
