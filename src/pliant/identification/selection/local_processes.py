"""Whole fits in processes of this machine, which talk through pipes that only they hold.

There is no server: a scheduler that listens, on the loopback too, takes programs from every user of
the machine. A process that dies takes its fit with it; the fit is begun anew, at what its search kept.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as until_ready
from pathlib import Path
from typing import Any

from pliant.errors import PliantError
from pliant.identification.selection.fit_job import FitJob, JobResult, run
from pliant.processes import give_processors, processors

DEATHS = 3
"""So many deaths without a fit in between, and the processes are given up."""


def local_processes(
    workers: int | None,
    jobs: Sequence[FitJob[Any]],
    logs: Sequence[Any],
    known: Mapping[str, JobResult],
    kept: Mapping[str, Path],
) -> Generator[tuple[str, JobResult]]:
    """Each fit once those that it needs are done, in `workers` processes; None: one per processor.

    Raises:
        PliantError: of a fit; or the processes die, one after the other.
    """
    done, deaths = dict(known), 0
    while any(job.name not in done for job in jobs):
        try:
            with _pool(workers, logs) as pool:
                for name, result in _finished(pool, jobs, done, kept):
                    deaths = 0
                    yield name, result
        except BrokenProcessPool:
            deaths += 1
            if deaths >= DEATHS:
                raise PliantError(
                    "the processes of the fits die; with a checkpoint, the same command continues",
                    field="--processes",
                    found=f"{deaths} in a row",
                    accepted="fewer of them, where memory is short",
                ) from None


def _finished(
    pool: ProcessPoolExecutor,
    jobs: Sequence[FitJob[Any]],
    done: dict[str, JobResult],
    kept: Mapping[str, Path],
) -> Generator[tuple[str, JobResult]]:
    """Fits that are not done yet, as they finish; `done` has them then."""
    left = [job for job in jobs if job.name not in done]
    running: dict[Future[JobResult], str] = {}
    while left or running:
        for job in [job for job in left if all(name in done for name in job.after)]:
            left.remove(job)
            needed = [done[name] for name in job.after]
            running[pool.submit(_run, job, needed, kept.get(job.name))] = job.name
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ready:
            name = running.pop(future)
            done[name] = future.result()
            yield name, done[name]


@contextmanager
def _pool(workers: int | None, logs: Sequence[Any]) -> Generator[ProcessPoolExecutor]:
    """Processes that know the logs; they end with the block, however it ends."""
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
"""In a process of its own: the logs that it was begun with."""


def _begin(logs: Sequence[Any], share: int) -> None:
    """In each process, with its share of the processors: Ctrl-C is its parent's, and with the parent it ends."""
    give_processors(share)
    _logs.extend(logs)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        until_ready([parent.sentinel])
        os._exit(1)


def _run(job: FitJob[Any], needed: Sequence[JobResult], kept: Path | None) -> JobResult:
    return run(job, _logs, needed, kept)
