"""Files that are written: checked before the work, whole or not at all."""

import os
import tempfile
from pathlib import Path

from pliant.errors import PliantError


def check_output(path: Path, *, overwrite: bool = False) -> None:
    """Refuse a place that cannot be written, before any work is spent on it.

    Raises:
        PliantError: the file exists and may not be replaced, the folder cannot be written, or the
            disk is full.
    """
    try:
        if path.is_dir():
            raise PliantError("is a folder", file=path, accepted="a file name")
        if path.exists() and not overwrite:
            raise PliantError("exists already", file=path, accepted="another name, or --overwrite")
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


def write_whole(path: Path, text: str) -> None:
    """Write `text` beside `path`, then rename: a reader never sees half a file."""
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".pliant_")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(draft).chmod(0o644)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PliantError("cannot be written", file=path, found=error.strerror) from None
