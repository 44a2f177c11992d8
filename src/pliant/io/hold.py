"""Outputs that one process has for itself, from the check before the work to the end of a command.

The lock is the system's, on a hidden file beside the output: a process that was killed holds none,
and the next one that writes into that folder removes the file.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.errors import PliantError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_PREFIX, _SUFFIX = ".pliant_", ".lock"
_held: "dict[Path, BaseFileLock]" = {}
_wanted = False


@contextmanager
def outputs_held() -> Generator[None]:
    """While open, every output that is checked is held; afterwards none is."""
    global _wanted  # noqa: PLW0603 - one command a process
    before, _wanted = _wanted, True
    try:
        yield
    finally:
        _wanted = before
        if not _wanted:
            while _held:
                _give_back(*_held.popitem())


def hold(path: Path) -> None:
    """Take `path` for this process, while outputs are held.

    Raises:
        PliantError: another process has it.
    """
    if not _wanted:
        return
    from filelock import Timeout  # on use: commands that write nothing start without it

    # Not `resolve`, which raises of links that lead to themselves.
    file = Path(os.path.realpath(path)).with_name(f"{_PREFIX}{path.name}{_SUFFIX}")
    if file in _held:
        return
    for other in file.parent.glob(f"{_PREFIX}*{_SUFFIX}"):
        # Its process was killed, or else it is not taken.
        with suppress(OSError, Timeout):
            if other not in _held:
                _give_back(other, _taken(other))
    try:
        _held[file] = _taken(file)
    except Timeout:
        raise PliantError(
            "is being written by another process",
            file=path,
            accepted="another name, or the same when that one has ended",
        ) from None
    except OSError:
        return  # a disk without locks; or the check before, or the write, says what is wrong


def _taken(file: Path) -> "BaseFileLock":
    from filelock import FileLock

    lock = FileLock(file, timeout=0)
    lock.acquire()
    return lock


def _give_back(file: Path, lock: "BaseFileLock") -> None:
    # Before the lock is given back, else the file of the next holder would go. Windows keeps what is open,
    # and removes it itself.
    with suppress(OSError):
        file.unlink()
    lock.release()
