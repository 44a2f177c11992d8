"""From a log file's bytes to checked channels, whatever the format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pliant.errors import PliantError
from pliant.io.column_map import ColumnMap
from pliant.io.completeness import Given, completed, missing_constants, with_given
from pliant.io.faults import examine
from pliant.io.findings import Finding
from pliant.io.log_csv import read_csv
from pliant.io.log_json import HEADER_NAMES, read_json
from pliant.io.table import Header, Table

FORMATS = (".json", ".csv")

ColumnSource = Path | str | ColumnMap | None
"""A `ColumnMap`, its TOML file, or options on a line."""


@dataclass(frozen=True, eq=False)
class Recording:
    """One file, read and checked; usable if no finding blocks."""

    digest: str
    header: Header
    table: Table
    findings: tuple[Finding, ...]
    driven: Literal["goal", "torque"]


def examined(
    path: Path, *, repair: frozenset[str], columns: ColumnSource, given: Given
) -> Recording:
    """Parse, put in what is given, say what is missing, look for faults."""
    data = _bytes(path)
    header, table, findings = _parsed(path, _text(data, path), columns)
    names = HEADER_NAMES if path.suffix.lower() == ".json" else {n: n for n in HEADER_NAMES}
    driven = "torque" if "goal" not in table and "torque" in table else "goal"
    header, overrides = with_given(header, given)
    table, absent = completed(table)
    findings += overrides + missing_constants(header, names, driven) + absent
    table, faults = examine(table, header, repair)
    digest = sha256(data).hexdigest()
    return Recording(digest, header, table, (*findings, *faults), driven)


def log_files(paths: Iterable[Path | str] | Path | str) -> list[Path]:
    """The files meant by files and folders; a folder means its `*.json` and `*.csv`, sorted."""
    files: list[Path] = []
    for path in [Path(paths)] if isinstance(paths, (str, Path)) else map(Path, paths):
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix.lower() in FORMATS and p.is_file())
        if not inside:
            raise PliantError("has no logs", file=path, accepted="*.json, *.csv")
        files += inside
    return files


def _parsed(path: Path, text: str, columns: ColumnSource) -> tuple[Header, Table, list[Finding]]:
    if path.suffix.lower() == ".json":
        return *read_json(text, str(path)), []
    if columns is None:
        note = "no mapping is given: columns are taken by name, in SI units"
        return *read_csv(text, str(path), None), [Finding("given", "columns", note, "note")]
    mapping = columns if isinstance(columns, ColumnMap) else ColumnMap.load(columns)
    return *read_csv(text, str(path), mapping), []


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise PliantError("is a folder", file=path, accepted="one *.json or *.csv file")
    if path.suffix.lower() not in FORMATS:
        raise PliantError("is not a log", file=path, accepted="*.json, *.csv")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise PliantError("does not exist", file=path) from None
    except OSError as error:
        raise PliantError("cannot be read", file=path, found=error.strerror) from None


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PliantError("is not UTF-8 text", file=path, field=f"byte {error.start}") from None
