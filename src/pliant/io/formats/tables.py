"""Columns of Parquet files, as arrays; only what is asked for is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.files import check_regular
from pliant.io.formats.extra import extra_module
from pliant.io.formats.reading import check_size

EXTRA = "parquet"


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
        parquet, self._arrow = (extra_module(n, EXTRA) for n in ("pyarrow.parquet", "pyarrow"))
        self.path = path
        with located(path):
            check_regular(path)
            try:
                # Not mapped: a file that somebody cuts off meanwhile would end the process.
                self._file: Any = parquet.ParquetFile(path, memory_map=False)
                self.names: list[str] = list(self._file.schema_arrow.names)
            except (self._arrow.ArrowException, OSError, UnicodeError) as error:
                raise PliantError(f"is not a Parquet file: {first_line(error)}") from None
        self.rows: int = self._file.metadata.num_rows

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
                check_size(self._values(names))
                table = self._file.read(columns=list(names), use_threads=False)
                return {name: self._array(table, name) for name in names}
            except PliantError:
                raise
            except (self._arrow.ArrowException, OSError, MemoryError, UnicodeError) as error:
                raise PliantError(f"cannot be read: {first_line(error)}") from None

    def _values(self, names: Sequence[str]) -> int:
        """The numbers in these columns, as the file's footer tells."""
        groups = self._file.metadata
        total = 0
        for g in range(groups.num_row_groups):
            group = groups.row_group(g)
            for c in range(group.num_columns):
                if group.column(c).path_in_schema.partition(".")[0] in {
                    name.partition(".")[0] for name in names
                }:
                    total += int(group.column(c).num_values)
        return total

    def _array(self, table: Any, name: str) -> Floats:
        column = table.column(name)
        types = self._arrow.types
        if types.is_timestamp(column.type):
            size = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[column.type.unit]
            whole = column.cast(self._arrow.int64()).to_numpy().astype(np.int64)
            return (whole - whole[:1].sum()) * size
        listed = types.is_list(column.type) or types.is_fixed_size_list(column.type)
        element = column.type.value_type if listed else column.type
        if not (
            types.is_floating(element) or types.is_integer(element) or types.is_boolean(element)
        ):
            raise PliantError(
                "has no numbers", field=name, found=str(column.type), accepted="numbers"
            )
        if not listed:
            return column.cast(self._arrow.float64()).to_numpy().astype(np.float64)
        if column.null_count:
            raise PliantError("is missing in some rows", field=name, found=column.null_count)
        parts = [chunk.flatten().cast(self._arrow.float64()) for chunk in column.chunks]
        flat = np.concatenate([p.to_numpy(zero_copy_only=False) for p in parts] or [np.empty(0)])
        width = len(flat) // max(len(column), 1)
        lengths = np.concatenate(
            [self._arrow.compute.list_value_length(c).to_numpy(False) for c in column.chunks]
            or [np.empty(0)]
        )
        if (lengths != width).any():
            raise PliantError("has rows of different lengths", field=name)
        return flat.reshape(len(column), width)


def first_line(error: BaseException) -> str:
    """The first line of another library's message, of bounded length and without a final stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(". ")
