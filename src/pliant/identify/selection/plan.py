"""Which whole fits a sweep takes: every candidate x fold x start, and what comes before them.

    1. where the bench was mounted anew: the zero of each mounting, from a fit to its logs alone
    2. every candidate x fold x start is one whole fit; the first start waits for the fits of the
       simpler models to the same logs
    3. in the end, the model taken is fitted to all logs

No fit sees a log that it is judged by: neither its zero, nor its start, nor its parameters.
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.identify.problem.hold_out import HOLD_OUT
from pliant.identify.problem.objective import Kind
from pliant.identify.problem.space import search_space
from pliant.identify.search.search import SearchSettings
from pliant.identify.selection.choice import Trial, names_of
from pliant.identify.selection.fit_job import Bounds, FitJob
from pliant.identify.selection.nested_models import simpler
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log

FOLD_SEARCH = SearchSettings(
    starts=2,
    generations=20,
    polish=10,
    finalists=1,
    final_polish=15,
    rounds=2,
    final_generations=10,
)
"""Of each fit of a sweep: shorter than that of `identify`, because it begins where a simpler model
ended, and is done several times."""

MOUNTINGS: dict[str, Callable[[Log], str]] = {
    "length": lambda log: f"{log.length:g}m",
    "mass": lambda log: f"{log.mass:g}kg",
    "load": HOLD_OUT["load"],
}
"""What logs of one mounting may share."""


@dataclass(frozen=True, kw_only=True)
class SweepSettings:
    """What is done to every candidate.

    Attributes:
        by: what the logs held out in turn share: "gain", "load", "trajectory" or "log".
        starts: whole fits of each candidate and fold, each with a seed of its own.
        fit, fix: as of `identify`; each candidate takes those that it has.
        objective, search, joint: as of `identify`.
        zero_by: what the logs of one mounting share ("length", "mass", "load"), where the zero of
            the position is another after each.
    """

    by: str = "gain"
    starts: int = 2
    fit: Bounds = field(default_factory=dict[str, tuple[float, float] | None])
    fix: tuple[str, ...] = ()
    objective: Kind = "absolute"
    search: SearchSettings = FOLD_SEARCH
    joint: JointSettings = field(default_factory=JointSettings)
    zero_by: str | None = None


class Plan:
    """The fits of a sweep.

    Attributes:
        names: of the candidates. groups: what is held out in turn.
        fits: all that are compared, those that others need first.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; an unknown parameter.
    """

    def __init__(
        self, actuators: Sequence[Actuator], logs: Sequence[Log], settings: SweepSettings
    ) -> None:
        s = self.settings = settings
        if s.by not in HOLD_OUT:
            raise PliantError("cannot be held out", field="by", found=s.by, accepted=HOLD_OUT)
        if s.zero_by is not None and s.zero_by not in MOUNTINGS:
            raise PliantError(
                "is no mounting", field="zero_by", found=s.zero_by, accepted=MOUNTINGS
            )
        self.groups = list(dict.fromkeys(HOLD_OUT[s.by](log) for log in logs))
        if len(self.groups) < 2 or not actuators:
            raise PliantError(
                "nothing to compare",
                field="by",
                found=s.by,
                accepted="candidates, and logs of at least two groups",
            )
        self.actuators, self.logs = list(actuators), list(logs)
        self.names = names_of(actuators)
        _check(actuators, logs, s)
        self._richest = max(actuators, key=lambda a: len(a.fields))
        self._mounting = MOUNTINGS[s.zero_by] if s.zero_by else None
        self.fits = [fit for group in self.groups for fit in self._fold(group)]

    def of(self, candidate: str) -> list[list[str]]:
        """Names of its fits, group by group."""
        by, starts = self.settings.by, range(self.settings.starts)
        return [[_name(candidate, by, group, k) for k in starts] for group in self.groups]

    def to_all(self, chosen: Trial) -> tuple[list[FitJob], list[FitJob]]:
        """The zeros of all mountings, and the fits of one candidate to all logs."""
        everything = tuple(range(len(self.logs)))
        zeros = self._zeros("no log held out", everything)
        members = self._members(zeros)
        return zeros, [
            dataclasses.replace(
                self._fit(
                    f"{chosen.name}, all logs, start {start + 1}",
                    chosen.actuator,
                    everything,
                    (),
                    start,
                ),
                zeros=members,
            )
            for start in range(self.settings.starts)
        ]

    def _fold(self, group: str) -> list[FitJob]:
        by, key = self.settings.by, HOLD_OUT[self.settings.by]
        out = tuple(k for k, log in enumerate(self.logs) if key(log) == group)
        kept = tuple(k for k in range(len(self.logs)) if k not in out)
        zeros = self._zeros(f"{by} {group} held out", kept)
        members = self._members(zeros)
        fits = [*zeros]
        below = simpler(self.actuators)
        for k in _nested_first(below):
            for start in range(self.settings.starts):
                after = below[k] if start == 0 else []
                fits.append(
                    dataclasses.replace(
                        self._fit(
                            _name(self.names[k], by, group, start),
                            self.actuators[k],
                            kept,
                            out,
                            start,
                        ),
                        after=tuple(_name(self.names[j], by, group, 0) for j in after),
                        zeros=members,
                    )
                )
        return fits

    def _fit(
        self, name: str, actuator: Actuator, kept: tuple[int, ...], out: tuple[int, ...], start: int
    ) -> FitJob:
        s = self.settings
        return FitJob(
            name=name,
            actuator=actuator_text(actuator),
            fitted=kept,
            held_out=out,
            fit={name: box for name, box in s.fit.items() if _has(actuator, name)},
            fix=tuple(name for name in s.fix if _has(actuator, name)),
            objective=s.objective,
            joint=s.joint,
            search=dataclasses.replace(s.search, seed=s.search.seed + start),
        )

    def _zeros(self, when: str, kept: tuple[int, ...]) -> list[FitJob]:
        """A fit of the richest candidate to the logs of each mounting."""
        if self._mounting is None:
            return []
        found: dict[str, list[int]] = {}
        for k in kept:
            found.setdefault(self._mounting(self.logs[k]), []).append(k)
        if len(found) < 2:
            return []
        return [
            self._fit(f"zero of {name}, {when}", self._richest, tuple(members), (), 0)
            for name, members in found.items()
        ]

    def _members(self, zeros: Iterable[FitJob]) -> dict[str, tuple[int, ...]]:
        """All logs of the mounting that each fit tells of, those held out too."""
        key = self._mounting
        if key is None:
            return {}
        return {
            fit.name: tuple(
                k for k, log in enumerate(self.logs) if key(log) == key(self.logs[fit.fitted[0]])
            )
            for fit in zeros
        }


def _name(candidate: str, by: str, group: str, start: int) -> str:
    return f"{candidate}, {by} {group} held out, start {start + 1}"


def _nested_first(below: Sequence[Sequence[int]]) -> list[int]:
    return [*TopologicalSorter(dict(enumerate(below))).static_order()]


def _has(actuator: Actuator, name: str) -> bool:
    return name in actuator.fields or name.startswith("plant.")


def _check(actuators: Sequence[Actuator], logs: Sequence[Log], s: SweepSettings) -> None:
    """Refuse what cannot be fitted, before any fit."""
    known = {name for actuator in actuators for name in actuator.fields}
    for name in [*s.fit, *s.fix]:
        if name not in known and not name.startswith("plant."):
            raise PliantError("no such parameter", field="fit or fix", found=name, accepted=known)
    if s.starts < 1:
        raise PliantError("out of range", field="starts", found=s.starts, accepted="≥ 1")
    LogBatch(logs, JointEngine(actuators[0], settings=s.joint))
    for actuator in actuators:
        search_space(
            actuator, fit={name: box for name, box in s.fit.items() if _has(actuator, name)}
        )
