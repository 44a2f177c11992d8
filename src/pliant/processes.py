"""Processes and processors, on systems of every kind."""

import os
import subprocess
from typing import Any

APART: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Arguments of `subprocess.Popen` for a child that does not hear Ctrl-C of this one's terminal: POSIX takes
the first, Windows the second."""

_given: list[int] = []


def processors() -> int:
    """Number of processors that this process may use: those it was given, else those the system lets it have."""
    if _given:
        return _given[-1]
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def give_processors(count: int) -> None:
    """Let this process use so many, as one of several workers."""
    _given[:] = [max(count, 1)]
