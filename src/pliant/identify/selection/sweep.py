"""Every candidate on every fold from every start: which model is taken, and its fit to all logs.

1. `Plan` says which whole fits that takes
2. they are done somewhere (`scale`), and each is kept as soon as it is there
3. `take` compares them
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.identify.fit import Identification
from pliant.identify.search.state_file import Task, actuator_digest, contents_digest
from pliant.identify.selection.choice import Choice, Trial, take
from pliant.identify.selection.finished_jobs import FinishedJobs, searches_of
from pliant.identify.selection.fit_job import ZERO, FitJob, identified
from pliant.identify.selection.plan import FOLD_SEARCH, Plan, SweepSettings
from pliant.identify.selection.workers import Place, here
from pliant.io.log import Log

__all__ = ["FOLD_SEARCH", "Sweep", "SweepSettings", "choose"]


def choose(
    actuators: Sequence[Actuator],
    logs: Sequence[Log],
    settings: SweepSettings | None = None,
    *,
    place: Place = here,
    checkpoint: Path | None = None,
    report: Callable[[int, int, str], None] | None = None,
) -> Choice:
    """Fit every candidate with each group of logs held out in turn, and take one.

    Args:
        actuators: the candidates.
        logs: in at least two groups.
        settings: what is held out, from how many starts, how long.
        place: where the fits are done; the result is the same everywhere.
        checkpoint: file in which every finished fit is kept. If it stands there already, from the
            same task, only what is missing is done. It stays; remove it when all is done. Beside
            it stand, while they last, the searches that are under way.
        report: called after each fit with how many are done, how many there are, and its name.

    Raises:
        PliantError: no candidates, or two that are the same; an unknown kind of group, or a single
            group; see also `identify`, `scale.cluster` and `FinishedJobs`.
    """
    return Sweep(actuators, logs, settings or SweepSettings()).choose(place, checkpoint, report)


class Sweep:
    """The fits of a choice.

    Attributes:
        names: of the candidates. groups: what is held out in turn.
        fits: all of them, those that others need first.
    """

    def __init__(
        self, actuators: Sequence[Actuator], logs: Sequence[Log], settings: SweepSettings
    ) -> None:
        self.settings, self.actuators, self.logs = settings, list(actuators), list(logs)
        self.plan = Plan(actuators, logs, settings)
        self.names, self.groups, self.fits = self.plan.names, self.plan.groups, self.plan.fits

    def task(self) -> Task:
        """All that decides what the fits come to."""
        settings: dict[str, Any] = {**asdict(self.settings), "fit": dict(self.settings.fit)}
        named = zip(self.names, self.actuators, strict=True)
        return {
            "sweep": settings,
            "actuators": {name: actuator_digest(actuator) for name, actuator in named},
            "logs": {
                f"{k + 1}. {log.name}": contents_digest(log) for k, log in enumerate(self.logs)
            },
        }

    def choose(
        self,
        place: Place = here,
        checkpoint: Path | None = None,
        report: Callable[[int, int, str], None] | None = None,
    ) -> Choice:
        """Do what is not done yet; see `choose`."""
        finished = FinishedJobs(checkpoint, self.task())
        self._do(self.fits, place, finished, report)
        trials = [
            Trial(
                name,
                actuator,
                {
                    f"{self.settings.by}={group}": tuple(finished.fits[one] for one in fold)
                    for group, fold in zip(self.groups, self.plan.of(name), strict=True)
                },
            )
            for name, actuator in zip(self.names, self.actuators, strict=True)
        ]
        return take(self.settings.by, trials)

    @staticmethod
    def forget(checkpoint: Path) -> None:
        """All is done, and safe: remove the checkpoint, and what stands beside it."""
        for path in [checkpoint, *searches_of(checkpoint)]:
            path.unlink(missing_ok=True)

    def _do(
        self,
        fits: Sequence[FitJob],
        place: Place,
        finished: FinishedJobs,
        report: Callable[[int, int, str], None] | None = None,
    ) -> None:
        """Those that are not finished; each search is kept until its fit is."""
        kept = finished.searches([fit.name for fit in fits])
        for name, one in place(fits, self.logs, finished.fits, kept):
            finished.add(name, one)
            if name in kept:
                kept[name].unlink(missing_ok=True)
            if report is not None:
                report(len(finished.fits), len(self.fits), name)

    def fitted_to_all(
        self, chosen: Trial, name: str | None = None, checkpoint: Path | None = None
    ) -> Identification:
        """The model chosen, fitted to all logs: the best of the starts.

        The record of the actuator says what it was chosen from, and the zeros of the mountings.
        What is done is kept in `checkpoint`, that of `choose`, and beside it.
        """
        finished = FinishedJobs(checkpoint, self.task())
        zeros, fits = self.plan.to_all(chosen)
        self._do(zeros, here, finished)
        known = [finished.fits[fit.name] for fit in zeros]
        kept = finished.searches([fit.name for fit in fits])
        every = [
            identified(fit, self.logs, known, name, checkpoint=kept.get(fit.name)) for fit in fits
        ]
        found = min(every, key=lambda one: one.search.cost)
        named = zip(zeros, known, strict=True)
        shifts = {fit.name.partition(",")[0]: one.values[ZERO] for fit, one in named}
        record = {
            **found.actuator.identification,
            "chosen_by": self.settings.by,
            "chosen_among": self.names,
            **({"zeros": shifts} if shifts else {}),
        }
        return dataclasses.replace(
            found, actuator=dataclasses.replace(found.actuator, identification=record)
        )
