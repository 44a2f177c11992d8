"""Workers for whole fits: one after the other here, or side by side on a Dask cluster.

    here      in this process; each rollout uses all its processors
    cluster   "local:2", two processes of this machine, or "tcp://host:8786", the address of a
              scheduler: one whole fit is one task

What a fit comes to does not depend on where it is done. A worker that dies takes its fits with it;
Dask gives them to another. `distributed` is imported where it is used: `pip install
pliant[cluster]`.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.identify.search.progress import Progress
from pliant.identify.selection.fit_job import FitJob, JobResult, run

Place = Callable[
    [Sequence[FitJob[Any]], Sequence[Any], Mapping[str, JobResult], Mapping[str, Path]],
    Iterator[tuple[str, JobResult]],
]
"""Fits (those that are needed first come first), logs, what is known already, and a file of this
machine in which the search of each fit may keep what it has done, by name, to what each fit comes
to, by name, as soon as it does."""

ACCEPTED = "local, local:2, or the address of a scheduler, such as tcp://host:8786"
PATIENCE = 20.0
"""[s] For a scheduler to answer."""


def here(
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
    known: Mapping[str, JobResult],
    kept: Mapping[str, Path],
    report: Callable[[str, Progress], None] | None = None,
) -> Iterator[tuple[str, JobResult]]:
    """One after the other in this process; `report` is called with a fit's name and how it goes."""
    done = dict(known)
    for job in jobs:
        if job.name not in done:
            needed = [done[name] for name in job.needs]
            told = None if report is None else partial(report, job.name)
            done[job.name] = run(job, logs, needed, kept.get(job.name), told)
            yield job.name, done[job.name]


def cluster(where: str) -> Place:
    """A place on `where`: "local", "local:N" workers, or the address of a Dask scheduler.

    The servers of a local one listen on 127.0.0.1 only, without dashboard. Whoever may connect to a
    scheduler may run programs on its workers: give a cluster's address only within a network that
    you trust.

    Raises:
        PliantError: `where` cannot be read, or `distributed` is not installed. When it is used: the
            scheduler cannot be reached, or lost all its workers.
    """
    workers = re.fullmatch(r"local(?::(\d+))?", where)
    if not workers and not re.fullmatch(r"(tcp|tls|ucx|ws|wss)://\S+", where):
        raise PliantError("cannot be read", field="--cluster", found=where, accepted=ACCEPTED)
    if workers and workers[1] and not 1 <= int(workers[1]) <= 1024:
        raise PliantError("out of range", field="--cluster", found=where, accepted="1 to 1024")
    with located(field="--cluster"):
        dask = extra_module("distributed", "cluster")

    def on_cluster(
        jobs: Sequence[FitJob[Any]],
        logs: Sequence[Any],
        known: Mapping[str, JobResult],
        kept: Mapping[str, Path],
    ) -> Iterator[tuple[str, JobResult]]:
        with ExitStack() as stack:
            count = int(workers[1]) if workers and workers[1] else None
            address = stack.enter_context(local_cluster(dask, count)) if workers else where
            client = stack.enter_context(_client(dask, address))
            yield from _on(dask, client, jobs, logs, known, kept if workers else {})

    return on_cluster


def local_cluster(dask: Any, workers: int | None) -> Any:
    """Processes of this machine; one that dies is started again."""
    return dask.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        # Without an address, the scheduler's pages are at port 8787 of every network.
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    )


def _client(dask: Any, address: Any) -> Any:
    try:
        return dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        reason = str(error).partition("\n")[0]
        raise PliantError(
            "no scheduler answers",
            field="--cluster",
            found=f"{address}: {reason}",
            accepted=ACCEPTED,
        ) from None


def _on(
    dask: Any,
    client: Any,
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
    known: Mapping[str, JobResult],
    kept: Mapping[str, Path],
) -> Iterator[tuple[str, JobResult]]:
    """All fits at once, each after those it needs: the scheduler sees to the rest."""
    # A task, not scattered data: what is lost with its worker is made again.
    recordings = client.submit(tuple, list(logs), pure=False)
    needed: dict[str, Any] = dict(known)
    for job in jobs:
        if job.name not in known:
            first = [needed[name] for name in job.needs]
            needed[job.name] = client.submit(
                run, job, recordings, first, kept.get(job.name), pure=False
            )
    names = {future.key: name for name, future in needed.items() if name not in known}
    arriving = dask.as_completed(
        [future for name, future in needed.items() if name not in known],
        loop=client.loop,
        with_results=True,
    )
    needed.clear()
    try:
        for future, finished in arriving:
            name = names[future.key]
            future.release()  # it is here now; what still waits for it, Dask keeps it for
            del future
            yield name, finished
    except (dask.KilledWorker, dask.client.FutureCancelledError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise PliantError(
            "the cluster lost its workers; with a checkpoint, the same command continues",
            field="--cluster",
            found=reason,
        ) from None
