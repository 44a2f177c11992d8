"""Outputs that one process has for itself, from the check before the work to the end of a command.

The lock is the system's, on a hidden file beside the output: a process that was killed holds none,
and the next one that writes into that folder removes the file.
"""

import contextlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pliant.errors import PliantError

_SUFFIX = ".lock"
_held: dict[Path, int] = {}
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
            _release()


def hold(path: Path) -> None:
    """Take `path` for this process, while outputs are held.

    Raises:
        PliantError: another process has it.
    """
    if not _wanted or os.name != "posix":
        return
    # Not `resolve`, which raises of links that lead to themselves.
    lock = Path(os.path.realpath(path)).with_name(f".{path.name}{_SUFFIX}")
    _clear(lock.parent)
    if lock in _held:
        return
    for _ in range(100):
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError:
            return  # the check before, or the write, says what is wrong with the place
        try:
            taken = _take(handle)
        except OSError:
            os.close(handle)
            return  # a disk without locks
        if not taken:
            who = os.read(handle, 20).decode("ascii", "replace").strip()
            os.close(handle)
            raise PliantError(
                "is being written by another process",
                file=path,
                found=f"process {who}" if who else None,
                accepted="another name, or the same when that one has ended",
            )
        if _is_at(handle, lock):
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
            _held[lock] = handle
            return
        os.close(handle)  # its last holder removed it in between


def _take(handle: int) -> bool:
    """Lock an open file, unless another process has."""
    import fcntl

    try:
        # Not flock: a child of a killed process would go on holding that.
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _clear(folder: Path) -> None:
    """Remove the locks in `folder` that no process holds: theirs was killed."""
    for lock in folder.glob(f".*{_SUFFIX}"):
        # Closing a file gives up this process's own locks on it.
        if lock in _held or lock.is_symlink() or not lock.is_file():
            continue
        with contextlib.suppress(OSError):
            handle = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                ours = os.read(handle, 20).isdigit()
                if ours and _take(handle) and _is_at(handle, lock):
                    lock.unlink()
            finally:
                os.close(handle)


def _is_at(handle: int, lock: Path) -> bool:
    try:
        there = lock.stat()
    except OSError:
        return False
    own = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def _release() -> None:
    for lock, handle in _held.items():
        lock.unlink(missing_ok=True)
        os.close(handle)
    _held.clear()
