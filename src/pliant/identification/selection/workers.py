"""Workers for whole fits: one after the other here, or side by side on a Dask cluster.

    here      in this process; each rollout uses all its processors
    cluster   "local:2", two processes of this machine (`local_processes`), or "tls://host:8786", the
              address of a scheduler: one whole fit is one task

The result of a fit does not depend on where it runs. If a worker dies, Dask gives its fits to
another. `distributed` is imported when it is used: `pip install
pliant[cluster]`.
"""

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import wait as until_ready
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.identification.search.search import Progress
from pliant.identification.selection.fit_job import FitJob, JobResult, run
from pliant.processes import give_processors, processors

DEATHS = 3
"""Number of deaths without a finished fit in between after which the processes are given up."""


def local_processes(
    workers: int | None,
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
    kept: Mapping[str, Path],
) -> Generator[tuple[str, JobResult]]:
    """Each fit in one of `workers` processes; None: one per processor.

    Raises:
        PliantError: raised by a fit; or the processes die one after the other.
    """
    left, deaths = {job.name: job for job in jobs}, 0
    while left:
        try:
            with _pool(workers, logs) as pool:
                running = {
                    pool.submit(_run, job, kept.get(name)): name for name, job in left.items()
                }
                for future in as_completed(running):
                    result, deaths = future.result(), 0
                    del left[running[future]]
                    yield running[future], result
        except BrokenProcessPool:
            deaths += 1
            if deaths >= DEATHS:
                raise PliantError(
                    "the processes of the fits die; with a checkpoint, the same command resumes",
                    field="--processes",
                    found=f"{deaths} in a row",
                    accepted="fewer of them, where memory is short",
                ) from None


@contextmanager
def _pool(workers: int | None, logs: Sequence[Any]) -> Generator[ProcessPoolExecutor]:
    """Processes that have the logs; they end with the block, however it ends."""
    before = set(multiprocessing.active_children())
    share = processors() // (workers or processors())
    pool = ProcessPoolExecutor(
        workers or processors(),
        multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(logs, share),
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()


_logs: list[Any] = []
"""In a worker process: the logs that it was started with."""


def _begin(logs: Sequence[Any], share: int) -> None:
    """Set up a process with its share of the processors; the parent handles Ctrl-C, and ends it on exit."""
    give_processors(share)
    _logs.extend(logs)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        until_ready([parent.sentinel])
        os._exit(1)


def _run(job: FitJob[Any], kept: Path | None) -> JobResult:
    return run(job, _logs, kept)


Place = Callable[
    [Sequence[FitJob[Any]], Sequence[Any], Mapping[str, Path]],
    Iterator[tuple[str, JobResult]],
]
"""Maps fits, logs, and a local file per fit (by name) for the progress of its search to the results,
yielded by name as they finish."""

ACCEPTED = "local, local:2, or the address of a scheduler, such as tls://host:8786"
PATIENCE = 20.0
"""[s] For a scheduler to answer."""


def here(
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
    kept: Mapping[str, Path],
    report: Callable[[str, Progress], None] | None = None,
) -> Iterator[tuple[str, JobResult]]:
    """One after the other in this process; `report` is called with a fit's name and how it goes."""
    for job in jobs:
        told = None if report is None else partial(report, job.name)
        yield job.name, run(job, logs, kept.get(job.name), told)


def cluster(where: str) -> Place:
    """A place on `where`: "local", "local:N" processes, or the address of a Dask scheduler.

    Local processes open no port. Anyone who can connect to a scheduler can run programs on its workers, and
    a scheduler can on its clients. So an address must require certificates, which Dask's own configuration
    names.

    Raises:
        PliantError: `where` cannot be read, or is open to everyone; `distributed` is not installed.
            When it is used: the scheduler cannot be reached, or all workers die.
    """
    workers = re.fullmatch(r"local(?::(\d{1,9}))?", where)
    if workers:
        if workers[1] and not 1 <= int(workers[1]) <= 1024:
            raise PliantError(
                "out of range", field="--processes", found=where, accepted="1 to 1024"
            )
        return partial(local_processes, int(workers[1]) if workers[1] else None)
    if re.fullmatch(r"(tcp|ucx|ws)://\S+", where):
        raise PliantError(
            "whoever can reach such a scheduler can run programs as you",
            field="--processes",
            found=where,
            accepted="tls://host:8786, with certificates, or local:2",
        )
    if not re.fullmatch(r"(tls|wss)://\S+", where):
        raise PliantError("cannot be read", field="--processes", found=where, accepted=ACCEPTED)
    with located(field="--processes"):
        dask = extra_module("distributed", "cluster")

    def on_cluster(
        jobs: Sequence[FitJob[Any]],
        logs: Sequence[Any],
        kept: Mapping[str, Path],
    ) -> Iterator[tuple[str, JobResult]]:
        # The files of `kept` are those of this machine.
        _check_certificate(dask)
        with _client(dask, where) as client:
            yield from _on(dask, client, jobs, logs)

    return on_cluster


def _check_certificate(dask: Any) -> None:
    names = dask.Security()  # of Dask's configuration
    if not (names.tls_ca_file and names.tls_client_cert):
        variables = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT and ..__CLIENT__KEY"
        raise PliantError(
            "no certificate to be known by", field="--processes", accepted=f"files in {variables}"
        )


def _client(dask: Any, address: str) -> Any:
    try:
        return dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        reason = str(error).partition("\n")[0]
        raise PliantError(
            "no scheduler answers",
            field="--processes",
            found=f"{address}: {reason}",
            accepted=ACCEPTED,
        ) from None


def _on_worker(job: FitJob[Any], logs: Sequence[Any]) -> JobResult:
    """On a worker of Dask, with the threads that it was given."""
    give_processors(extra_module("distributed", "cluster").get_worker().state.nthreads)
    return run(job, logs)


def _on(
    dask: Any,
    client: Any,
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
) -> Iterator[tuple[str, JobResult]]:
    """All fits at once: the scheduler sees to the rest."""
    # A task, not scattered data: if its worker is lost, it is made again.
    recordings = client.submit(tuple, list(logs), pure=False)
    futures = {job.name: client.submit(_on_worker, job, recordings, pure=False) for job in jobs}
    names = {future.key: name for name, future in futures.items()}
    arriving = dask.as_completed([*futures.values()], loop=client.loop, with_results=True)
    futures.clear()
    try:
        for future, finished in arriving:
            name = names[future.key]
            future.release()  # its result is here; Dask keeps it for tasks that still need it
            del future
            yield name, finished
    except (dask.KilledWorker, dask.client.FutureCancelledError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise PliantError(
            "the cluster lost its workers; with a checkpoint, the same command resumes",
            field="--processes",
            found=reason,
        ) from None
