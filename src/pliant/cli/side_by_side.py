"""Work done in several processes at once; results in the order in which they were asked for."""

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from pliant.errors import PliantWarning

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], given: Sequence[T], processes: int) -> Generator[R]:
    """`work` of each of `given`; with one process, or one of them, in this one.

    An error, or that the reader stops, ends all that still runs.
    """
    if min(processes, len(given)) < 2:
        yield from map(work, given)
        return
    pool = ProcessPoolExecutor(
        min(processes, len(given)), multiprocessing.get_context("spawn"), _begin
    )
    try:
        with _deaf():
            results: Iterable[R] = pool.map(work, given)
        yield from results
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()


@contextmanager
def _deaf() -> Generator[None]:
    """Children begun here never hear Ctrl-C: this process hears it for them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """In a child: as quiet as the command, and gone when that is."""
    warnings.simplefilter("ignore", PliantWarning)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
