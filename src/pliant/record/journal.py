"""File of a recording in progress: complete and readable after every sample.

A sample is one write to the file, after which it is a complete JSON log of one joint (`read_log`) or a
complete CSV of a robot (`read_robot_logs`).
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pliant.errors import PliantError

_END = b"\n]}\n"


class Journal:
    """A file that grows by samples.

    Args:
        path: of the file; it must not exist.

    Attributes:
        end: what stands behind the last sample.

    Raises:
        PliantError: it exists, or cannot be written.
    """

    end = b""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count: int = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            raise PliantError("exists already", file=path, accepted="another name") from None
        except OSError as error:
            raise PliantError("cannot be written", file=path, found=error.strerror) from None
        self._whole = 0

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        os.close(self._file)

    def place(self) -> tuple[int, int]:
        """The samples so far and their end in bytes, for `back_to`."""
        return self.count, self._whole

    def back_to(self, place: tuple[int, int]) -> None:
        """Take back the samples since a place: they are not what they say."""
        self.count, self._whole = place
        os.ftruncate(self._file, self._whole - len(self.end))
        os.pwrite(self._file, self.end, self._whole - len(self.end))

    def _put(self, data: bytes, keep: int) -> None:
        """Write `data` where the last piece that stays ends; of a part that fits nothing stays.

        Raises:
            PliantError: the disk is full, or gone.
        """
        end = os.fstat(self._file).st_size
        last = b"" if keep == end else _END
        try:
            written = os.pwrite(self._file, data, keep)
            if written < len(data):
                raise OSError(28, "No space left on device")
        except OSError as error:
            os.ftruncate(self._file, keep)
            if last:
                os.pwrite(self._file, last, keep)
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
        super().__init__(path)
        head = json.dumps({**header, "entries": []}, indent=1).rstrip("}\n ").removesuffix("[]")
        self._put((head + "[").encode() + _END, 0)

    def append(self, entry: Mapping[str, float | bool | None]) -> None:
        """Add one sample.

        Raises:
            PliantError: the disk is full.
        """
        comma = b"," if self.count else b""
        said = json.dumps({name: x for name, x in entry.items() if x is not None})
        self._put(comma + b"\n" + said.encode() + _END, self._whole - len(_END))
        self.count += 1


class RobotJournal(Journal):
    """CSV of several joints, as `read_robot_logs` takes it.

    Args:
        path: of the file. columns: their names.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        super().__init__(path)
        self._put((",".join(columns) + "\n").encode(), 0)

    def append(self, row: Sequence[float]) -> None:
        """Add one sample.

        Raises:
            PliantError: the disk is full.
        """
        self._put((",".join(f"{value:.9g}" for value in row) + "\n").encode(), self._whole)
        self.count += 1
