"""The whole fits of a sweep: every candidate x fold x start, and what comes before them.

    1. where the bench was mounted anew: the zero of each mounting, from a fit to its logs alone
    2. every candidate x fold x start is one whole fit; the first start waits for the fits of the
       simpler models to the same logs
    3. in the end, the model taken is fitted to all logs

No fit sees a log that it is judged by: neither its zero, nor its start, nor its parameters.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from graphlib import TopologicalSorter
from typing import Generic

from pliant.errors import PliantError
from pliant.identify.problem.hold_out import keys_of
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.task import FitTask
from pliant.identify.selection.choice import names_of
from pliant.identify.selection.fit_job import FitJob
from pliant.identify.selection.nested_models import simpler


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
        jobs: all that are compared, those that others need first.

    Args:
        tasks: of the candidates. logs: all of them.
        by: what the logs held out in turn share: "gain", "load", "trajectory" or "log" of a joint,
            "motion" or "log" of a robot.
        starts: whole fits of each candidate and fold, each with a seed of its own.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; an unknown parameter.
    """

    def __init__(
        self, tasks: Sequence[FitTask[LogT]], logs: Sequence[LogT], by: str, starts: int
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
        self._richest = max(tasks, key=_size)
        self.jobs = [job for group in self.groups for job in self._fold(group)]

    def of(self, candidate: str) -> list[list[str]]:
        """Names of its fits, group by group."""
        starts = range(self.starts)
        return [[_name(candidate, self.by, group, k) for k in starts] for group in self.groups]

    def to_all(self, chosen: str) -> tuple[list[FitJob[LogT]], list[FitJob[LogT]]]:
        """The zeros of all mountings, and the fits of one candidate to all logs."""
        everything = tuple(range(len(self.logs)))
        task = self.tasks[self.names.index(chosen)]
        zeros, mountings = self._zeros("no log held out", everything)
        return zeros, [
            dataclasses.replace(
                _job(f"{chosen}, all logs, start {start + 1}", task, everything, start),
                zeros=mountings,
            )
            for start in range(self.starts)
        ]

    def _fold(self, group: str) -> list[FitJob[LogT]]:
        out = tuple(k for k, log in enumerate(self.logs) if self._key(log) == group)
        kept = tuple(k for k in range(len(self.logs)) if k not in out)
        zeros, mountings = self._zeros(f"{self.by} {group} held out", kept)
        jobs = [*zeros]
        below = simpler([task.rig for task in self.tasks])
        for k in _nested_first(below):
            for start in range(self.starts):
                after = below[k] if start == 0 else []
                name = _name(self.names[k], self.by, group, start)
                jobs.append(
                    dataclasses.replace(
                        _job(name, self.tasks[k], kept, start),
                        held_out=out,
                        after=tuple(_name(self.names[j], self.by, group, 0) for j in after),
                        simpler=tuple(self.tasks[j].rig for j in after),
                        zeros=mountings,
                    )
                )
        return jobs

    def _zeros(self, when: str, kept: tuple[int, ...]) -> tuple[list[FitJob[LogT]], dict[str, str]]:
        """A fit of the richest candidate to the logs of each mounting, and the mounting of each."""
        task = self._richest
        found = task.rig.mountings([self.logs[k] for k in kept], task.zero_by)
        jobs = [
            _job(f"zero of {name}, {when}", task, tuple(kept[k] for k in members), 0)
            for name, members in found.items()
        ]
        return jobs, {job.name: name for job, name in zip(jobs, found, strict=True)}


def _job(name: str, task: FitTask[LogT], fitted: tuple[int, ...], start: int) -> FitJob[LogT]:
    short = task.search_settings or task.rig.fold_search
    search = dataclasses.replace(short, seed=short.seed + start)
    task = dataclasses.replace(task, search_settings=search, hold_out=())
    return FitJob(name=name, task=task, fitted=fitted)


def _size(task: FitTask[LogT]) -> int:
    return sum(len(actuator.fields) for actuator in task.rig.actuators.values())


def _name(candidate: str, by: str, group: str, start: int) -> str:
    return f"{candidate}, {by} {group} held out, start {start + 1}"


def _nested_first(below: Iterable[Sequence[int]]) -> list[int]:
    return [*TopologicalSorter(dict(enumerate(below))).static_order()]
