"""Reading of files: regular ones of bounded size, as text. No other code opens files to read.

A pipe, a device or a socket could be read for ever, so it is refused at once.
"""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from pliant.errors import PliantError, check_kind, located

MIB = 2**20
LARGEST = 16 * MIB
"""[bytes] Size limit of models, and of all files without a limit of their own."""


FLAGS = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""Flags for `os.open` that this system has: Windows has only the last, all others lack it."""
OTHER_FORMS = {
    ".bag": "a rosbag2: `rosbags-convert --src {name} --dst {stem}` converts a ROS 1 bag",
    ".xacro": "a URDF: `xacro {name} > {stem}` writes one",
    ".sdf": "a URDF, or MJCF: `sdf2mjcf {name} {stem}.xml` (from sdformat-mjcf) writes it",
    ".usd": "MJCF or URDF",
    ".tsv": "the same table named {stem}.csv: separators may be tabs, semicolons or blanks",
}
"""Suffix of a file that needs one conversion step, and how to do it."""
POINTER = b"version https://git-lfs.github.com/spec/"


def as_path(path: str | Path, accepted: str) -> Path:
    """The path that a user gave."""
    check_kind(path, (str, os.PathLike), "path", accepted)
    return Path(path)


def read_bytes(path: str | Path, *, largest: int = LARGEST) -> bytes:
    """The bytes of a regular file.

    Args:
        path: of the file. largest: [bytes] larger files are refused unread.
    """
    # Checked before it is opened: merely opening a device can have an effect.
    check_regular(path)
    with _named(path):
        # Without O_NONBLOCK, a pipe put there in the meantime would wait for its writer.
        handle = os.open(path, os.O_RDONLY | FLAGS)
        with os.fdopen(handle, "rb") as file:
            _check_kind(os.fstat(handle).st_mode)
            data = file.read(largest + 1)
        if len(data) > largest:
            size = f"{largest / MIB:g} MiB" if largest >= MIB else f"{largest // 1024} KiB"
            raise PliantError("is too large", accepted=f"at most {size}")
    return data


def check_regular(path: str | Path) -> None:
    """Refuse anything but a regular file, without opening it."""
    with _named(path):
        _check_kind(Path(path).stat().st_mode)


def check_fetched(path: str | Path) -> None:
    """Refuse the pointer that Git LFS leaves in place of a data file until that is fetched."""
    with _named(path), Path(path).open("rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise PliantError(
                "is a Git LFS pointer, not the file itself",
                accepted="the file itself: `git lfs pull` fetches it",
            )


def readable_form(path: Path, accepted: str) -> str:
    """The accepted kinds of file, or how to convert a file that needs one step."""
    way = OTHER_FORMS.get(path.suffix.lower())
    stem = path.stem if path.suffix.lower() != ".xacro" or "." in path.stem else f"{path.stem}.urdf"
    return accepted if way is None else way.format(name=quote(path.name), stem=quote(stem))


def is_folder(path: str | Path) -> bool:
    """Whether a folder exists; False for an impossible file name."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def read_text(path: str | Path, *, largest: int = LARGEST) -> str:
    """The text of a regular file in UTF-8, with or without a byte order mark; see `read_bytes`."""
    return decoded(read_bytes(path, largest=largest), path)


def decoded(data: bytes, path: str | Path) -> str:
    """The text of a file's bytes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PliantError("is not UTF-8 text", file=path, field=f"byte {error.start}") from None


@contextmanager
def _named(path: str | Path) -> Generator[None]:
    """Add the file to every error in the block; errors of the system become a `PliantError`."""
    with located(path):
        try:
            yield
        except PliantError:
            raise
        except FileNotFoundError:
            raise PliantError("does not exist") from None
        except OSError as error:
            raise PliantError("cannot be read", found=error.strerror) from None
        except ValueError:  # a NUL, or a lone surrogate
            raise PliantError("is not a file name") from None


def _check_kind(mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise PliantError(f"is {kind}", accepted="a regular file")
