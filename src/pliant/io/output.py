"""Output files: checked before the work, written completely or not at all, and never lost.

Each is locked by one process, from the check before the work to the end of a command. It is a system lock on a
hidden file beside the output: a killed process does not keep it, and the next one that writes into that folder
removes the file.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.errors import PliantError
from pliant.files import check_regular

if TYPE_CHECKING:
    from filelock import BaseFileLock


_PREFIX, _SUFFIX = ".pliant_", ".lock"
SWEEP = 0.5
"""[s] Time for which a process that clears the folder may hold a lock that is about to be taken."""
_held: "dict[Path, BaseFileLock]" = {}
_wanted = False


@contextmanager
def outputs_held() -> Generator[None]:
    """While open, every output that is checked stays locked; afterwards none is."""
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
    """Lock `path` for this process, while outputs are locked.

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
        _held[file] = _taken(file, SWEEP)
    except Timeout:
        raise PliantError(
            "is being written by another process",
            file=path,
            accepted="another name, or the same one when that process has ended",
        ) from None
    except OSError:
        return  # a disk without locks; or the check before, or the write, says what is wrong


def _taken(file: Path, timeout: float = 0.0) -> "BaseFileLock":
    from filelock import FileLock

    lock = FileLock(file, timeout=timeout)
    lock.acquire()
    return lock


def _give_back(file: Path, lock: "BaseFileLock") -> None:
    # Before the lock is given back, else the file of the next holder would go. Windows keeps what is open,
    # and removes it itself.
    with suppress(OSError):
        file.unlink()
    lock.release()


def check_output(path: Path, *, overwrite: bool = False) -> None:
    """Refuse a path that cannot be written, before any work is done.

    Raises:
        PliantError: the file exists and may not be replaced, another process is writing it, the
            folder cannot be written, or the disk is full.
    """
    try:
        _check_name(path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".pliant_") as probe:
            probe.write(b"\0" * 65536)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise PliantError(
            "cannot be written",
            file=path.parent,
            found=error.strerror,
            accepted="a folder that this user may write, with space left",
        ) from None
    hold(path)


def prepare_place(path: Path, *, overwrite: bool = False) -> None:
    """Create the folder of a file about to be written, and refuse to replace a file without permission."""
    try:
        _check_name(path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PliantError("cannot be written", file=path, found=error.strerror) from None


def _check_name(path: Path, overwrite: bool) -> None:
    with suppress(FileNotFoundError, NotADirectoryError, ValueError):
        path.stat()  # raises where the name is too long; from Python 3.14 on, those below do not
    if path.is_dir():
        raise PliantError("is a folder", file=path, accepted="a file name")
    if path.exists():
        check_regular(path)  # writing would replace, and so destroy, a pipe or device
        if not overwrite:
            raise PliantError("exists already", file=path, accepted="another name, or --overwrite")


def write_whole(path: Path, text: str | bytes) -> None:
    """Write `text` to an unnamed or temporary file, then rename it to `path`: nobody sees half a file."""
    # "?" for halves of characters, out of a file's name.
    content = text.encode("utf-8", "replace") if isinstance(text, str) else text
    try:
        handle, draft = _draft(path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                if hasattr(os, "fchmod"):  # Windows has no such modes
                    os.fchmod(handle, 0o644)
                if not draft.exists():
                    os.link(f"/proc/self/fd/{handle}", draft, src_dir_fd=0)  # 0: to follow it
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PliantError("cannot be written", file=path, found=error.strerror) from None


def way_to(path: str | Path, folder: Path) -> str:
    """The path by which a text in `folder` names a file; absolute where that is on another drive of Windows."""
    try:
        way = os.path.relpath(path, folder)
    except ValueError:
        way = Path(path).absolute()
    return Path(way).as_posix()


def _draft(folder: Path) -> tuple[int, Path]:
    """A new file in `folder`, and its name, which it has only where the system wants one.

    What has no name is gone with the process, killed or not.
    """
    if hasattr(os, "O_TMPFILE"):
        with contextlib.suppress(OSError):  # not on every disk
            handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o644)
            return handle, folder / f".pliant_{os.getpid()}_{handle}_{time.monotonic_ns()}"
    handle, name = tempfile.mkstemp(dir=folder, prefix=".pliant_")
    return handle, Path(name)


def rescued(path: Path, text: str, error: PliantError) -> PliantError:
    """The error of writing `text` to `path`, after writing it to the nearest path that works."""
    for folder in (path.parent, Path.cwd(), Path.home(), Path(tempfile.gettempdir())):
        try:
            other = _unused(folder, path)
            write_whole(other, text)
        except (PliantError, OSError):
            continue
        problem = f"{error.problem}; the result is in {other}"
        return PliantError(problem, file=path, found=error.found)
    raise error


def _unused(folder: Path, path: Path) -> Path:
    names = (f"{path.stem}_rescued{k or ''}{path.suffix}" for k in range(1000))
    return next(folder / name for name in names if not (folder / name).exists())
