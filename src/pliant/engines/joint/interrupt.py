"""Compiled loops that Ctrl-C can stop.

Python handles an interrupt only between its own instructions, and a compiled loop can take minutes.
So a long loop runs on threads while the main thread waits, and checks at each sample whether to stop.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cache
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread

import numpy as np
from numpy.typing import NDArray

Stop = NDArray[np.int64]
"""(1,) Not 0: the loop must return at the next sample, finished or not."""
Loop = Callable[[Stop], int]

SOON = 2e6
"""Steps short enough to need no Ctrl-C: some tenths of a second."""
AWAKE = 0.1
"""[s] Longest sleep of the main thread while loops run."""


def finished(loops: Sequence[Loop], steps: float) -> list[int]:
    """Run the loops, each on a thread of its own where there are several or long ones.

    Args:
        loops: each takes the flag that stops it. steps: about how many all of them take.

    Raises:
        KeyboardInterrupt: all loops were told to stop; their output is invalid.
    """
    stop: Stop = np.zeros(1, np.int64)
    heard = current_thread() is main_thread()  # another thread is never interrupted
    if len(loops) == 1 and (steps < SOON or not heard):
        return [loops[0](stop)]
    work = _threads(len(loops))
    running = [Future[int]() for _ in loops]
    try:
        for one, loop in zip(running, loops, strict=True):
            work.put((one, loop, stop))
        for one in running:
            # Python loses a Ctrl-C that comes while it goes to sleep: it must wake to hear it.
            while not one.done():
                wait([one], AWAKE)
        return [one.result() for one in running]
    except BaseException:
        stop[0] = 1
        wait([one for one in running if not one.cancel()])
        raise


Work = SimpleQueue[tuple[Future[int], Loop, Stop]]


@cache
def _threads(count: int) -> Work:
    """Queue of what `count` threads do. They stay: to begin and to end them took a third of a search.

    No `ThreadPoolExecutor`: where Ctrl-C comes while one starts a thread, it forgets the thread, and
    Python waits for it at its end, for ever.
    """
    work: Work = SimpleQueue()
    for _ in range(count):
        Thread(target=_do, args=(work,), name="pliant", daemon=True).start()
    return work


def _do(work: Work) -> None:
    while True:
        one, loop, stop = work.get()
        if not one.set_running_or_notify_cancel():
            continue
        try:
            one.set_result(loop(stop))
        except BaseException as error:  # noqa: BLE001 - raised again where its result is asked for
            one.set_exception(error)
        del one, loop, stop  # else a thread that waits keeps what the last one held


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a child has none of the threads
