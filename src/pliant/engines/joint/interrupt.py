"""Compiled loops that Ctrl-C ends.

Python hears an interrupt only between its own instructions, and a compiled loop can take minutes.
So a long one runs on threads while the main thread waits, and looks at each sample whether it is to
stop.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import current_thread, main_thread

import numpy as np
from numpy.typing import NDArray

Stop = NDArray[np.int64]
"""(1,) Not 0: the loop is to return at the next sample, whatever it has done."""

SOON = 2e6
"""Steps that are over before anyone misses Ctrl-C: some tenths of a second."""
AWAKE = 0.1
"""[s] Longest sleep of the main thread while loops run."""


def finished(loops: Sequence[Callable[[Stop], int]], steps: float) -> list[int]:
    """Run the loops, each on a thread of its own where there are several or long ones.

    Args:
        loops: each takes the flag that stops it. steps: about how many all of them take.

    Raises:
        KeyboardInterrupt: all loops have been told to stop; what they wrote is of no use.
    """
    stop: Stop = np.zeros(1, np.int64)
    heard = current_thread() is main_thread()  # another thread is never interrupted
    if len(loops) == 1 and (steps < SOON or not heard):
        return [loops[0](stop)]
    running = [_pool(len(loops)).submit(loop, stop) for loop in loops]
    try:
        for one in running:
            # Python loses a Ctrl-C that comes while it goes to sleep: it must wake to hear it.
            while not one.done():
                wait([one], AWAKE)
        return [one.result() for one in running]
    except BaseException:
        stop[0] = 1
        wait(running)
        raise


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that stay: to begin and to end them took a third of the time of a search."""
    return ThreadPoolExecutor(threads, "pliant")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of the threads
