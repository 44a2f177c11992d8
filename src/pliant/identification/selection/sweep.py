"""Fits of all candidates of a choice: which model is chosen, and its fit to all logs.

Candidates are fitted by `workers`, and each result is saved at once. Each fit estimates its logs' nuisance parameters.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, Unpack

from pliant.assemble import Actuator, united, united_laws
from pliant.engines.joint.engine import JointSettings
from pliant.errors import PliantError
from pliant.identification.fit import Identification, fit
from pliant.identification.problem.hold_out import keys_of
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitOptions, FitTask, fit_task, logs_fingerprint
from pliant.identification.result.record import FitRecord
from pliant.identification.search.checkpoint import Task
from pliant.identification.search.search import Progress, SearchSettings
from pliant.identification.selection.choice import Choice, Trial, names_of, take
from pliant.identification.selection.fit_job import FinishedJobs, FitJob, JobResult, searches_of
from pliant.identification.selection.workers import Place, here
from pliant.io.log import Log

__all__ = ["Sweep", "as_good", "candidate_tasks", "choose", "with_others"]

Report = Callable[[int, int, str], None]
"""Called after each candidate with how many are done, how many there are, and its name."""


# Many keyword arguments: a caller reads them in the signature.
def choose(
    actuators: Sequence[Actuator],
    logs: Sequence[Log],
    *,
    by: str = "gain",
    settings: JointSettings | None = None,
    place: Place = here,
    checkpoint: Path | None = None,
    report: Report | None = None,
    **options: Unpack[FitOptions],
) -> Choice:
    """Fit every candidate to all logs and to all but each group of them, and choose one.

    Args:
        actuators: the candidates. logs: in at least two groups.
        by: property that defines the groups left out in turn: "gain", "load", "trajectory" or "log".
        settings: step, command convention and supply of the joint engine.
        place: where the fits run; the result is the same everywhere.
        checkpoint: file in which every finished candidate is saved. If it exists, from the same task,
            only missing candidates are fitted. It is not removed; the caller removes it at the end.
            Checkpoints of searches in progress are kept beside it.
        report: called after each candidate with how many are done, how many there are, and its name.
        options: as of `identify`; each candidate takes the parameters that it has. The search is
            shorter by default.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; see also `identify`, `workers.cluster` and `FinishedJobs`.
    """
    joint = settings or JointSettings()
    rigs = [JointRig(actuator, joint) for actuator in actuators]
    tasks = candidate_tasks(fit_task(rigs[0], options), rigs) if rigs else []
    return Sweep(tasks, logs, by=by).choose(place, checkpoint, report)


def candidate_tasks(task: FitTask[LogT], rigs: Sequence[Rig[LogT]]) -> list[FitTask[LogT]]:
    """The task of each candidate: each takes those parameters to fit and to hold that it has.

    Raises:
        PliantError: a parameter that no candidate has.
    """
    for name in [*task.fit, *task.fix]:
        if not any(rig.has(name) for rig in rigs):
            known = sorted({n for rig in rigs for a in rig.actuators.values() for n in a.fields})
            raise PliantError("no such parameter", field="fit or fix", found=name, accepted=known)
    return [task.with_rig(rig) for rig in rigs]


class Sweep(Generic[LogT]):
    """The fits of a choice, of a joint or of a robot.

    Args:
        tasks: of the candidates; see `candidate_tasks`. logs: all of them.
        by: property that defines the groups: "gain", "load", "trajectory" or "log" of a joint,
            "motion" or "log" of a robot.

    Attributes:
        names: of the candidates. groups: left out in turn.
        jobs: all of them.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; an unknown parameter.
    """

    def __init__(
        self,
        tasks: Sequence[FitTask[LogT]],
        logs: Sequence[LogT],
        *,
        by: str = "gain",
    ) -> None:
        keys = keys_of(logs)
        if by not in keys:
            raise PliantError("cannot be held out", field="by", found=by, accepted=keys)
        groups: dict[str, list[int]] = {}
        for k, log in enumerate(logs):
            groups.setdefault(keys[by](log), []).append(k)
        if len(groups) < 2 or not tasks:
            raise PliantError(
                "nothing to compare",
                field="by",
                found=by,
                accepted="candidates, and logs of at least two groups",
            )
        self.by, self.tasks, self.logs, self.groups = by, list(tasks), list(logs), list(groups)
        self.names = names_of([task.rig for task in tasks])
        tasks[0].rig.check(logs)
        for task in tasks:
            task.rig.space(task.fit, {}, logs)
        places = {group: tuple(members) for group, members in groups.items()}
        self.jobs = [
            FitJob(name=name, task=self._brief(task), groups=places)
            for name, task in zip(self.names, self.tasks, strict=True)
        ]

    def _brief(self, task: FitTask[LogT]) -> FitTask[LogT]:
        """A task with the search of fits that are compared."""
        search = task.search_settings or task.rig.fold_search
        return dataclasses.replace(task, search_settings=search, hold_out=())

    def fingerprint(self) -> Task:
        """Everything that determines the result of the fits."""
        named = zip(self.names, self.tasks, strict=True)
        return {
            "by": self.by,
            "candidates": {name: self._brief(task).fingerprint(()) for name, task in named},
            "logs": logs_fingerprint(self.logs),
        }

    def finished(self, checkpoint: Path | None) -> Mapping[str, JobResult]:
        """Results of the candidates that a checkpoint of the same task keeps.

        Raises:
            PliantError: see `FinishedJobs`.
        """
        return FinishedJobs(checkpoint, self.fingerprint()).results

    def choose(
        self, place: Place = here, checkpoint: Path | None = None, report: Report | None = None
    ) -> Choice:
        """Fit the candidates that are missing; see `choose`."""
        finished = FinishedJobs(checkpoint, self.fingerprint())
        left = [job for job in self.jobs if job.name not in finished.results]
        kept = finished.searches([job.name for job in left])
        for name, one in place(left, self.logs, kept):
            finished.add(name, one)
            if name in kept:
                kept[name].unlink(missing_ok=True)
            if report is not None:
                report(len(finished.results), len(self.jobs), name)
        return take(self.by, [Trial(name, self.by, finished.results[name]) for name in self.names])

    @staticmethod
    def forget(checkpoint: Path) -> None:
        """Remove the checkpoint and the files beside it, once the result is safe."""
        for path in [checkpoint, *searches_of(checkpoint)]:
            path.unlink(missing_ok=True)

    def fitted_to_all(
        self,
        chosen: Trial,
        name: str | None = None,
        checkpoint: Path | None = None,
        *,
        search: SearchSettings | None = None,
        held_out: Sequence[LogT] = (),
        report: Callable[[Progress], None] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> Identification[LogT]:
        """The chosen model, fitted to all logs by a full search, and tested on `held_out`.

        The actuator's record lists the models it was chosen from. Progress is saved beside `checkpoint`, that of `choose`.

        Args:
            search: None: that of `identify`. report, note: see `fit`.
        """
        finished = FinishedJobs(checkpoint, self.fingerprint())
        task = self.tasks[self.names.index(chosen.name)]
        task = dataclasses.replace(task, search_settings=search or task.search, hold_out=())
        place = f"{chosen.name}, all logs"
        found = fit(
            task,
            self.logs,
            held_out=held_out,
            name=name,
            report=report,
            note=note,
            checkpoint=finished.searches([place]).get(place),
            keep_checkpoint=True,
        )
        made = {
            joint: FitRecord.of(actuator)
            .changed(chosen_by=self.by, chosen_among=self.names)
            .on(actuator)
            for joint, actuator in found.actuators.items()
        }
        return dataclasses.replace(found, rig=found.rig.with_actuators(made))


def as_good(sweep: Sweep[Log], choice: Choice) -> tuple[list[Trial], list[Trial]]:
    """The models that add to the chosen one and fit into one file with it, and those that do not fit."""
    tasks = dict(zip(sweep.names, sweep.tasks, strict=True))
    kept, left_out = [choice.chosen], list[Trial]()
    for trial in choice.as_good():
        try:
            united_laws([tasks[one.name].rig.actuators[""] for one in [*kept, trial]])
        except PliantError:
            left_out.append(trial)
        else:
            kept.append(trial)
    return kept[1:], left_out


def with_others(
    found: Identification[Log], name: str, others: Mapping[str, Identification[Log]]
) -> Identification[Log]:
    """The same, its file with the fits of other models.

    Args:
        found: the chosen model, with its intervals. name: of this model. others: name to fit, at least one.

    Raises:
        PliantError: no law contains all those at a port.
    """
    every = {name: found, **others}
    whole = united(one.actuator for one in every.values())
    record = FitRecord.of(whole)
    models = dict(zip(every, (record.models or {}).values(), strict=True))
    made = record.changed(models=models).on(whole)
    return dataclasses.replace(found, united=made)
