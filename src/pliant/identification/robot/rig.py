"""An assembled robot with its own model as the plant, simulated by an engine passed in."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar, Literal

import numpy as np

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.identified_numbers import identified
from pliant.identification.problem.mounting_offsets import CALIBRATIONS, MOUNTINGS, different
from pliant.identification.problem.recorder_parameters import is_apart
from pliant.identification.problem.repeatability import same_motion
from pliant.identification.problem.rig import Rig, Stage
from pliant.identification.problem.simulation import Simulation
from pliant.identification.problem.space import Bounds, Space
from pliant.identification.problem.task import actuator_digest
from pliant.identification.robot.space import (
    MASS,
    OFFSET,
    OFFSET_BOUNDS,
    OFFSETS,
    RobotCandidate,
    alone,
    ambiguities,
    bodies,
    longest_delays,
    matches,
    robot_space,
    with_values,
)
from pliant.identification.search.search import SearchSettings
from pliant.io.robot_log import Recordings, RobotLog, pieces

How = Literal["together", "separately", "both"]

Build = Callable[[RobotCandidate, Mapping[str, float]], Simulation[Recordings]]
"""Builds a simulation from a robot and the longest command delay [s] to try for each joint."""


def takes_angles(actuator: Actuator) -> bool:
    """Whether its controller takes an angle [rad] as command."""
    control = actuator.laws.get("control")
    return control is not None and getattr(control.module, "GOAL", "") == "rad"


@dataclass(frozen=True, eq=False)
class RobotRig(Rig[RobotLog]):
    """A robot on the floor.

    Attributes:
        robot: its actuators, and unknown parameters of its body. build: makes a simulation of one.
        led: makes one in which every joint is simulated alone, the others following their recording.
        how: all joints "together"; "separately", each alone; "both": separately, then together from
            that result.
        about: how it is simulated, for the record: model, step, supply.
        suspected: signs that the recordings do not match the model.
        held: parameters that the model or the logs give, so that no fit may change them.
    """

    robot: RobotCandidate
    build: Build
    led: Build
    how: How = "both"
    about: Mapping[str, object] = field(default_factory=dict[str, object])
    suspected: tuple[Doubt, ...] = ()
    held: tuple[str, ...] = ()

    fold_search: ClassVar[SearchSettings] = SearchSettings(starts=2, jacobians=20)
    draws: ClassVar[int] = 60
    whole: ClassVar[str] = "day"
    kinds: ClassVar[Sequence[str]] = CALIBRATIONS
    zero_bounds: ClassVar[tuple[float, float]] = OFFSET_BOUNDS

    @property
    def search(self) -> SearchSettings:
        """See `Rig`; a candidate of all joints together costs as much as a hundred of a single joint."""
        return SearchSettings(starts=1 if self.how == "together" else 3)

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by joint."""
        return self.robot.actuators

    def with_actuators(self, actuators: Mapping[str, Actuator]) -> "RobotRig":
        """See `Rig`."""
        return self._with(dataclasses.replace(self.robot, actuators=actuators))

    def of_joint(self, joint: str) -> "RobotRig":
        """One joint with its actuator, the others led along their recording."""
        return self._with(alone(self.robot, joint))

    def _with(self, robot: RobotCandidate) -> "RobotRig":
        return dataclasses.replace(self, robot=robot)

    def fingerprint(self) -> Mapping[str, object]:
        """See `Rig`."""
        return {
            "joints": self.how,
            **self.about,
            "actuators": {joint: actuator_digest(a) for joint, a in self.actuators.items()},
            "led": list(self.robot.led),
            "masses": dict(self.robot.masses),
            "offsets": dict(self.robot.offsets),
        }

    def record(self) -> Mapping[str, object]:
        """See `Rig`."""
        return {"joints": self.how, **self.about}

    def check(self, logs: Sequence[RobotLog]) -> None:
        """See `Rig`."""
        for log in logs:
            for joint, actuator in self.actuators.items():
                # A torque may well be proportional to the speed; a position is not.
                angles = takes_angles(actuator)
                if not (log.commanded(joint) if angles else log.has_goals(joint)):
                    raise PliantError(
                        "lacks the commands of a joint with an actuator",
                        file=log.path or log.name,
                        field=f"goal_{joint}",
                        found=log.why_no_command(joint) or None,
                    )

    def holding(self, fix: Mapping[str, float | None]) -> "RobotRig":
        """See `Rig`; a pattern holds every parameter that it matches."""
        known = self._names()
        values = {
            name: value
            for pattern, value in fix.items()
            if value is not None
            for name in matches(pattern, known)
        }
        return self._with(with_values(self.robot, values, "given")) if values else self

    def space(
        self, fit: Mapping[str, Bounds], fix: Mapping[str, float | None], logs: Sequence[RobotLog]
    ) -> Space:
        """See `Rig`; a robot's logs state no parameter."""
        robot = self.robot
        if asked := [name for name in self.held if name in fit]:
            raise PliantError(
                "the model or its recordings give it, so it cannot be fitted",
                field="fit",
                found=asked[0],
            )
        held = {**fix, **dict.fromkeys(name for name in self.held if self.has(name))}
        return robot_space(
            robot.actuators, fit=fit, fix=held, masses=robot.masses, offsets=robot.offsets
        )

    def has(self, name: str) -> bool:
        """See `Rig`; a name may be a pattern."""
        return name.startswith(MASS) or any(fnmatchcase(one, name) for one in self._names())

    def parameter(self, name: str) -> str:
        """See `Rig`."""
        joint = next((j for j in self.actuators if name in self._of(j)), None)
        return name if joint is None else name.removeprefix(f"{joint}.")

    def unit(self, name: str) -> str:
        """See `Rig`; a position offset and a factor of mass have none that varies."""
        joint = next((j for j in self.actuators if name in self._of(j)), None)
        own = self.parameter(name)
        return "" if joint is None or own in OFFSETS else self.actuators[joint].fields[own].unit

    def _of(self, joint: str) -> list[str]:
        return [f"{joint}.{name}" for name in (*self.actuators[joint].fields, *OFFSETS)]

    def _names(self) -> list[str]:
        return [name for joint in self.actuators for name in self._of(joint)]

    def ambiguities(
        self, space: Space, logs: Sequence[RobotLog], sample_age: float
    ) -> Iterator[Doubt]:
        """See `Rig`; first, whether the recordings match the model at all."""
        yield from self.suspected
        yield from ambiguities(self.actuators, space, logs, sample_age)

    def linear(self) -> "RobotRig":
        """See `Rig`."""
        return self._with(dataclasses.replace(self.robot, hold=False))

    def interval_groups(self, logs: Sequence[RobotLog]) -> tuple[str, list[str]]:
        """See `Rig`: each by itself."""
        return "recording", [log.name for log in logs]

    def coarse(self) -> "RobotRig":
        """See `Rig`; joints that are searched one by one need no robot around them."""
        return self if self.how == "together" else dataclasses.replace(self, build=self.led)

    def refined(self, space: Space) -> Space:
        """See `Rig`; masses need the joints together, recorders do not."""
        alone = self.how == "separately"
        names = [
            name
            for name in space.names
            if not is_apart(name) and (name.startswith(MASS) or not alone)
        ]
        return space.part(names)

    def seeing(self, space: Space) -> "RobotRig":
        """See `Rig`; joints by themselves do not show masses."""
        return self if bodies(space) else self.coarse()

    def usual_mounting(self, logs: Sequence[RobotLog]) -> str | None:
        """See `Rig`: the day, else the folder."""
        return next(iter(different(logs, ("day", "folder"))), None)

    def alike(self, a: RobotLog, b: RobotLog) -> bool:
        """See `Rig`: of one motion."""
        return same_motion(a, b)

    def one_by_one(self) -> "RobotRig":
        """See `Rig`."""
        return dataclasses.replace(self, how="separately") if self.how == "together" else self

    def zero_of(self, joint: str) -> tuple[str, float]:
        """See `Rig`."""
        name = f"{joint}.{OFFSET}"
        return name, self.robot.offsets.get(name, 0.0)

    def zeroed(self, logs: Sequence[RobotLog], zeros: Mapping[str, float]) -> list[RobotLog]:
        """See `Rig`."""
        return [self._moved(log, zeros) for log in logs]

    def _moved(self, log: RobotLog, zeros: Mapping[str, float]) -> RobotLog:
        """The log shifted by the difference between its zeros and the robot's, in positions and commands alike."""
        group = MOUNTINGS[self.zero_by](log) if self.zero_by else ""
        far = {
            joint: zeros[f"{joint}.{group}"] - self.zero_of(joint)[1]
            for joint in self.actuators
            if f"{joint}.{group}" in zeros
        }
        by = np.array([far.get(joint, 0.0) for joint in log.joints])
        if not by.any():
            return log
        return dataclasses.replace(log, position=log.position + by, goal=log.goal + by)

    def pieces(self, logs: Sequence[RobotLog], seconds: float) -> list[RobotLog]:
        """See `Rig`."""
        return [piece for log in logs for piece in pieces(log, seconds)]

    def samples(self, logs: Sequence[RobotLog]) -> Recordings:
        """See `Rig`."""
        return Recordings(logs, list(self.actuators))

    def simulation(self, space: Space) -> Simulation[Recordings]:
        """See `Rig`."""
        masses = dict.fromkeys(bodies(space), 1.0) | dict(self.robot.masses)
        robot = dataclasses.replace(self.robot, masses=masses)
        return self.build(robot, longest_delays(space))

    def stages(self, space: Space, values: Mapping[str, float]) -> Iterator[Stage[RobotLog]]:
        """See `Rig`: joint by joint, or all together.

        Recorder parameters are shared by all joints: each joint first estimates its own with its parameters,
        then they are estimated for all with these held, and each joint continues with the shared ones.
        """
        if self.how == "together":
            yield Stage(name="together", rig=self, space=space.starting_at(values))
            return
        shared = [name for name in space.names if is_apart(name)]
        yield from self._joints(space, shared, values)
        if shared:
            whole = space.starting_at(values)
            yield Stage("recorders", self, whole.part(shared), within=whole, again=True)
            yield from self._joints(space, [], values, again=True)

    def _joints(
        self,
        space: Space,
        beside: Sequence[str],
        values: Mapping[str, float],
        *,
        again: bool = False,
    ) -> Iterator[Stage[RobotLog]]:
        for joint in self.actuators:
            mine = [name for name in space.names if name.startswith(f"{joint}.")]
            if mine:
                own = space.part([*mine, *beside]).starting_at(values)
                name = f"{joint} again" if again else joint
                yield Stage(name, self.of_joint(joint), own, again=again)

    def identified(self, space: Space, values: Mapping[str, float], name: str | None) -> "RobotRig":
        """See `Rig`; each actuator is named after its device, or `name`, and its joint."""
        bounds = space.bounds()
        made: dict[str, Actuator] = {}
        for joint, actuator in self.actuators.items():
            own = {n: f"{joint}.{n}" for n in actuator.fields if f"{joint}.{n}" in values}
            made[joint] = identified(
                actuator,
                f"{name or actuator.device}_{joint}" + ("" if name else "_identified"),
                f" at {joint}, identified",
                {n: values[full] for n, full in own.items()},
                {n: bounds[full] for n, full in own.items()},
            )
        robot = with_values(self.robot, values)
        return self._with(dataclasses.replace(robot, actuators=made))
