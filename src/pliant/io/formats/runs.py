"""A robot's recording put together from its arrays, whatever format it came in; Parquet, with a CSV log's columns."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.io.findings import Finding
from pliant.io.formats.reading import Reading
from pliant.io.formats.tables import EXTRA, ParquetFile
from pliant.io.output import write_whole
from pliant.io.robot_columns import columns_of, log_of
from pliant.io.robot_log import OTHERS, RobotLog

LEAST = 10
"""Samples, below which there is no motion to speak of."""


# A run is put together from its channels; each is an argument of its own name.
def run(
    name: str,
    path: Path,
    joints: Sequence[str],
    time: Floats,
    position: Floats,
    *,
    goal: Floats | None = None,
    channels: Mapping[str, Floats] | None = None,
    supply: Floats | None = None,
    findings: Sequence[Finding] = (),
) -> RobotLog:
    """A recording from its arrays; its samples are checked once its units are known (`robot_logs`).

    Args:
        name: of the run. path: of its file. joints: (J,) names. time: (N,) [s].
        position, goal: (N, J). channels: "speed", "current", "enabled" and keys of `OTHERS`, (N, J)
            each. supply: (N,) [V]. findings: about it so far.

    Raises:
        PliantError: too few samples, or two joints of one name.
    """
    known = dict(channels or {})
    nothing = np.full(position.shape, np.nan)
    enabled = known.get("enabled")
    if len(set(joints)) < len(joints):
        twice = next(name for name in joints if list(joints).count(name) > 1)
        raise PliantError("two joints have the same name", field="joints", found=twice)
    if len(time) < LEAST:
        raise PliantError("has too few samples", found=len(time), accepted=f"at least {LEAST}")
    speed = known.get("speed", nothing)
    told = nothing if goal is None else goal
    return RobotLog(
        name,
        tuple(joints),
        time - time[np.isfinite(time)][0] if np.isfinite(time).any() else time,
        position,
        told,
        speed,
        np.ones(position.shape, bool) if enabled is None else enabled > 0.5,
        supply,
        known.get("current"),
        path,
        digest_of([time, position, told, speed]),
        {kind: known[kind] for kind in OTHERS if kind in known},
        tuple(findings),
    )


def digest_of(arrays: Iterable[Floats]) -> str:
    """SHA-256 of numbers: a data set is many files, of which a log is a part."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def read_parquet(path: Path, reading: Reading) -> list[RobotLog]:
    """The one run in a file."""
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
