"""Columns of numbers from a CSV or JSON file.

CSV: one header line with the names, then one line per sample. JSON: an object that gives each name
its list, or one with `entries`, a list of objects of the same names.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

FORMATS = (".csv", ".json")


def read_columns(path: str | Path) -> dict[str, Floats]:
    """Name to (N,) finite numbers, as the file has them.

    In JSON, what is no list of numbers (a title, a list of names) is left out.

    Raises:
        PliantError: the file cannot be read, has no rows, names a column twice, or has a cell that
            is missing or is no finite number.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise PliantError("is not a table", file=path, accepted="*.csv, *.json")
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise PliantError("does not exist", file=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    return _csv(text, path) if path.suffix.lower() == ".csv" else _json(text, path)


def _csv(text: str, path: Path) -> dict[str, Floats]:
    lines = csv.reader(text.splitlines())
    try:
        rows = [(lines.line_num, cells) for cells in lines if any(map(str.strip, cells))]
    except csv.Error as error:
        raise PliantError("is not CSV", file=path, found=str(error)) from None
    if len(rows) < 2:
        raise PliantError("has no rows below its header", file=path)
    head = [name.strip() for name in rows[0][1]]
    for name in head:
        if head.count(name) > 1:
            raise PliantError("names a column twice", file=path, field="line 1", found=name)
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise PliantError(
                "has not one value for each column",
                file=path,
                field=f"line {line}",
                found=len(cells),
                accepted=f"{len(head)} values",
            )
    return {
        name: _numbers(
            [cells[k] for _, cells in rows[1:]],
            [f"line {line}, {name}" for line, _ in rows[1:]],
            path,
        )
        for k, name in enumerate(head)
    }


def _json(text: str, path: Path) -> dict[str, Floats]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PliantError("is not JSON", file=path, found=str(error)) from None
    if not isinstance(document, dict):
        raise PliantError("is not a table", file=path, accepted="a JSON object of lists")
    named = cast("dict[str, Any]", document)
    entries = named.get("entries")
    if isinstance(entries, list):
        named = _by_column(cast("list[Any]", entries), path)
    columns: dict[str, Floats] = {}
    for name, values in named.items():
        if isinstance(values, list) and not _texts(cast("list[Any]", values)):
            cells = cast("list[Any]", values)
            where = [f"{name}[{k}]" for k in range(len(cells))]
            columns[name] = _numbers(cells, where, path)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        raise PliantError("has columns of different lengths, or none", file=path, found=lengths)
    return columns


def _by_column(entries: Sequence[Any], path: Path) -> dict[str, Any]:
    """Lists by name; the names are those of the first entry."""
    first: Any = entries[0] if entries else None
    if not isinstance(first, dict):
        raise PliantError(
            "has no entries", file=path, field="entries", accepted="a list of objects"
        )
    names = [str(name) for name in cast("dict[str, Any]", first)]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for k, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or set(cast("Mapping[str, Any]", entry)) != set(names):
            raise PliantError(
                "has not the values of the first",
                file=path,
                field=f"entries[{k}]",
                accepted=", ".join(names),
            )
        for name in names:
            columns[name].append(entry[name])
    return {name: cells for name, cells in columns.items() if not _texts(cells)}


def _texts(cells: Sequence[Any]) -> bool:
    return bool(cells) and all(isinstance(cell, str) for cell in cells)


def _numbers(cells: Sequence[Any], where: Sequence[str], path: Path) -> Floats:
    values = np.empty(len(cells))
    for k, cell in enumerate(cells):
        try:
            values[k] = float(cell)
        except (TypeError, ValueError):
            values[k] = np.nan
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row = int(bad[0])
        raise PliantError(
            "is not a number",
            file=path,
            field=where[row],
            found=cells[row],
            accepted="a finite number in every row",
        )
    return values
