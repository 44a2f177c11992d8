"""Every candidate of a choice: which model is taken, and its fit to all logs.

Candidates are fitted somewhere (`workers`), and each is kept as soon as it is there. Each fit finds the zeros and recorders of its own logs.
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


# Named arguments that stand for themselves: who calls it reads them in the signature.
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
    """Fit every candidate to all logs and to all but each group of them, and take one.

    Args:
        actuators: the candidates. logs: in at least two groups.
        by: what the logs left out in turn share: "gain", "load", "trajectory" or "log".
        settings: step, command convention and supply of the joint engine.
        place: where the fits are done; the result is the same everywhere.
        checkpoint: file in which every finished candidate is kept. If it stands there already, from the
            same task, only what is missing is done. It stays; remove it when all is done. Beside
            it stand, while they last, the searches that are under way.
        report: called after each candidate with how many are done, how many there are, and its name.
        options: as of `identify`; each candidate takes the parameters that it has. The search is
            by default shorter.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; see also `identify`, `workers.cluster` and `FinishedJobs`.
    """
    joint = settings or JointSettings()
    rigs = [JointRig(actuator, joint) for actuator in actuators]
    tasks = candidate_tasks(fit_task(rigs[0], options), rigs) if rigs else []
    return Sweep(tasks, logs, by=by).choose(place, checkpoint, report)


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


class Sweep(Generic[LogT]):
    """The fits of a choice, of a joint or of a robot.

    Args:
        tasks: of the candidates; see `candidate_tasks`. logs: all of them.
        by: what the logs left out in turn share: "gain", "load", "trajectory" or "log" of a joint,
            "motion" or "log" of a robot.

    Attributes:
        names: of the candidates. groups: what is left out in turn.
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
        """All that decides what the fits come to."""
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
        """Do what is not done yet; see `choose`."""
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
        """All is done, and safe: remove the checkpoint, and what stands beside it."""
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
        """The model chosen, fitted to all logs by a whole search, judged by `held_out` too.

        The record of the actuator says what it was chosen from. What is done is kept beside `checkpoint`, that of `choose`.

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
    """The models that add to the one taken and that one file can hold with it, and the others of them."""
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
        found: the model taken, with its intervals. name: of this model. others: name to fit, at least one.

    Raises:
        PliantError: no law contains all those at a port.
    """
    every = {name: found, **others}
    whole = united(one.actuator for one in every.values())
    record = FitRecord.of(whole)
    models = dict(zip(every, (record.models or {}).values(), strict=True))
    made = record.changed(models=models).on(whole)
    return dataclasses.replace(found, united=made)
