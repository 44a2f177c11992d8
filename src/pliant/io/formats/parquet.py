"""Parquet with the columns of a robot's CSV log."""

from pathlib import Path

import numpy as np

from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import LEAST, digest_of
from pliant.io.formats.tables import EXTRA, ParquetFile
from pliant.io.output import write_whole
from pliant.io.robot_columns import columns_of, log_of
from pliant.io.robot_log import RobotLog


def read_parquet(path: Path, reading: Reading) -> list[RobotLog]:
    """The one run in a file.

    Raises:
        PliantError: it has other columns, or numbers that no recording has.
    """
    file = ParquetFile(path)
    with located(path):
        if file.rows < LEAST:
            raise PliantError("has too few rows", found=file.rows, accepted=f"at least {LEAST}")
        values = file.columns(file.names)
        for name, column in values.items():
            if column.ndim != 1:
                raise PliantError("is a list", field=name, accepted="a number in each row")
        digest = digest_of(values.values())
        rows = np.arange(file.rows)
        return [log_of(path, values, digest, head="columns", where="row {}", rows=rows)]


def write_parquet(log: RobotLog, path: Path) -> None:
    """Write a recording as `read_parquet` reads it."""
    arrow, parquet = (extra_module(name, EXTRA) for name in ("pyarrow", "pyarrow.parquet"))
    sink = arrow.BufferOutputStream()
    parquet.write_table(arrow.table(columns_of(log)), sink, compression="zstd")
    write_whole(path, sink.getvalue().to_pybytes())
