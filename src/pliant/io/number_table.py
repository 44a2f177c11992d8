"""Columns of numbers from a CSV or JSON file.

CSV: one header line with the names, then one line per sample; see `csv_rows`. JSON: an object that
gives each name its list, or one with `entries`, a list of objects of the same names.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.json_file import parsed_json

FORMATS = (".csv", ".json")
LARGEST = 64 * MIB


def read_columns(
    path: str | Path, quantities: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Floats]:
    """Name to (N,) finite numbers, in SI units where a CSV names its units.

    In JSON, what is no list of numbers (a title, a list of names) is left out.

    Args:
        path: CSV or JSON file. quantities: which names may carry a unit; see `csv_columns`.

    Raises:
        PliantError: the file cannot be read, has no rows, names a column twice, or has a cell that
            is missing or is no finite number.
    """
    path = Path(path)
    with located(path):
        if path.suffix.lower() not in FORMATS:
            raise PliantError("is not a table", accepted="*.csv, *.json")
        text = read_text(path, largest=LARGEST)
        if path.suffix.lower() == ".json":
            return _json(text)
        rows = csv_rows(text)
        columns = csv_columns(rows, quantities)
        finite_columns(rows, columns)
        return columns


def _json(text: str) -> dict[str, Floats]:
    named = parsed_json(text, "table")
    entries = named.get("entries")
    if isinstance(entries, list):
        named = _by_column(cast("list[Any]", entries))
    columns = {
        name: _numbers(cast("list[Any]", cells), name)
        for name, cells in named.items()
        if isinstance(cells, list) and not _texts(cast("list[Any]", cells))
    }
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        usual = max(lengths.values(), key=list(lengths.values()).count)
        odd = next((name for name, length in lengths.items() if length != usual), "columns")
        raise PliantError("has columns of different lengths, or none", field=odd, found=lengths)
    return columns


def _by_column(entries: Sequence[Any]) -> dict[str, Any]:
    """Lists by name; the names are those of the first entry."""
    first: Any = entries[0] if entries else None
    if not isinstance(first, dict):
        raise PliantError("has no entries", field="entries", accepted="a list of objects")
    names = [str(name) for name in cast("dict[str, Any]", first)]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for k, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or set(cast("Mapping[str, Any]", entry)) != set(names):
            raise PliantError(
                "has other keys than the first entry",
                field=f"entries[{k}]",
                accepted=", ".join(names),
            )
        for name in names:
            columns[name].append(entry[name])
    return columns


def _texts(cells: Sequence[Any]) -> bool:
    return bool(cells) and all(isinstance(cell, str) for cell in cells)


def _numbers(cells: Sequence[Any], name: str) -> Floats:
    values = np.empty(len(cells))
    for k, cell in enumerate(cells):
        number = isinstance(cell, int | float) and not isinstance(cell, bool)
        try:
            values[k] = float(cell) if number else np.nan
        except OverflowError:
            values[k] = np.inf
        if not np.isfinite(values[k]):
            raise PliantError(
                "is not a number",
                field=f"{name}[{k}]",
                found="null" if cell is None else cell,
                accepted="a finite number in every row",
            )
    return values
