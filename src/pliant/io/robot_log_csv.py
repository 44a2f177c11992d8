"""Recordings of a robot as CSV, one file for each run.

    time,goal_shoulder,position_shoulder,goal_elbow,position_elbow
    0.000,0.10,0.1012,-0.20,-0.2009
    …

One header line, SI units or those that stand behind a name (`position_elbow [deg]`), time
increasing. For each joint `position_<joint>` [rad, m], and for one
that an actuator drives `goal_<joint>`, in what the device takes (rad; A or N m for direct control).
If recorded: `speed_<joint>` [rad/s, m/s], `current_<joint>` [A], `enabled_<joint>` or `enabled`
(0 or 1), `supply` [V]. `current_as_recorded_<joint>` is a current of unknown scale and sign. Kept, and
used by no fit: `torque_<joint>` [N m], `duty_<joint>`, `voltage_<joint>` [V],
`temperature_<joint>` [degC].
Samples are checked as those of every recording are (`robot_logs`); nothing is repaired unless asked for.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import CsvRows, csv_columns, csv_rows, csv_text, measured, sizes, split_unit
from pliant.errors import PliantError, located
from pliant.files import MIB, as_path, check_regular, decoded, read_bytes
from pliant.io.column_map import RobotColumnMap
from pliant.io.findings import Finding
from pliant.io.formats.reading import Reading, check_size
from pliant.io.log_csv import at_positions, is_mixed, place
from pliant.io.output import write_whole
from pliant.io.robot_columns import columns_of, log_of, understood
from pliant.io.robot_log import RobotLog

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
    """The header, from the beginning of the file."""
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


LEAST = 10
"""Rows, below which there is no motion to speak of."""
LONG = 64 * MIB
"""[bytes] Above which a file is read without its text in memory."""
_QUANTITIES = {
    "time": ("time",),
    "position_": ("angle", "length"),
    "goal_": ("angle", "length", "current", "torque"),
    "speed_": ("angular speed", "speed"),
    "current_": ("current",),
    "supply": ("voltage",),
    "torque_": ("torque",),
    "voltage_": ("voltage",),
}
"""Accepted units of the columns, where their names state one."""


def read_robot_csv(path: Path | str, reading: Reading | None = None) -> RobotLog:
    """Read one recording; its samples are looked at by `read_robot_log`.

    Args:
        path: of the file. reading: its map of columns, and topics where names are paths of them.

    Raises:
        PliantError: the file cannot be read, has an unknown column, lacks one, or has rows of
            another length or a value that is no number.
    """
    path = as_path(path, "a log of a robot: *.csv")
    reading = reading or Reading()
    with located(path):
        check_regular(path)
        if (size := path.stat().st_size) > LONG and reading.columns is not None:
            accepted = f"at most {LONG / MIB:g} MiB, or names and units in its header"
            raise PliantError(
                "is too large for a map of columns",
                found=f"{size / MIB:.0f} MiB",
                accepted=accepted,
            )
        if size > LONG:
            values, digest = long_columns(path, _QUANTITIES)
            rows = np.arange(1, 1 + len(values.get("time", ())))
            return log_of(path, values, digest, head="line 1", where="row {}", rows=rows)
        raw = read_bytes(path, largest=LONG)
        known = None if reading.columns is None else RobotColumnMap.load(reading.columns)
        separator = None if known is None else known.delimiter
        table = csv_rows(decoded(raw, path), least=LEAST, separator=separator, headless=True)
        said: list[Finding] = []
        values = _mapped(table, known) if known else _named(table, reading, said)
        lines = np.array(table.lines)
        if is_mixed(values):
            values, kept, text = at_positions(values)
            lines = lines[kept]
            said.append(Finding("order", "rows", text, "note"))
        digest = hashlib.sha256(raw).hexdigest()
        log = log_of(path, values, digest, head="line 1", where="line {}", rows=lines)
        units = {ours: unit for ours, unit in _units(table, known).items() if unit is not None}
        stated = {n.partition("_")[2] for n in units if n.startswith(("position_", "goal_"))}
        return replace(log, findings=tuple(said), in_unit=frozenset(stated))


def _units(table: CsvRows, known: RobotColumnMap | None) -> dict[str, str | None]:
    """Name of a column to the unit that the map states, or the header."""
    if known is None:
        return dict(map(split_unit, table.head))
    return {
        ours: column.unit or split_unit(table.head[place(column, ours, table.head)])[1]
        for ours, column in known.columns.items()
    }


def _named(table: CsvRows, reading: Reading, said: list[Finding]) -> dict[str, Floats]:
    """The columns by their names: ours, or paths of topics."""
    if table.headless:
        raise PliantError(
            "has no header line",
            field="line 1",
            found=table.cells[0],
            accepted="names of its columns by number (--columns time=1,position_elbow=2,...), or a header",
        )
    paths = understood(table.head, reading.state, reading.command)
    if not paths:
        return csv_columns(table, _QUANTITIES, empty=True)
    rest = [name for name in table.head if name not in paths]
    if rest:
        text = f"{', '.join(rest[:10])}{', ...' if len(rest) > 10 else ''} are not read"
        said.append(Finding("missing", "line 1", text, "note"))
    return csv_columns(_only(table, paths), _QUANTITIES, empty=True)


def _mapped(table: CsvRows, known: RobotColumnMap) -> dict[str, Floats]:
    """The columns that a map names, in SI units."""
    names = {table.head[place(c, ours, table.head)]: ours for ours, c in known.columns.items()}
    found = csv_columns(_only(table, names), {}, empty=True)
    for ours, unit in _units(table, known).items():
        zero, size = known.scale(ours, unit, measured(ours, _QUANTITIES))
        found[ours] = (found[ours] - zero) * size
    return found


def _only(table: CsvRows, names: Mapping[str, str]) -> CsvRows:
    """The table with these columns, under other names."""
    places = [table.head.index(name) for name in names]
    for line, cells in zip(table.lines, table.cells, strict=True):
        if len(cells) != len(table.head):
            raise PliantError(
                "wrong number of values in the row",
                field=f"line {line}",
                found=len(cells),
                accepted=f"{len(table.head)} values",
            )
    cells = [[row[k] for k in places] for row in table.cells]
    return replace(table, head=list(names.values()), cells=cells)


def write_robot_log(log: RobotLog, path: Path) -> None:
    """Write the recording `log` as `read_robot_csv` reads it, to `path`."""
    columns = columns_of(log)
    _write(columns, path)


def write_joint_log(log: RobotLog, joint: str, path: Path) -> None:
    """Write one joint as a log for `read_log`: time, position, goal, enabled and, if recorded, velocity, voltage."""
    k = log.column(joint)
    columns: dict[str, Floats] = {"time": log.time, "position": log.position[:, k]}
    voltage = log.others.get("voltage")
    known = {
        "goal": log.goal[:, k],
        "velocity": log.speed[:, k],
        "voltage": log.supply if voltage is None else voltage[:, k],
    }
    columns |= {
        name: values
        for name, values in known.items()
        if values is not None and not np.isnan(values).any()
    }
    _write(columns | {"enabled": log.enabled[:, k].astype(np.float64)}, path)


def _write(columns: Mapping[str, Floats], path: Path) -> None:
    rows = np.column_stack(list(columns.values())).tolist()
    write_whole(path, csv_text([*columns], rows, lost="nan"))
