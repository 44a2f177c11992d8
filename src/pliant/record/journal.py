"""File of a recording in progress: complete and readable after every sample.

A sample is one write to the file, after which it is a complete JSON log of one joint (`read_log`) or a
complete CSV of a robot (`read_robot_logs`). A recording without a sample leaves no file.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pliant.errors import PliantError
from pliant.files import FLAGS
from pliant.io.log_file import REGISTERS
from pliant.io.output import write_whole

_END = b"\n]}\n"


class Journal:
    """A file that grows by samples, from `begin` on.

    Args:
        path: of the file; it must not exist. head: what stands in it before the first sample.
        beside: text of another file that belongs to it, by path; they come and go together.

    Attributes:
        end: what stands behind the last sample.

    Raises:
        PliantError: one of the files exists.
    """

    end = b""

    def __init__(self, path: Path, head: bytes, beside: Mapping[Path, str] | None = None) -> None:
        self.path = path
        self.count: int = 0
        self._head, self._beside = head, dict(beside or {})
        self._file: int | None = None
        self._whole = 0
        for one in (path, *self._beside):
            if os.path.lexists(one):
                raise _exists(one)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def begin(self) -> None:
        """Create the file, once; the first sample does it too."""
        if self._file is not None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | FLAGS, 0o644)
        except FileExistsError:
            raise _exists(self.path) from None
        except OSError as error:
            raise PliantError("cannot be written", file=self.path, found=error.strerror) from None
        self._put(self._head + self.end, 0)
        for path, text in self._beside.items():
            write_whole(path, text)

    def __exit__(self, *_: object) -> None:
        """Close the file; one without a sample goes, with what is beside it."""
        if self._file is None:
            return
        os.close(self._file)
        self._file = None
        if not self.count:
            for path in (self.path, *self._beside):
                path.unlink(missing_ok=True)

    def place(self) -> tuple[int, int]:
        """The samples so far and their end in bytes, for `back_to`."""
        return self.count, self._whole

    def back_to(self, place: tuple[int, int]) -> None:
        """Remove the samples after a position, because they are not valid."""
        assert self._file is not None
        self.count, self._whole = place
        os.ftruncate(self._file, self._whole - len(self.end))
        _write_at(self._file, self.end, self._whole - len(self.end))

    def _add(self, sample: bytes) -> None:
        """Write one sample, and what stands behind the last one."""
        self.begin()
        self._put(sample + self.end, self._whole - len(self.end))
        self.count += 1

    def _put(self, data: bytes, keep: int) -> None:
        """Write `data` after the last complete piece; a partly written piece is removed."""
        assert self._file is not None
        end = os.fstat(self._file).st_size
        last = b"" if keep == end else _END
        try:
            written = _write_at(self._file, data, keep)
            if written < len(data):
                raise OSError(28, "No space left on device")
        except OSError as error:
            os.ftruncate(self._file, keep)
            if last:
                _write_at(self._file, last, keep)
            problem = f"cannot be written further; {self.count} samples are in it"
            raise PliantError(problem, file=self.path, found=error.strerror) from None
        self._whole = keep + len(data)


class JointJournal(Journal):
    """JSON log of one joint on a pendulum, as `read_log` takes it.

    Args:
        path: of the file. header: constants: motor, mass, length, kp, vin and what else is known.
    """

    end = _END

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        head = json.dumps({**header, "entries": []}, indent=1).rstrip("}\n ").removesuffix("[]")
        super().__init__(path, (head + "[").encode())

    def append(self, entry: Mapping[str, float | bool | None]) -> None:
        """Add one sample."""
        comma = b"," if self.count else b""
        said = json.dumps({name: x for name, x in entry.items() if x is not None})
        self._add(comma + b"\n" + said.encode())


class RobotJournal(Journal):
    """CSV of several joints, as `read_robot_logs` takes it.

    Args:
        path: of the file. columns: their names. registers: text of the file of registers beside it.
    """

    def __init__(self, path: Path, columns: Sequence[str], registers: str | None = None) -> None:
        beside = {} if registers is None else {path.with_suffix(REGISTERS): registers}
        super().__init__(path, (",".join(columns) + "\n").encode(), beside)

    def append(self, row: Sequence[float]) -> None:
        """Add one sample."""
        self._add((",".join(f"{value:.9g}" for value in row) + "\n").encode())


def _write_at(file: int, data: bytes, place: int) -> int:
    """`os.pwrite`, which Windows lacks; the bytes that were written."""
    os.lseek(file, place, os.SEEK_SET)
    return os.write(file, data)


def _exists(path: Path) -> PliantError:
    return PliantError("exists already", file=path, accepted="another name")
