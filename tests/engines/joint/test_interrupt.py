"""Ctrl-C ends a compiled loop, and nothing of it is taken for a result."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import pliant
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.engines.joint.interrupt import SOON, Stop, finished
from pliant.io.log import example_logs, read_log


@pytest.mark.parametrize("count", [1, 2])
def test_every_loop_is_told_to_stop(count: int) -> None:
    begun = threading.Semaphore(0)
    ended = threading.Semaphore(0)

    def loop(stop: Stop) -> int:
        begun.release()
        while not stop[0]:
            threading.Event().wait(0.001)
        ended.release()
        return 0

    def interrupt() -> None:
        for _ in range(count):
            begun.acquire()
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    presser = threading.Thread(target=interrupt)
    presser.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            finished([loop] * count, 2.0 * SOON)
    finally:
        signal.signal(signal.SIGINT, before)
    presser.join()
    assert all(ended.acquire(timeout=60.0) for _ in range(count))


STARTING = """
import threading
from pliant.engines.joint.interrupt import finished

start = threading.Thread.start

def interrupted(thread):
    start(thread)
    threading.Thread.start = start
    raise KeyboardInterrupt

def loop(stop):
    while not stop[0]:
        threading.Event().wait(0.001)
    return 0

threading.Thread.start = interrupted
try:
    finished([loop] * 2, 1.0)
except KeyboardInterrupt:
    print(finished([lambda _: 1, lambda _: 2], 1.0))
"""


def test_ctrl_c_while_threads_start_leaves_a_process_that_works_and_ends() -> None:
    run = [sys.executable, "-c", STARTING]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[1, 2]\n"


def test_a_loop_that_is_told_to_stop_takes_no_step() -> None:
    engine = JointEngine(pliant.load_actuator("xl330_bam_m6"))
    logs = LogBatch([read_log(example_logs()[0])], engine)
    out = np.full((1, len(logs.time)), np.nan)
    values = engine.values()
    taken = engine.loop("batch")(
        *(*logs.samples, logs.starts, logs.first),
        *(values[None], logs.columns, logs.settings, np.array([[0, 1, 0]])),
        *(1e-3, True, False, np.ones(1, np.int64), values.copy(), out),
    )
    assert taken == 0
    assert np.isfinite(out).sum() == 1
