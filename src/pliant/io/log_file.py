"""Reading of a log file of any format: from its bytes to checked channels."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pliant.errors import PliantError, check_kind, located
from pliant.files import MIB, check_regular, decoded, is_folder, read_bytes, readable_form
from pliant.io.column_map import ColumnMap
from pliant.io.completeness import Given, completed, missing_constants, with_given
from pliant.io.faults import examine
from pliant.io.findings import Cut, Finding, chosen_repairs
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.reading import Reading
from pliant.io.log_csv import read_csv
from pliant.io.log_json import HEADER_NAMES, read_json
from pliant.io.lost_values import within
from pliant.io.recording_kinds import LOGS, ROBOT_SUFFIXES, is_data_set
from pliant.io.table import Header, Table

ACCEPTED = "*.json, *.csv, *.parquet, *.mcap, *.db3, a bag, a LeRobot data set"
REGISTERS = ".registers.json"
"""End of the name of a file with a robot's registers, which stands beside its recording and is no log."""
LARGEST = 64 * MIB
"""[bytes] Of a log: two hours at 100 Hz are a tenth of it."""

_PATHS = "a file, a folder, or a list of them"


@dataclass(frozen=True, eq=False)
class Recording:
    """One file, read and checked; usable if no finding blocks."""

    digest: str
    header: Header
    table: Table
    findings: tuple[Finding, ...]
    driven: Literal["goal", "torque"]


def examined(path: Path, reading: Reading, *, given: Given) -> Recording:
    """Read a file of one joint; see `checked`."""
    data, columns = _bytes(path), reading.columns
    mapping = ColumnMap.load(columns) if isinstance(columns, Path | str) else columns
    with located(path):
        header, table, findings = _parsed(path, decoded(data, path), mapping, reading)
    names = HEADER_NAMES if path.suffix.lower() == ".json" else {n: n for n in HEADER_NAMES}
    return checked(
        sha256(data).hexdigest(),
        header,
        table,
        names=names,
        found=findings,
        repair=chosen_repairs(reading.repair),
        given=given,
        cut=reading.cut,
    )


# Each argument is one thing that a reader hands on.
def checked(
    digest: str,
    header: Header,
    table: Table,
    *,
    names: Mapping[str, str],
    found: Sequence[Finding],
    repair: frozenset[str],
    given: Given,
    cut: Cut | None = None,
) -> Recording:
    """Put in what is given, say what is missing, look for faults.

    Args:
        digest: of the file. header, table: its content. names: its own names of the header's constants.
        found: findings so far. repair: faults to repair. given: constants instead of the file's.
        cut: begin and end of what is used [s].

    Raises:
        PliantError: nothing is left of it.
    """
    found = list(found)
    if cut is not None:
        kept, text = within(table.time, cut)
        table = table.keep(kept)
        found.append(Finding("cut", table.names["time"], text, "note"))
    driven = "torque" if "goal" not in table and "torque" in table else "goal"
    header, overrides = with_given(header, given)
    table, absent = completed(table)
    findings = [*found, *overrides, *missing_constants(header, names, driven), *absent]
    table, faults = examine(table, header, repair)
    return Recording(digest, header, table, (*findings, *faults), driven)


def log_files(paths: Iterable[Path | str] | Path | str) -> list[Path]:
    """The files meant by files and folders, sorted.

    A folder means its `*.json` and `*.csv`, and recordings of robots: Parquet, bags, data sets.
    """
    check_kind(paths, Iterable if not isinstance(paths, Path) else Path, "paths", _PATHS)
    files: list[Path] = []
    for path in [Path(paths)] if isinstance(paths, (str, Path)) else map(Path, paths):
        if not is_folder(path) or is_data_set(path):
            files.append(path)
            continue
        known = {*LOGS, *ROBOT_SUFFIXES} - {".pt"}  # a folder's *.pt may well be a policy
        inside = files_within(path, known)
        if not inside:
            raise PliantError("has no logs", file=path, accepted=ACCEPTED)
        files += inside
    return files


def files_within(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """The data sets and the files of these suffixes in a folder, sorted, but for registers."""
    return [
        p
        for p in sorted(folder.iterdir())
        if is_data_set(p)
        or (plain_suffix(p) in suffixes and p.is_file() and not p.name.endswith(REGISTERS))
    ]


def _parsed(
    path: Path, text: str, columns: ColumnMap | None, reading: Reading
) -> tuple[Header, Table, list[Finding]]:
    if path.suffix.lower() == ".json":
        header, table = read_json(text)
        return header, _in_rad(table, (), reading), []
    header, table, stated = read_csv(text, columns)
    table = _in_rad(table, stated, reading)
    said = [Finding("order", "rows", note, "note") for note in table.notes]
    if columns is None:
        note = "no mapping is given: columns are taken by name, in SI units"
        said.append(Finding("given", "columns", note, "note"))
    return header, table, said


def _in_rad(table: Table, stated: Collection[str], reading: Reading) -> Table:
    """Positions, goals and speeds in rad, of which those stated are already."""
    name, values = table.names["position"], table.channels["position"]
    _, size = reading.scale(name, name, reading.unit, values, is_known="position" in stated)
    for channel in {"position", "goal", "velocity"} & {*table.channels} - {*stated}:
        table = table.put(channel, table.channels[channel] * size)
    return table


def _bytes(path: Path) -> bytes:
    if is_folder(path):
        raise PliantError("is a folder", file=path, accepted="one *.json or *.csv file")
    check_regular(path)
    if path.suffix.lower() not in LOGS:
        raise PliantError("is not a log", file=path, accepted=readable_form(path, ACCEPTED))
    return read_bytes(path, largest=LARGEST)
