"""Long CSV of numbers: read without its text in memory, with one message for each fault."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_rows, sizes
from pliant.errors import PliantError
from pliant.files import MIB, check_regular
from pliant.io.formats.reading import check_size

LARGEST = 1024 * MIB
"""[bytes] An hour of 12 joints at 500 Hz, goals and positions, has as much."""
HEAD = MIB
"""[bytes] In which the header ends."""
_FAULT = re.compile(r"(?P<problem>.+?) at row (?P<row>\d+)(?:, column (?P<column>\d+))?\.?$")


def long_columns(
    path: Path, quantities: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Floats], str]:
    """Name to (N,) numbers in SI units, and the file's SHA-256.

    Args:
        path: of the file; lines without content are skipped, numbers have no decimal comma.
        quantities: as of `csv_columns`.

    Raises:
        PliantError: it is no regular file, too large, no CSV; a row is too long or too short, or a cell is no number.
    """
    check_regular(path)
    if (size := path.stat().st_size) > LARGEST:
        accepted = f"at most {LARGEST / MIB:g} MiB; several runs as several files, or as Parquet"
        raise PliantError("is too large", found=f"{size / MIB:.0f} MiB", accepted=accepted)
    digest, lines, start = _passed(path)
    head = csv_rows(_first_line(start), least=0)
    parts = sizes(head.head, quantities)
    check_size(lines * len(parts))
    table = _table(path, head.separator, head.head)
    if table.shape[1] != len(parts):
        raise PliantError(
            "wrong number of values in the row",
            field="line 2",
            found=table.shape[1],
            accepted=f"{len(parts)} values",
        )
    return {name: table[:, k] * unit for k, (name, unit) in enumerate(parts)}, digest


def _passed(path: Path) -> tuple[str, int, bytes]:
    """SHA-256, number of lines and beginning of a file, in one pass."""
    sha, lines, start = hashlib.sha256(), 0, b""
    with path.open("rb") as file:
        while piece := file.read(HEAD):
            start = start or piece
            sha.update(piece)
            lines += piece.count(b"\n")
    return sha.hexdigest(), lines, start


def _first_line(start: bytes) -> str:
    """The header, from the beginning of the file.

    Raises:
        PliantError: it is not UTF-8, or too long.
    """
    line, end, _ = start.partition(b"\n")
    if not end:
        raise PliantError("has no header line", accepted="one within 1 MiB")
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PliantError("is not UTF-8 text", field=f"byte {error.start}") from None


def _table(path: Path, separator: str, names: Sequence[str]) -> Floats:
    """(N, C) numbers below the header; a fault is told by its row, the first below the header being 1."""
    try:
        return np.loadtxt(
            path,
            delimiter=separator,
            comments=None,
            skiprows=1,
            ndmin=2,
            quotechar='"',
            encoding="utf-8",
        )
    except UnicodeDecodeError as error:
        raise PliantError("is not UTF-8 text", field=f"byte {error.start}") from None
    except MemoryError:
        raise PliantError("is too large for the memory of this machine") from None
    except ValueError as error:
        found = _FAULT.match(str(error))
        if found is None:
            raise PliantError(f"is not CSV: {str(error)[:200]}") from None
        column = found["column"]
        # NumPy counts rows from 0 where a cell is wrong, from 1 where their number is.
        row = int(found["row"]) + (column is not None)
        name = "" if column is None else f", {names[int(column) - 1]}"
        raise PliantError(found["problem"][:200], field=f"row {row}{name}") from None
