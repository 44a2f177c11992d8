"""Common interface of a joint on its bench and an assembled robot, as they are recorded and simulated."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, Self

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.evaluation import Evaluation, compare
from pliant.identification.problem.mounting_offsets import AUTO, OF, check_kind, mountings
from pliant.identification.problem.posterior import Facts
from pliant.identification.problem.recorder_parameters import ApartResiduals, Part, is_apart, parts
from pliant.identification.problem.residuals import Group, Grouped, Residuals
from pliant.identification.problem.sampling import Sampling, as_recorded
from pliant.identification.problem.simulation import LogT, Samples, Simulation
from pliant.identification.problem.space import Bounds, Space, named
from pliant.identification.search.search import SearchSettings


@dataclass(frozen=True)
class Stage(Generic[LogT]):
    """One search of a fit.

    Attributes:
        name: "" if it is the only one. rig: simulated in it. space: searched in it.
        within: the full space, if `space` is only a part of it and the rest is held; None: nothing is held.
        again: whether it only continues from the values found so far.
    """

    name: str
    rig: "Rig[LogT]"
    space: Space
    within: Space | None = None
    again: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Rig(ABC, Generic[LogT]):
    """Actuators, what they move, and how both are simulated; `JointRig` or `RobotRig`.

    Attributes:
        zero_by: what logs of one mounting, or calibration, share; None: there is one.
        recorder_by: what logs of one recorder share; None: there is one.
    """

    zero_by: str | None = None
    recorder_by: str | None = None

    kinds: ClassVar[Sequence[str]]
    """Properties that logs of one mounting, or of one recorder, may share."""
    zero_bounds: ClassVar[tuple[float, float]]
    """[rad, m] Search range of each zero."""
    fold_search: ClassVar[SearchSettings]
    """Default search for each of the many fits of a choice."""
    whole: ClassVar[str]
    """Property that all recordings share if nothing distinguishes them."""
    draws: ClassVar[int] = 240
    """Draws of the posterior, by default."""

    @property
    @abstractmethod
    def search(self) -> SearchSettings:
        """Default search of a fit."""

    @property
    @abstractmethod
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by joint; that of a joint on a bench is ""."""

    @abstractmethod
    def with_actuators(self, actuators: Mapping[str, Actuator]) -> Self:
        """The same with other actuators."""

    def of_joint(self, joint: str) -> Self:
        """One joint alone, the others as they were recorded; a joint on a bench is alone."""
        return self

    @abstractmethod
    def fingerprint(self) -> Mapping[str, object]:
        """Everything in it that determines the result of a fit, as plain values."""

    @abstractmethod
    def record(self) -> Mapping[str, object]:
        """Settings of the simulation, for the record in the actuators' files."""

    @abstractmethod
    def check(self, logs: Sequence[LogT]) -> None:
        """Refuse logs that cannot be simulated with it."""

    @abstractmethod
    def holding(self, fix: Mapping[str, float | None]) -> Self:
        """The same rig, with the given parameters set to the values they are held at.

        Raises:
            PliantError: no such parameter, or a value outside the range of its law.
        """

    @abstractmethod
    def space(
        self, fit: Mapping[str, Bounds], fix: Mapping[str, float | None], logs: Sequence[LogT]
    ) -> Space:
        """Parameters that are searched, without those that every log states.

        Raises:
            PliantError: an unknown parameter, bad bounds, one to fit that every log states, or
                nothing to search.
        """

    @abstractmethod
    def has(self, name: str) -> bool:
        """Whether a name that may be searched or held exists here."""

    @abstractmethod
    def parameter(self, name: str) -> str:
        """The name of a parameter without its joint: "motor.R" of "elbow.motor.R"."""

    @abstractmethod
    def unit(self, name: str) -> str:
        """The unit of a parameter."""

    @abstractmethod
    def ambiguities(self, space: Space, logs: Sequence[LogT], sample_age: float) -> Iterator[Doubt]:
        """Parameters that no fit to these logs can separate, known before the fit."""

    def as_recorded(
        self, logs: Sequence[LogT], sampling: Sampling, age: float
    ) -> tuple[list[LogT], Self]:
        """Logs whose commands act from their sample on, and the rig that takes them so."""
        return as_recorded(logs, sampling, age), self.linear() if sampling == "linear" else self

    @abstractmethod
    def linear(self) -> Self:
        """The same, of commands that move linearly from sample to sample."""

    @abstractmethod
    def usual_mounting(self, logs: Sequence[LogT]) -> str | None:
        """The property that logs of one mounting share, if none is asked for."""

    def mounting_kind(self, logs: Sequence[LogT], zero_by: str | None) -> str | None:
        """The property that logs of one mounting share; None if there are fewer than two mountings.

        Raises:
            PliantError: they have no such property.
        """
        return self._kind("zero_by", logs, zero_by, self.usual_mounting)

    def recorder_kind(self, logs: Sequence[LogT], recorder_by: str | None) -> str | None:
        """The property that logs of one recorder share; None if there are fewer than two recorders.

        By default the day, if all logs have one and each day has a log like one of another day. Without such a pair,
        model error at one gain, or in one motion, would look like a supply or a delay.

        Raises:
            PliantError: they have no such property.
        """
        return self._kind("recorder_by", logs, recorder_by, self._usual_recorder)

    def _kind(
        self,
        field: str,
        logs: Sequence[LogT],
        asked: str | None,
        usual: Callable[[Sequence[LogT]], str | None],
    ) -> str | None:
        check_kind(field, asked, self.kinds)
        kind = usual(logs) if asked == AUTO else asked
        return kind if kind and len(mountings(logs, kind)) > 1 else None

    def _usual_recorder(self, logs: Sequence[LogT]) -> str | None:
        days = mountings(logs, "day")
        every = set(range(len(logs)))
        shared = "" not in days and all(
            any(self.alike(logs[a], logs[b]) for a in own for b in every - {*own})
            for own in days.values()
        )
        return "day" if shared else None

    @abstractmethod
    def alike(self, a: LogT, b: LogT) -> bool:
        """Whether model error is the same in two logs, so that their difference is the recorder's."""

    def mounted(self, zero_by: str) -> Self:
        """The same, of logs whose mountings have a zero each."""
        return replace(self, zero_by=zero_by)

    def has_zero(self, space: Space) -> bool:
        """Whether the zeros of mountings are to be searched."""
        return True

    def one_by_one(self) -> Self:
        """The same rig, with each joint searched by itself, as a joint on a bench always is."""
        return self

    def mountings(self, logs: Sequence[LogT]) -> Mapping[str, Sequence[int]]:
        """Mounting to its logs, by their places."""
        return mountings(logs, self.zero_by) if self.zero_by else {}

    def mounted_space(self, space: Space, logs: Sequence[LogT]) -> Space:
        """`space` with a zero per joint and mounting instead of one per joint, starting at that one."""
        if not self.zero_by:
            return space
        begun = dict(zip(space.names, map(float, space.start), strict=True))
        own = {joint: self.zero_of(joint) for joint in self.actuators}
        rest = space.part(
            [name for name in space.names if name not in {n for n, _ in own.values()}]
        )
        zeros = {
            named(joint, OF + group): (*self.zero_bounds, begun.get(name, value))
            for joint, (name, value) in own.items()
            for group in self.mountings(logs)
        }
        return Space.of(rest.boxes() | zeros)

    @abstractmethod
    def zero_of(self, joint: str) -> tuple[str, float]:
        """Name and value [rad, m] of a joint's single zero."""

    def apart(self, recorder_by: str) -> Self:
        """The same, of logs whose recorders have numbers of their own."""
        return replace(self, recorder_by=recorder_by)

    def recorder_parts(self) -> Sequence[Part]:
        """Numbers that may differ between recordings."""
        return parts(self.actuators, measured=self.record().get("supply") == "measured")

    def facts(self, space: Space, datasheet: Sequence[Fact]) -> Facts | None:
        """Facts of a data sheet as soft constraints; None: there are none."""
        return None

    @abstractmethod
    def zeroed(self, logs: Sequence[LogT], zeros: Mapping[str, float]) -> list[LogT]:
        """The logs with the zeros [rad, m] of their mountings, by "<group>", of a robot "<joint>.<group>"."""

    @abstractmethod
    def interval_groups(self, logs: Sequence[LogT]) -> tuple[str, list[str]]:
        """Property by which logs are left out to estimate model error, and the name of each log's group."""

    def torque_response(self, logs: Sequence[LogT], values: Mapping[str, float]) -> Floats | None:
        """(L,) [rad] change of each log's motion with a motor a tenth stronger; None: not computed, as for a robot.

        Args:
            logs: whose commands to take. values: numbers to take, in their units.
        """
        return None

    def coarse(self) -> Self:
        """A cheaper stand-in for the search before all joints are polished together; a bench has none."""
        return self

    def refined(self, space: Space) -> Space:
        """The part of a space to be polished after the search with the stand-in."""
        return space

    def seeing(self, space: Space) -> Self:
        """The cheapest stand-in whose Jacobian covers every parameter of `space`."""
        return self.coarse()

    @abstractmethod
    def pieces(self, logs: Sequence[LogT], seconds: float) -> list[LogT]:
        """The logs in pieces of about so many seconds, each starting at its recorded position and speed."""

    def residuals(self, logs: Sequence[LogT], space: Space) -> Residuals:
        """Residuals on `logs` of any point of `space`, numbers of their recorders and mountings included."""
        if self.recorder_by and any(map(is_apart, space.names)):
            numbers = self.recorder_parts()
            return ApartResiduals(self.residuals, logs, space, numbers, self.recorder_by)
        if not any(OF in name for name in space.names):
            return self.simulated(logs, space)
        joints = list(self.actuators)

        def group(name: str, places: Sequence[int]) -> Group:
            zeros = {named(joint, OF + name): self.zero_of(joint)[0] for joint in joints}
            return Group(
                {zero: own for zero, own in zeros.items() if zero in space.names},
                [k * len(joints) + j for k in places for j in range(len(joints))],
                partial(self.residuals, [logs[k] for k in places]),
            )

        groups = [group(name, places) for name, places in self.mountings(logs).items()]
        return Grouped(self.samples(logs), space, groups)

    @abstractmethod
    def samples(self, logs: Sequence[LogT]) -> Samples:
        """Logs laid out for comparison."""

    @abstractmethod
    def simulation(self, space: Space) -> Simulation[Any]:
        """An engine that takes any values of `space`, with the rig's own as starting values."""

    def simulated(self, logs: Sequence[LogT], space: Space) -> Residuals:
        """Residuals on `logs` as they are, of any point of a space of the actuators' numbers."""
        return Residuals(self.simulation(space), self.samples(logs), space)

    def motions(
        self, logs: Sequence[LogT], names: Sequence[str], rows: Floats
    ) -> dict[tuple[str, str], Floats]:
        """Name of each log, and joint, to its motions (K, N) [rad, m] by rows (K, D) of numbers of these names."""
        columns = dict(zip(names, rows.T, strict=True))
        boxes = {name: (float(x.min()), float(x.max()), float(x[0])) for name, x in columns.items()}
        simulation, samples = self.simulation(Space.of(boxes)), self.samples(logs)
        candidates = np.repeat(simulation.values()[None], len(rows), axis=0)
        for k, name in enumerate(simulation.names):
            candidates[:, k] = columns.get(name, candidates[:, k])
        positions, _ = simulation.batch(candidates, samples)
        blocks = [(log.name, joint) for log in logs for joint in self.actuators]
        return dict(zip(blocks, samples.per_block(positions), strict=True))

    def evaluate(self, logs: Sequence[LogT]) -> Evaluation[LogT]:
        """Errors of its own numbers."""
        simulation, samples = self.simulation(Space.of({})), self.samples(logs)
        positions, _ = simulation.batch(simulation.values()[None], samples)
        return compare(
            [(log, joint) for log in logs for joint in self.actuators], samples, positions[0]
        )

    @abstractmethod
    def stages(self, space: Space, values: Mapping[str, float]) -> "Iterator[Stage[LogT]]":
        """The searches of a fit, one after the other.

        Args:
            space: all that is searched. values: found so far; it is read anew for each stage.
        """

    @abstractmethod
    def identified(self, space: Space, values: Mapping[str, float], name: str | None) -> Self:
        """The same with the numbers found, marked as identified, within their bounds."""

    def as_set(self, logs: Sequence[LogT], values: Mapping[str, float]) -> tuple[Self, str]:
        """The same rig with the gains and the supply of the logs, and a description of them if they changed.

        Args:
            logs: that were fitted. values: found by the fit, which stay.
        """
        return self, ""
