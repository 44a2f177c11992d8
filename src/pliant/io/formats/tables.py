"""Columns of Parquet files, as arrays; only what is asked for is read."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.files import check_fetched, check_regular
from pliant.io.formats.reading import check_size

EXTRA = "parquet"
Number = TypeVar("Number", np.int64, np.float64)


class ParquetFile:
    """One Parquet file, opened and its schema known; nothing of its content is read yet.

    Args:
        path: of the file.

    Attributes:
        names: of its columns. rows: number of rows.

    Raises:
        PliantError: it is no Parquet file, is cut off, or pyarrow is not installed.
    """

    def __init__(self, path: Path) -> None:
        self._parquet, self._arrow = (
            extra_module(n, EXTRA) for n in ("pyarrow.parquet", "pyarrow")
        )
        self.path = path
        with located(path):
            check_regular(path)
            check_fetched(path)
            try:
                with self._opened() as file:
                    self.names: list[str] = list(file.schema_arrow.names)
                    self.rows: int = file.metadata.num_rows
            except PermissionError:
                raise PliantError("cannot be read", found="Permission denied") from None
            except (self._arrow.ArrowException, OSError, UnicodeError) as error:
                raise PliantError(f"is not a Parquet file: {first_line(error)}") from None

    @contextmanager
    def _opened(self) -> Generator[Any]:
        # Not mapped: a file that somebody cuts off meanwhile would end the process.
        with self._arrow.OSFile(str(self.path)) as source:
            yield self._parquet.ParquetFile(source)

    def columns(self, names: Sequence[str]) -> dict[str, Floats]:
        """Name to (N,) or (N, n) numbers; NaN where one is missing.

        Raises:
            PliantError: a column is missing, is cut off, or has rows of no numbers or of different
                lengths.
        """
        with located(self.path):
            for name in names:
                if name not in self.names:
                    raise PliantError("is missing", field=name, accepted=self.names)
            try:
                with self._opened() as file:
                    check_size(_values(file, names))
                    # One after the other: the table of all would stand in memory beside the arrays.
                    found = {name: self._array(file, name) for name in names}
                self._arrow.default_memory_pool().release_unused()
                return found
            except PliantError:
                raise
            except (self._arrow.ArrowException, OSError, MemoryError, UnicodeError) as error:
                raise PliantError(f"cannot be read: {first_line(error)}") from None

    def _array(self, file: Any, name: str) -> Floats:
        column = file.read(columns=[name], use_threads=False).column(name)
        if len(column) != self.rows:
            raise PliantError(
                "is cut off", field=name, found=len(column), accepted=f"{self.rows} rows"
            )
        types = self._arrow.types
        if types.is_timestamp(column.type):
            size = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[column.type.unit]
            whole = _joined(column.cast(self._arrow.int64()).chunks, np.int64)
            return (whole - whole[:1].sum()).astype(np.float64) * size
        listed = types.is_list(column.type) or types.is_fixed_size_list(column.type)
        element = column.type.value_type if listed else column.type
        if not (
            types.is_floating(element) or types.is_integer(element) or types.is_boolean(element)
        ):
            raise PliantError(
                "has no numbers", field=name, found=str(column.type), accepted="numbers"
            )
        if not listed:
            return self._floats(column.chunks)
        if column.null_count:
            raise PliantError("is missing in some rows", field=name, found=column.null_count)
        flat = self._floats([chunk.flatten() for chunk in column.chunks])
        width = len(flat) // max(len(column), 1)
        lengths = [self._arrow.compute.list_value_length(chunk) for chunk in column.chunks]
        if (_joined(lengths, np.int64) != width).any():
            raise PliantError("has rows of different lengths", field=name)
        return flat.reshape(len(column), width)

    def _floats(self, chunks: Sequence[Any]) -> Floats:
        """(N,) numbers of parts; NaN where one is missing."""
        parts = (chunk.cast(self._arrow.float64()) for chunk in chunks)
        return _joined([x.fill_null(np.nan) if x.null_count else x for x in parts], np.float64)


def _values(file: Any, names: Sequence[str]) -> int:
    """The numbers in these columns, as the file's footer tells."""
    stems = {name.partition(".")[0] for name in names}
    groups = (file.metadata.row_group(g) for g in range(file.metadata.num_row_groups))
    columns = (group.column(c) for group in groups for c in range(group.num_columns))
    return sum(int(c.num_values) for c in columns if c.path_in_schema.partition(".")[0] in stems)


def _joined(chunks: Sequence[Any], kind: type[Number]) -> NDArray[Number]:
    """(N,) numbers of arrays without gaps."""
    # Not `to_numpy`: it imports pandas, as `fill_null` does.
    parts = [np.asarray(np.from_dlpack(chunk), kind) for chunk in chunks]
    return np.concatenate(parts) if parts else np.empty(0, kind)


def first_line(error: BaseException) -> str:
    """The first line of another library's message, of bounded length and without a final stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(". ")
