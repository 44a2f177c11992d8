"""Every candidate on every fold from every start: which model is taken, and its fit to all logs.

1. `Plan` says which fits that takes
2. they are done somewhere (`workers`), and each is kept as soon as it is there; in a race, short fits
   of all candidates come first, and `going_on` says which are worth a whole one, `close` which a
   second; searches as long as that of `identify` come last, and `finalists` says of which
3. `take` compares them
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic, Unpack

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointSettings
from pliant.identification.fit import Identification
from pliant.identification.pipeline import Pipeline
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitOptions, FitTask, fit_task, logs_fingerprint
from pliant.identification.result.record import FitRecord
from pliant.identification.search.journal import NoJournal
from pliant.identification.search.search import SearchSettings
from pliant.identification.search.state_file import Task
from pliant.identification.selection.choice import (
    Choice,
    Trial,
    close,
    finalists,
    going_on,
    set_aside,
    take,
)
from pliant.identification.selection.finished_jobs import FinishedJobs, searches_of
from pliant.identification.selection.fit_job import FitJob, Listeners, fitted_job
from pliant.identification.selection.nested_models import begun_at, holds
from pliant.identification.selection.plan import Plan, candidate_tasks
from pliant.identification.selection.told_once import Told
from pliant.identification.selection.workers import Place, here
from pliant.io.log import Log

__all__ = ["Sweep", "choose"]

Report = Callable[[int, int, str], None]
"""Called after each fit with how many are done, how many there are, and its name."""


# Named arguments that stand for themselves: who calls it reads them in the signature.
def choose(
    actuators: Sequence[Actuator],
    logs: Sequence[Log],
    *,
    by: str = "gain",
    starts: int = 2,
    race: bool = True,
    settings: JointSettings | None = None,
    place: Place = here,
    checkpoint: Path | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    **options: Unpack[FitOptions],
) -> Choice:
    """Fit every candidate with each group of logs held out in turn, and take one.

    Args:
        actuators: the candidates.
        logs: in at least two groups.
        by: what the logs held out in turn share: "gain", "load", "trajectory" or "log".
        starts: whole fits of each candidate and fold, each with a seed of its own.
        race: fit all of many candidates briefly first, and set aside those that are far off; fit the
            best few by a long search last.
        settings: step, command convention and supply of the joint engine.
        place: where the fits are done; the result is the same everywhere.
        checkpoint: file in which every finished fit is kept. If it stands there already, from the
            same task, only what is missing is done. It stays; remove it when all is done. Beside
            it stand, while they last, the searches that are under way.
        report: called after each fit with how many are done, how many there are, and its name.
        note: told how the logs differ in mounting and recorder.
        options: as of `identify`; each candidate takes the parameters that it has. The search is
            by default shorter, because it begins where a simpler model ended.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; see also `identify`, `workers.cluster` and `FinishedJobs`.
    """
    joint = settings or JointSettings()
    rigs = [JointRig(actuator, joint) for actuator in actuators]
    tasks = candidate_tasks(fit_task(rigs[0], options), rigs) if rigs else []
    sweep = Sweep(tasks, logs, by=by, starts=starts, race=race, note=note)
    return sweep.choose(place, checkpoint, report)


QUICK = SearchSettings(starts=3, jacobians=20)
"""The fit that shows what differs between recorders, before any is compared."""


class Sweep(Generic[LogT]):
    """The fits of a choice, of a joint or of a robot.

    Args:
        tasks: of the candidates; see `candidate_tasks`. logs, by, starts, race, final: see `Plan`.
        note: told how the logs differ in mounting and recorder.

    Attributes:
        names: of the candidates. groups: what is held out in turn.
        jobs: all of them, those that others need first. told: what `note` was told.
    """

    def __init__(
        self,
        tasks: Sequence[FitTask[LogT]],
        logs: Sequence[LogT],
        *,
        by: str = "gain",
        starts: int = 2,
        race: bool = False,
        final: SearchSettings | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.tasks, self.logs = list(tasks), list(logs)
        self.told = Told()
        self.note = self.told.through(note or _unsaid)
        self.plan = Plan(tasks, logs, by, starts, race=race, final=final)
        self.names, self.groups, self.jobs = self.plan.names, self.plan.groups, self.plan.jobs

    def fingerprint(self) -> Task:
        """All that decides what the fits come to."""
        named = zip(self.names, self.tasks, strict=True)
        short = {
            name: dataclasses.replace(
                task, search_settings=task.search_settings or task.rig.fold_search
            ).fingerprint(())
            for name, task in named
        }
        return {
            "by": self.plan.by,
            "starts": self.plan.starts,
            "race": self.plan.race,
            "candidates": short,
            "logs": logs_fingerprint(self.logs),
        }

    def finished(self, checkpoint: Path) -> int:
        """Number of fits that a checkpoint of the same task keeps.

        Raises:
            PliantError: see `FinishedJobs`.
        """
        return len(FinishedJobs(checkpoint, self.fingerprint()).results)

    def choose(
        self, place: Place = here, checkpoint: Path | None = None, report: Report | None = None
    ) -> Choice:
        """Do what is not done yet; see `choose`."""
        finished = FinishedJobs(checkpoint, self.fingerprint())
        plan, going, aside = self.plan, self.names, list[Trial]()

        def add(more: Sequence[FitJob[LogT]]) -> None:
            self.jobs = [*self.jobs, *more]
            self._do(more, place, finished, report)

        self._do(self.jobs, place, finished, report)
        if plan.race:
            briefly = [self._trial(n, plan.shortly(n), finished) for n in going]
            going = going_on(briefly)
            aside += set_aside(briefly, going, "after a short fit")
            add(plan.whole(going, [0]))
            once = [self._trial(n, plan.of(n, 1), finished) for n in going]
            going = close(once) if plan.starts > 1 else going
            aside += set_aside(once, going, "after one whole fit")
            add(plan.whole(going, range(1, plan.starts)))
        trials = [self._trial(n, plan.of(n), finished) for n in going]
        if plan.last:
            going = finalists(trials)
            aside += set_aside(trials, going, "before the last round")
            add(plan.finals(going))
            trials = [self._trial(n, plan.lastly(n), finished) for n in going]
        return take(plan.by, [*trials, *aside])

    def _trial(
        self,
        name: str,
        fits: Sequence[Sequence[str]],
        finished: FinishedJobs,
    ) -> Trial:
        folds = {
            f"{self.plan.by}={group}": tuple(finished.results[one] for one in fold)
            for group, fold in zip(self.groups, fits, strict=True)
        }
        return Trial(name, folds)

    @staticmethod
    def forget(checkpoint: Path) -> None:
        """All is done, and safe: remove the checkpoint, and what stands beside it."""
        for path in [checkpoint, *searches_of(checkpoint)]:
            path.unlink(missing_ok=True)

    def _do(
        self,
        jobs: Sequence[FitJob[LogT]],
        place: Place,
        finished: FinishedJobs,
        report: Report | None = None,
    ) -> None:
        """Run the jobs that are not finished; each search is kept until its fit is."""
        kept = finished.searches([job.name for job in jobs])
        alike_ = (dataclasses.replace(job.task, recorder_by=None) for job in jobs)
        jobs = [dataclasses.replace(job, task=task) for job, task in zip(jobs, alike_, strict=True)]
        for name, one in place(jobs, self.recorded, finished.results, kept):
            finished.add(name, one)
            if name in kept:
                kept[name].unlink(missing_ok=True)
            if report is not None:
                report(len(finished.results), len(self.jobs), name)

    @cached_property
    def recorded(self) -> list[LogT]:
        """The logs as all fits that are compared see them: without what differs between recorders."""
        task = dataclasses.replace(self.plan.richest, search_settings=QUICK)
        return Pipeline(task, NoJournal(), None, self.note).alike(self.logs)

    def fitted_to_all(
        self,
        chosen: Trial,
        name: str | None = None,
        checkpoint: Path | None = None,
        *,
        held_out: Sequence[LogT] = (),
        listeners: Listeners | None = None,
        after: Identification[LogT] | None = None,
    ) -> Identification[LogT]:
        """The model chosen, fitted to all logs by a whole search, judged by `held_out` too.

        The record of the actuator says what it was chosen from. `listeners` are not told again how the logs
        differ. What is done is kept in `checkpoint`, that of `choose`, and beside it. It begins where the fit
        `after` ended, if its model contains that one.
        """
        finished = FinishedJobs(checkpoint, self.fingerprint())
        job = self.plan.to_all(chosen.name)
        if after is not None and holds(job.task.rig, after.rig):
            begun = begun_at(job.task.rig, after.rig, after.values)
            job = dataclasses.replace(job, task=dataclasses.replace(job.task, rig=begun))
        kept = finished.searches([job.name])
        every = [*self.logs, *held_out]
        job = dataclasses.replace(job, held_out=tuple(range(len(self.logs), len(every))))
        if listeners is not None and listeners.note is not None:
            note = self.told.through(listeners.note)
            listeners = dataclasses.replace(listeners, note=note)
        found = fitted_job(job, every, (), name, checkpoint=kept.get(job.name), listeners=listeners)
        made = {
            joint: FitRecord.of(actuator)
            .changed(
                chosen_by=self.plan.by,
                chosen_among=self.names,
            )
            .on(actuator)
            for joint, actuator in found.actuators.items()
        }
        return dataclasses.replace(found, rig=found.rig.with_actuators(made))


def _unsaid(text: str) -> None:
    """Nobody is told."""
