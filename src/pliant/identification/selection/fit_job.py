"""One candidate as a job that can run anywhere and returns plain values.

1. a whole fit to all logs
2. for each group of logs, a descent from there without them, and its error on them (`left_out`)
"""

import glob
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Generic

from pydantic import TypeAdapter

from pliant.errors import PliantError
from pliant.identification.fit import fit
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.search.checkpoint import SavedWork, Task, digest
from pliant.identification.search.search import Progress
from pliant.identification.selection.cross_validation import Fold, left_out


@dataclass(frozen=True, kw_only=True, eq=False)
class FitJob(Generic[LogT]):
    """One candidate, fitted to all logs and to all but each group of them.

    Attributes:
        name: of the candidate. task: of its fit; it holds out no logs itself.
        groups: each group left out in turn, to the indices of its logs.
        version: of Pliant, which must be that of the worker.
    """

    name: str
    task: FitTask[LogT]
    groups: Mapping[str, tuple[int, ...]]
    version: str = field(default_factory=lambda: version("pliant"))


@dataclass(frozen=True, eq=False)
class JobResult:
    """The result of a candidate as plain values.

    Attributes:
        values: parameters searched, in SI units, fitted to all logs. cost: what was minimised there.
        fitted: log to its error there, mean over the joints [rad]. folds: group to the fit without it.
        evaluations, steps, seconds, cpu: used; `cpu` [s] is that of the whole process.
    """

    values: Mapping[str, float]
    cost: float
    fitted: Mapping[str, float]
    folds: Mapping[str, Fold]
    evaluations: int
    steps: int
    seconds: float
    cpu: float


def run(
    job: FitJob[LogT],
    logs: Sequence[LogT],
    checkpoint: Path | None = None,
    report: Callable[[Progress], None] | None = None,
) -> JobResult:
    """Do one job.

    Args:
        job: what to do. logs: all of them.
        checkpoint: file in which its search saves progress; the caller removes it.
        report: see `fit`.

    Raises:
        PliantError: another version of Pliant runs here, or see `fit`.
        KeyboardInterrupt: it was interrupted; a partial fit is not returned.
    """
    if job.version != version("pliant"):
        raise PliantError(
            "another version of Pliant on this worker",
            found=version("pliant"),
            accepted=job.version,
        )
    began, cpu = time.monotonic(), time.process_time()
    found = fit(job.task, logs, report=report, checkpoint=checkpoint, keep_checkpoint=True)
    if found.interrupted:
        raise KeyboardInterrupt
    folds = {
        group: left_out(found, [logs[k] for k in places]) for group, places in job.groups.items()
    }
    return JobResult(
        found.values,
        found.search.cost,
        found.fitted.by_log(),
        folds,
        found.evaluations + sum(one.evaluations for one in folds.values()),
        found.steps + sum(one.steps for one in folds.values()),
        time.monotonic() - began,
        time.process_time() - cpu,
    )


_RESULTS = TypeAdapter(dict[str, JobResult])


class FinishedJobs:
    """Results of the fits of a sweep, by name.

    Args:
        path: of the file; None keeps nothing. task: everything that determines the fits.

    Raises:
        PliantError: see `SavedWork`.
    """

    def __init__(self, path: Path | None, task: Task) -> None:
        self._work = SavedWork(path, task, "fits")
        self.results = _RESULTS.validate_python(self._work.done["fits"])
        if path is not None and not path.exists():
            for old in searches_of(path):
                old.unlink()
            self._work.write()

    def add(self, name: str, finished: JobResult) -> None:
        """One more; from here on it is on disk.

        Raises:
            PliantError: it cannot be written.
        """
        self.results[name] = finished
        self._work.done["fits"][name] = asdict(finished)
        self._work.write()

    def searches(self, names: Iterable[str]) -> dict[str, Path]:
        """File for each fit, in which its search may save progress."""
        path = self._work.path
        if path is None:
            return {}
        whole = json.dumps(self._work.task).encode()
        return {
            name: path.with_name(f"{path.name}.search_{digest(whole, name.encode())[:16]}")
            for name in names
        }


def searches_of(path: Path) -> list[Path]:
    """Files of unfinished searches beside a checkpoint."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.search_*"))
