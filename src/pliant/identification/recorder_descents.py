"""Descents with values of the recordings beside the numbers of the actuator, and what they show of a part."""

import dataclasses
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, cast

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.log_by_log import difference, doubt, singly
from pliant.identification.problem.mounting import AUTO
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.recorded_apart import (
    Parted,
    aged,
    at_edge,
    contradicted,
    of_groups,
    put,
    value_name,
    wide,
)
from pliant.identification.problem.recorder import AGE, GAIN, Part
from pliant.identification.problem.residuals import Held, Residuals
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.problem.task import FitTask
from pliant.identification.search.least_squares import polish
from pliant.io.log import Log

JACOBIANS = 16
"""Jacobians of each descent."""
SHARED = 2
"""Jacobians of what the joints of a robot share: few numbers, and each supply is laid out anew."""
TURNS = 2
"""Descents of each joint, and of what all share, in turn."""
ASKED = 0.01
"""Share by which the error must fall where the groups were asked for, instead of `GAIN`."""
OF_MANY = 0.02
"""The same of a robot: in most motions most joints stand still, and their errors show no age."""


@dataclass(frozen=True)
class Descents(Generic[LogT]):
    """Descents with parts of the recordings beside the numbers of the actuator."""

    task: FitTask[LogT]
    rig: Rig[LogT]
    logs: Sequence[LogT]
    space: Space
    by: str

    def descended(
        self, parts: Sequence[Part], begin: Mapping[str, float]
    ) -> tuple[float, dict[str, float]]:
        """Error [rad] and values at the end of a descent."""
        every = wide(self.space, parts, self.logs, self.by).starting_at(begin)
        if not every.names:
            residuals = self._residuals(self.logs)
            goal = Posterior(residuals)
            return float(goal.error(residuals(np.empty((1, 0))))[0]), {}
        misfit = self._parted(self.rig, every, self.space, parts)
        goal = Posterior(misfit)
        end = every.to_cube(every.start)
        end = polish(goal, end, JACOBIANS) if self.lone else self._in_turn(misfit, end, parts)
        return float(goal.error(goal.misfit(end[None]))[0]), every.values(end)

    @property
    def lone(self) -> bool:
        """Whether there is one joint."""
        return len(self.rig.actuators) == 1

    def _in_turn(self, misfit: Residuals, end: Floats, parts: Sequence[Part]) -> Floats:
        """The end of a descent of each joint, and of what they share, in turn.

        Of all at once a step that is good for one joint would be bad for another: landscapes are rugged.
        """
        every = misfit.space
        for _ in range(TURNS):
            values = every.values(end)
            for stage in self.rig.stages(self.space, values):
                mine = wide(stage.space, parts, self.logs, self.by).starting_at(values)
                whole = self._parted(stage.rig, mine, stage.space, parts)
                at = mine.to_cube(mine.start)
                held = Held(whole, stage.space.names, at)
                goal = Posterior(held)
                own = polish(goal, held.space.to_cube(held.space.start), JACOBIANS // 2)
                values |= held.space.values(own)
            end = every.to_cube(every.starting_at(values).start)
            shared = [name for name in every.names if name not in self.space.names]
            if shared:
                held = Held(misfit, shared, end)
                goal = Posterior(held)
                own = polish(goal, held.space.to_cube(held.space.start), SHARED)
                end = held.whole(own[None])[0]
        return end

    def _parted(self, rig: Rig[LogT], every: Space, own: Space, parts: Sequence[Part]) -> Parted:
        def residuals(some: Sequence[LogT]) -> Residuals:
            return rig.residuals(some, own)

        return Parted(residuals, self.logs, every, own, parts, self.by, centred=not self.lone)

    def by_single_logs(self, values: Mapping[str, float]) -> dict[str, float]:
        """Ages of the groups by what single logs would have, where a descent of many joints begins.

        It does not get there by itself: a step that is good for most joints is bad for some.
        """
        if self.lone:
            return {}
        groups = list(of_groups(AGE, {}, self.logs, self.by))
        point = self.space.to_cube(self.space.starting_at(values).start)
        each = self._ages(self.logs, point, self._pieces(groups))
        apart = {g: difference(AGE, self.logs, self.by, (groups[0], g), each) for g in groups[1:]}
        return {value_name(AGE, g): one.value for g, one in apart.items()}

    def _pieces(self, groups: Sized) -> int:
        """Parts of a log that speak for themselves: halves, where no group has two logs."""
        return 2 if len(groups) == len(self.logs) else 1

    @property
    def asked(self) -> bool:
        """Whether the groups were asked for."""
        return self.task.recorder_by != AUTO

    def read(self, part: Part) -> bool:
        """Whether all logs are simulated with their own reading of it."""
        return all(part.read(log) for log in cast("Sequence[Log]", self.logs))

    def of_groups(self, part: Part, values: Mapping[str, float]) -> dict[str, float]:
        """Group to its value of a part, the first as it was recorded."""
        return of_groups(part, values, self.logs, self.by)

    def refused(self, part: Part, values: Mapping[str, float]) -> str:
        """Why a part is no recorder's, whatever it takes away of the error; "" where nothing speaks against it."""
        if at_edge(part, values):
            return (
                f"at the end of what a recorder does ({part.low:g} to {part.high:g}), so the "
                "actuator's model or numbers are wrong there"
            )
        apart = contradicted(part, values, self.logs, self.by)
        if apart is None:
            return ""
        return (
            f"the logs' own readings at rest differ by {100 * apart:.1f} % at most, so it stands for "
            "an error of the actuator's model"
        )

    def idle(
        self, parts: Sequence[Part], after: float, without: Mapping[str, float]
    ) -> tuple[Part, str] | None:
        """The part that helps least, and why it is not worth it; None where it is.

        Args:
            after: error [rad] with all parts. without: that without each.
        """
        least = min(parts, key=lambda part: without[part.name])
        share, said = (GAIN, "a twentieth") if self.lone else (OF_MANY, "a fiftieth")
        share, said = (ASKED, "a hundredth") if self.asked else (share, said)
        if without[least.name] - after > share * without[least.name]:
            return None
        return least, f"less than {said}"

    def not_shown(
        self, parts: Sequence[Part], values: Mapping[str, float]
    ) -> tuple[Part, str] | None:
        """A part on which single logs, or halves, do not agree; None: there is none."""
        return next(
            ((part, why) for part in parts if (why := self._open(part, parts, values))), None
        )

    def _open(self, part: Part, parts: Sequence[Part], values: Mapping[str, float]) -> str:
        """Why single logs do not show how a part differs, the others put into them; "": they do."""
        found, logs = self.of_groups(part, values), list(self.logs)
        for other in parts:
            if other is not part:
                logs = put(other, logs, self.by, self.of_groups(other, values))
        point = self.space.to_cube(np.array([values[name] for name in self.space.names]))
        pieces = self._pieces(found)
        if part is AGE:
            each = self._ages(logs, point, pieces)
        else:
            each = singly(part, logs, self.by, lambda some: self._errors(some, point, pieces))
        least, most = min(found, key=lambda g: found[g]), max(found, key=lambda g: found[g])
        shown = difference(part, logs, self.by, (least, most), each)
        why = doubt(part, shown, found[most] - found[least], asked=self.asked)
        return why if self.asked or not why else f"{why}; --recorder-by {self.by} takes it"

    def _ages(self, logs: Sequence[LogT], point: Floats, pieces: int) -> Floats:
        """The age that each log, or each half of it, would have: that of the simulated positions."""
        residuals = self._residuals(logs)
        motion, samples = residuals(point[None])[0], residuals.samples
        blocks = (len(samples.starts) - 1) // len(logs)

        def errors(some: Sequence[Any]) -> Floats:
            ages = np.repeat([age for _, age in some], blocks)
            return _of_logs(samples.per_block(aged(motion, samples, ages)), len(some), pieces)

        known: Any = dataclasses.replace(AGE, put=_with_value)
        return singly(known, logs, self.by, errors)

    def _errors(self, logs: Sequence[LogT], point: Floats, pieces: int) -> Floats:
        """(L, pieces) [rad] error of each log, or of its halves."""
        residuals = self._residuals(logs)
        return _of_logs(residuals.samples.per_block(residuals(point[None])[0]), len(logs), pieces)

    def _residuals(self, logs: Sequence[LogT]) -> Residuals:
        return self.rig.residuals(logs, self.space)


def _of_logs(blocks: Sequence[Floats], logs: int, pieces: int) -> Floats:
    """(L, pieces) mean size of the residuals of each log, of all joints alike."""
    each = [[np.abs(x).mean() for x in np.array_split(block, pieces)] for block in blocks]
    mean: Floats = np.array(each).reshape(logs, -1, pieces).mean(axis=1)
    return mean


def _with_value(log: LogT, value: float) -> tuple[LogT, float]:
    """A log, and the value that it is to have."""
    return log, value
