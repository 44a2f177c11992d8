"""The whole fits of a sweep: every candidate x fold x start, and what comes before them.

    1. in a race, every candidate x fold is fitted briefly, and the hopeless ones are set aside
    2. every candidate left x fold x start is one whole fit; the first start waits for the fits of
       the simpler models to the same logs, and begins at the best of them and of its own short one; in
       a race, those clearly worse by their first start get no other
    3. in a race, the few that are close to the best are fitted again on every fold, from where their
       best start ended, by the search that `identify` takes
    4. in the end, the model taken is fitted to all logs, by the search that `identify` takes

No fit sees a log that it is judged by. Where the bench was mounted anew, each fit finds the zeros of its
own mountings; that of a mounting which is held out whole is found with the actuator as it is.
"""

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from graphlib import TopologicalSorter
from typing import Generic

from pliant.errors import PliantError
from pliant.identification.problem.hold_out import keys_of
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import names_of
from pliant.identification.selection.fit_job import FitJob
from pliant.identification.selection.nested_models import simpler

SHORT, LONG = "short", "long"
"""Fits of the first and of the last round of a race; those in between are numbered."""
WORTH = 6
"""Candidates from which on a race saves more than its short fits take."""


def candidate_tasks(task: FitTask[LogT], rigs: Sequence[Rig[LogT]]) -> list[FitTask[LogT]]:
    """The task of each candidate: of what is to be fitted and held, each takes what it has.

    Raises:
        PliantError: a parameter that no candidate has.
    """
    for name in [*task.fit, *task.fix]:
        if not any(rig.has(name) for rig in rigs):
            known = sorted({n for rig in rigs for a in rig.actuators.values() for n in a.fields})
            raise PliantError("no such parameter", field="fit or fix", found=name, accepted=known)
    return [task.with_rig(rig) for rig in rigs]


class Plan(Generic[LogT]):
    """The fits of a sweep.

    Attributes:
        names: of the candidates. groups: what is held out in turn.
        richest: the task with the most parameters.
        race, last: whether there is a first round of short fits, and a last one of long searches.
        jobs: all that are compared, those that others need first; of a race, those of its first
            round.

    Args:
        tasks: of the candidates. logs: all of them.
        by: what the logs held out in turn share: "gain", "load", "trajectory" or "log" of a joint,
            "motion" or "log" of a robot.
        starts: whole fits of each candidate and fold, each with a seed of its own.
        race: whether short fits of many candidates come first, and whole searches of the best few
            last. final: search of these, and of the fit to all logs; None: that of the tasks, or of
            `identify`.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; an unknown parameter.
    """

    def __init__(
        self,
        tasks: Sequence[FitTask[LogT]],
        logs: Sequence[LogT],
        by: str,
        starts: int,
        *,
        race: bool = False,
        final: SearchSettings | None = None,
    ) -> None:
        keys = keys_of(logs)
        if by not in keys:
            raise PliantError("cannot be held out", field="by", found=by, accepted=keys)
        self.by, self.starts, self._key = by, starts, keys[by]
        self.groups = list(dict.fromkeys(self._key(log) for log in logs))
        if len(self.groups) < 2 or not tasks:
            raise PliantError(
                "nothing to compare",
                field="by",
                found=by,
                accepted="candidates, and logs of at least two groups",
            )
        if starts < 1:
            raise PliantError("out of range", field="starts", found=starts, accepted="≥ 1")
        self.tasks, self.logs = list(tasks), list(logs)
        self.names = names_of([task.rig for task in tasks])
        tasks[0].rig.check(logs)
        for task in tasks:
            task.rig.space(task.fit, {}, logs)
        self.richest, self._below = max(tasks, key=_size), simpler([task.rig for task in tasks])
        self.race, self.last, self._final = race and len(tasks) >= WORTH, race, final
        self.jobs = self._short() if self.race else self.whole(self.names)

    def of(self, candidate: str, starts: int | None = None) -> list[list[str]]:
        """Names of its whole fits, or of the first ones, group by group."""
        first = range(self.starts if starts is None else starts)
        return [
            [_name(candidate, self.by, group, _start(k)) for k in first] for group in self.groups
        ]

    def to_all(self, chosen: str) -> FitJob[LogT]:
        """The fit of one candidate to all logs."""
        everything = tuple(range(len(self.logs)))
        task = self.tasks[self.names.index(chosen)]
        search = self._final or task.search
        return FitJob(
            name=f"{chosen}, all logs",
            task=dataclasses.replace(task, search_settings=search, hold_out=()),
            fitted=everything,
        )

    def lastly(self, candidate: str) -> list[list[str]]:
        """Names of its fits of the last round, group by group."""
        return [[_name(candidate, self.by, group, LONG)] for group in self.groups]

    def finals(self, going: Collection[str]) -> list[FitJob[LogT]]:
        """The fits of the last round: each begins where the best of its own whole fits ended."""
        jobs: list[FitJob[LogT]] = []
        for group, k in itertools.product(self.groups, range(len(self.names))):
            if self.names[k] in going:
                task = self.tasks[k]
                own = [(k, _start(start)) for start in range(self.starts)]
                search = self._final or task.search
                jobs.append(self._job(group, k, LONG, search, own))
        return jobs

    def shortly(self, candidate: str) -> list[list[str]]:
        """Names of its short fits, group by group."""
        return [[_name(candidate, self.by, group, SHORT)] for group in self.groups]

    def whole(
        self, going: Collection[str], starts: Iterable[int] | None = None
    ) -> list[FitJob[LogT]]:
        """The whole fits of some candidates, from all starts or from some."""
        wanted = [*range(self.starts)] if starts is None else [*starts]
        jobs: list[FitJob[LogT]] = []
        for group, k in itertools.product(self.groups, _nested_first(self._below)):
            if self.names[k] not in going:
                continue
            own = [(k, SHORT)] if self.race else []
            below = [(j, _start(0) if self.names[j] in going else SHORT) for j in self._below[k]]
            below = [(j, fit) for j, fit in below if fit != SHORT or self.race]
            for start in wanted:
                search = _brief(self.tasks[k], start)
                after = [*own, *below] if start == 0 else []
                jobs.append(self._job(group, k, _start(start), search, after))
        return jobs

    def _short(self) -> list[FitJob[LogT]]:
        """A short fit of every candidate and group."""
        jobs: list[FitJob[LogT]] = []
        for group, k in itertools.product(self.groups, _nested_first(self._below)):
            search = _shorter(_brief(self.tasks[k], 0))
            jobs.append(self._job(group, k, SHORT, search, [(j, SHORT) for j in self._below[k]]))
        return jobs

    # Five arguments: one fit of a candidate, its logs and search, and the fits that it builds upon.
    def _job(
        self,
        group: str,
        k: int,
        fit: str,
        search: SearchSettings,
        after: Sequence[tuple[int, str]],
    ) -> FitJob[LogT]:
        """One fit of candidate k; `after` are candidates and which of their fits."""
        kept, out = self._divided(group)
        return FitJob(
            name=_name(self.names[k], self.by, group, fit),
            task=dataclasses.replace(self.tasks[k], search_settings=search, hold_out=()),
            fitted=kept,
            held_out=out,
            after=tuple(_name(self.names[j], self.by, group, one) for j, one in after),
            simpler=tuple(self.tasks[j].rig for j, _ in after),
        )

    def _divided(self, group: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Logs fitted and held out, by their places."""
        out = tuple(k for k, log in enumerate(self.logs) if self._key(log) == group)
        return tuple(k for k in range(len(self.logs)) if k not in out), out


def _brief(task: FitTask[LogT], start: int) -> SearchSettings:
    """Search of one of the whole fits that are compared."""
    given = task.search_settings or task.rig.fold_search
    return dataclasses.replace(given, seed=given.seed + start)


def _shorter(search: SearchSettings) -> SearchSettings:
    """Search of the first round of a race: one start of half the length."""
    return dataclasses.replace(search, starts=1, jacobians=math.ceil(search.jacobians / 2))


def _size(task: FitTask[LogT]) -> int:
    return sum(len(actuator.fields) for actuator in task.rig.actuators.values())


def _start(k: int) -> str:
    return f"start {k + 1}"


def _name(candidate: str, by: str, group: str, fit: str) -> str:
    return f"{candidate}, {by} {group} held out, {fit}"


def _nested_first(below: Iterable[Sequence[int]]) -> list[int]:
    return [*TopologicalSorter(dict(enumerate(below))).static_order()]
