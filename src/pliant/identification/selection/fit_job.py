"""One whole fit as a piece of work that can be done anywhere: plain values come out."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Generic

from pliant.errors import PliantError
from pliant.identification.fit import Identification, fit
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.search.progress import Progress
from pliant.identification.selection.nested_models import begun_at


@dataclass(frozen=True)
class Listeners:
    """Those who are told how a fit goes; see `fit`."""

    report: Callable[[Progress], None]
    note: Callable[[str], None] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class FitJob(Generic[LogT]):
    """One fit of one candidate to some of the logs.

    Attributes:
        name: unlike that of any other. task: what is fitted; it divides no logs itself.
        fitted, held_out: indices of logs.
        after: fits of simpler models to the same logs; it begins at the best of them.
        simpler: the joints or robots of these, in their order.
        version: of Pliant, which must be that of the worker.
    """

    name: str
    task: FitTask[LogT]
    fitted: tuple[int, ...]
    held_out: tuple[int, ...] = ()
    after: tuple[str, ...] = ()
    simpler: tuple[Rig[LogT], ...] = ()
    version: str = field(default_factory=lambda: version("pliant"))

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the fits that come first."""
        return self.after


@dataclass(frozen=True, eq=False)
class JobResult:
    """The result of a fit as plain values.

    Attributes:
        values: parameters searched, in SI units.
        cost: what was minimised, on the logs fitted.
        fitted, held_out: log to its error, mean over the joints [rad].
        evaluations, steps, seconds, cpu: what it took; `cpu` [s] is that of the whole process.
    """

    values: Mapping[str, float]
    cost: float
    fitted: Mapping[str, float]
    held_out: Mapping[str, float]
    evaluations: int
    steps: int
    seconds: float
    cpu: float


def run(
    job: FitJob[LogT],
    logs: Sequence[LogT],
    known: Sequence[JobResult],
    checkpoint: Path | None = None,
    report: Callable[[Progress], None] | None = None,
) -> JobResult:
    """Run one fit.

    Args:
        job: what to do. logs: all of them.
        known: what the fits it needs came to, in the order of `job.needs`.
        checkpoint: where its search keeps what it has done; it stays, for the caller to remove.
        report: see `fit`.

    Raises:
        PliantError: another version of Pliant runs here, or see `fit`.
        KeyboardInterrupt: it was interrupted; nothing is returned of half a fit.
    """
    if job.version != version("pliant"):
        raise PliantError(
            "another version of Pliant on this worker",
            found=version("pliant"),
            accepted=job.version,
        )
    began = time.process_time()
    listeners = None if report is None else Listeners(report)
    found = fitted_job(job, logs, known, checkpoint=checkpoint, listeners=listeners)
    if found.interrupted:
        raise KeyboardInterrupt
    return JobResult(
        found.values,
        found.search.cost,
        found.fitted.by_log(),
        {} if found.held_out is None else found.held_out.by_log(),
        found.evaluations,
        found.steps,
        found.seconds,
        time.process_time() - began,
    )


def fitted_job(
    job: FitJob[LogT],
    logs: Sequence[LogT],
    known: Sequence[JobResult],
    name: str | None = None,
    *,
    checkpoint: Path | None = None,
    listeners: Listeners | None = None,
) -> Identification[LogT]:
    """The same with all that `fit` returns."""
    task, fitted = job.task, [logs[k] for k in job.fitted]
    results = dict(zip(job.needs, known, strict=True))
    below = [(rig, results[name]) for rig, name in zip(job.simpler, job.after, strict=True)]
    if below:
        poor, best = min(below, key=lambda one: one[1].cost)
        task = replace(task, rig=begun_at(task.rig, poor, best.values))
    return fit(
        task,
        fitted,
        held_out=[logs[k] for k in job.held_out],
        name=name,
        report=None if listeners is None else listeners.report,
        note=None if listeners is None else listeners.note,
        checkpoint=checkpoint,
        keep_checkpoint=True,
    )
