"""Processors that a process may use."""

import os
import subprocess
import sys

import pytest

from pliant.processes import processors

PROGRAM = """
from pliant.processes import give_processors, processors
print(processors())
give_processors({given})
print(processors())
"""


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="the system does not bind processes"
)
def test_a_process_uses_what_it_may_and_a_worker_what_it_was_given() -> None:
    one = {next(iter(os.sched_getaffinity(0)))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(given=3)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, one),
    )
    assert done.stdout.split() == ["1", "3"]
    assert processors() == len(os.sched_getaffinity(0))
