"""A joint on its bench, or an assembled robot: what was recorded, and is simulated to be fitted."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Self

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.problem.posterior import Facts, Prior
from pliant.identification.problem.recorder_parameters import Part
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.sampling import Sampling
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Bounds, Space
from pliant.identification.search.search import SearchSettings


@dataclass(frozen=True)
class Stage(Generic[LogT]):
    """One search of a fit.

    Attributes:
        name: "" for the only one. rig: what is simulated in it. space: what is searched in it.
        within: the space of which that is a part, the rest held; None: nothing is held.
        again: whether it only goes on from what was found.
    """

    name: str
    rig: "Rig[LogT]"
    space: Space
    within: Space | None = None
    again: bool = False


class Rig(ABC, Generic[LogT]):
    """Actuators, what they move, and how both are simulated; `JointRig` or `RobotRig`."""

    recorder_by: str | None
    """Property that logs of one recorder share, where each has numbers of its own; see `apart`."""
    fold_search: ClassVar[SearchSettings]
    """Default search for each of the many fits of a choice."""
    whole: ClassVar[str]
    """Property that all recordings share where nothing tells them apart."""
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
        """All of it that decides what a fit comes to, as plain values."""

    @abstractmethod
    def record(self) -> Mapping[str, object]:
        """Settings of the simulation, for the record in the actuators' files."""

    @abstractmethod
    def check(self, logs: Sequence[LogT]) -> None:
        """Refuse logs that cannot be compared with it."""

    @abstractmethod
    def holding(self, fix: Mapping[str, float | None]) -> Self:
        """The same with the values that parameters are to be held at.

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
        """Whether a name that may be searched or held means something here."""

    @abstractmethod
    def parameter(self, name: str) -> str:
        """The name of a parameter without its joint: "motor.R" of "elbow.motor.R"."""

    @abstractmethod
    def unit(self, name: str) -> str:
        """The unit of a parameter."""

    @abstractmethod
    def ambiguities(self, space: Space, logs: Sequence[LogT], sample_age: float) -> Iterator[Doubt]:
        """Parameters that no fit to these logs can separate, known before there is one."""

    @abstractmethod
    def mismatches(self, logs: Sequence[LogT]) -> list[Doubt]:
        """Doubts where logs and actuators are of different devices or voltages."""

    @abstractmethod
    def kinship(self, prior: Prior, logs: Sequence[LogT]) -> tuple[list[str], list[Doubt]]:
        """Whether a prior is of the same device, in words, and where it is not."""

    @abstractmethod
    def as_recorded(
        self, logs: Sequence[LogT], sampling: Sampling, age: float
    ) -> tuple[list[LogT], Self]:
        """Logs whose commands act from their sample on, and the rig that takes them so."""

    def mounting_kind(self, logs: Sequence[LogT], zero_by: str | None) -> str | None:
        """The property that logs of one mounting share; None where there are not two.

        Raises:
            PliantError: they have no such property.
        """
        return None

    def mounted(self, zero_by: str, joints: Sequence[str] | None = None) -> Self:
        """The same, of logs whose mountings have a zero each, at these joints; None: at all."""
        raise NotImplementedError(zero_by)

    def has_zero(self, space: Space) -> bool:
        """Whether the zeros of mountings are to be searched."""
        return True

    def one_by_one(self) -> Self:
        """The same, each joint searched by itself; a joint on a bench is."""
        return self

    def mountings(self, logs: Sequence[LogT]) -> Mapping[str, Sequence[int]]:
        """Mounting to its logs, by their places."""
        raise NotImplementedError

    def mounted_space(self, space: Space, logs: Sequence[LogT]) -> Space:
        """`space` with the zeros of the mountings."""
        raise NotImplementedError

    def recorder_kind(self, logs: Sequence[LogT], recorder_by: str | None) -> str | None:
        """The property that logs of one recorder share; None where there are not two."""
        return None

    def apart(self, recorder_by: str) -> Self:
        """The same, of logs whose recorders have numbers of their own."""
        raise NotImplementedError(recorder_by)

    def recorder_parts(self) -> Sequence[Part]:
        """Numbers that may differ between recordings."""
        return ()

    def facts(self, space: Space, datasheet: Sequence[Fact]) -> Facts | None:
        """Facts of a data sheet as soft constraints; None: there are none."""
        return None

    def zeroed(self, logs: Sequence[LogT], zeros: Mapping[str, float]) -> list[LogT]:
        """The logs with the zeros [rad] of their mountings."""
        return list(logs)

    @abstractmethod
    def interval_groups(self, logs: Sequence[LogT]) -> tuple[str, list[str]]:
        """By what logs are left out to see how wrong the model is, and the name of each log's group."""

    def gains(self, logs: Sequence[LogT]) -> list[float]:
        """P-gains of the logs; none of a robot's."""
        return []

    def torque_response(self, logs: Sequence[LogT], values: Mapping[str, float]) -> Floats | None:
        """(L,) [rad] how far a motor a tenth stronger would move each log; None: it is not asked, as of a robot.

        Args:
            logs: whose commands to take. values: numbers to take, in their units.
        """
        return None

    def coarse(self) -> Self:
        """A cheaper stand-in, searched with before all joints are polished together; a bench is its own."""
        return self

    def refined(self, space: Space) -> Space:
        """The part of a space that is polished after the search with the stand-in."""
        return space

    def stand_in(self, logs: Sequence[LogT], space: Space) -> Residuals | None:
        """Cheaper residuals whose slopes will do for the polish; None: there are none."""
        return None

    def seeing(self, space: Space) -> Self:
        """The cheapest of it whose slopes show every parameter of `space`."""
        return self.coarse()

    @abstractmethod
    def pieces(self, logs: Sequence[LogT], seconds: float) -> list[LogT]:
        """The logs in pieces of about so many seconds, each begun where and as fast as it was recorded."""

    @abstractmethod
    def residuals(self, logs: Sequence[LogT], space: Space) -> Residuals:
        """Residuals on `logs` of any point of `space`."""

    @abstractmethod
    def evaluate(self, logs: Sequence[LogT]) -> Evaluation[LogT]:
        """Errors of its own numbers."""

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
        """The same with the gains and the supply that the logs were recorded with, and these in words where they are news.

        Args:
            logs: that were fitted. values: that were found, and stay.
        """
        return self, ""
