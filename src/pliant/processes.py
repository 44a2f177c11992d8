"""Processes and processors, on all operating systems."""

import os
import subprocess
from typing import Any

APART: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Arguments of `subprocess.Popen` for a child that does not receive Ctrl-C from this terminal: the first is for
POSIX, the second for Windows."""

_given: list[int] = []


def processors() -> int:
    """Number of processors that this process may use: as set for it, else as allowed by the system."""
    if _given:
        return _given[-1]
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def give_processors(count: int) -> None:
    """Limit this process, one of several workers, to `count` processors."""
    _given[:] = [max(count, 1)]
