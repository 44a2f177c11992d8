"""CSV as recorders and spreadsheets write it: one header line, then rows of cells.

The separator is that of the header: comma, semicolon, tab or blanks. If it is not a comma, numbers may have a
decimal comma. A name may carry its unit, `time [ms]`; numbers are converted to SI units.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, pi
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

WIDEST = 4096
"""Most columns: a humanoid with ten channels per joint has a tenth of that."""
SEPARATORS = ",;\t"
BLANK = " "
"""Separator, any number of them, if the header has none of the others."""

UNITS: Mapping[str, Mapping[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "angle": {
        "rad": 1.0,
        "mrad": 1e-3,
        "deg": pi / 180.0,
        "rev": 2.0 * pi,
        "turns": 2.0 * pi,
    },
    "length": {"m": 1.0, "mm": 1e-3},
    "angular speed": {
        "rad/s": 1.0,
        "deg/s": pi / 180.0,
        "rpm": pi / 30.0,
        "turns/s": 2.0 * pi,
        "rev/s": 2.0 * pi,
    },
    "speed": {"m/s": 1.0, "mm/s": 1e-3},
    "voltage": {"V": 1.0, "mV": 1e-3},
    "current": {"A": 1.0, "mA": 1e-3},
    "torque": {"N m": 1.0, "Nm": 1.0, "mN m": 1e-3, "mNm": 1e-3},
}
"""Quantity to unit to its factor to the SI unit."""

_WITH_UNIT = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]*)\]")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d*(?:[eE][+-]?\d+)?|[+-]?,\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class CsvRows:
    """A table of text: `cells[k]` is line `lines[k]` of the file.

    Attributes:
        head: names of the columns, stripped.
        lines: line numbers, from 1.
        cells: of each row, unchanged; a row may have more or fewer than the head.
        separator: between cells. headless: the names are column numbers, from 1.
    """

    head: list[str]
    lines: list[int]
    cells: list[list[str]]
    separator: str
    headless: bool = False


def csv_rows(
    text: str, *, separator: str | None = None, least: int = 1, headless: bool = False
) -> CsvRows:
    """The header and the rows of a CSV; empty lines are skipped.

    Args:
        text: of the file. separator: of its cells; by default, that of its header.
        least: rows that it must have. headless: it may begin with numbers; its columns are then named
            "1", "2" and so on.
    """
    if separator is not None and separator in '"\r\n\0':
        raise PliantError("cannot separate cells", field="delimiter", found=separator)
    lines = text.splitlines()
    separator = separator or _separator(next((line for line in lines if line.strip()), ""))
    if separator == BLANK:
        lines = [line.strip() for line in lines]
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=separator == BLANK)
    numbers: list[int] = []
    rows: list[list[str]] = []
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                numbers.append(reader.line_num)
                rows.append(cells)
            if len(cells) > WIDEST:
                raise PliantError(
                    "has too many columns",
                    field=f"line {reader.line_num}",
                    found=len(cells),
                    accepted=f"at most {WIDEST}",
                )
    except csv.Error as error:
        raise PliantError(f"is not CSV: {error}", field=f"line {reader.line_num}") from None
    if not rows:
        raise PliantError("is empty", accepted="a CSV file with a header line")
    if len(rows) == 1 and least > 0:
        raise PliantError("has no rows below its header")
    if len(rows) <= least:
        accepted = f"a header line and at least {least} rows"
        raise PliantError("has too few rows", found=len(rows) - 1, accepted=accepted)
    if headless and len(rows[0]) > 1 and all(_is_number(cell, separator) for cell in rows[0]):
        head = [str(k) for k in range(1, len(rows[0]) + 1)]
        return CsvRows(head, numbers, rows, separator, headless=True)
    return CsvRows([name.strip() for name in rows[0]], numbers[1:], rows[1:], separator)


def csv_text(
    head: Sequence[str], rows: Iterable[Iterable[Any]], *, figures: int = 9, lost: str = ""
) -> str:
    """A table as CSV: numbers to `figures` digits, `lost` for NaN and None, texts unchanged."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(
            cell
            if isinstance(cell, str)
            else lost
            if cell is None or cell != cell
            else f"{cell:.{figures}g}"
            for cell in row
        )
    return text.getvalue()


def _is_number(cell: str, separator: str) -> bool:
    try:
        to_number(cell, separator)
    except ValueError:
        return False
    return True


def csv_columns(
    rows: CsvRows, quantities: Mapping[str, Sequence[str]] | None = None, *, empty: bool = False
) -> dict[str, Floats]:
    """Column name to (N,) numbers in SI units; NaN and infinity are accepted.

    Args:
        rows: from `csv_rows`. quantities: prefix of a name to its possible quantities (keys of
            `UNITS`); only names with such a prefix may carry a unit.
        empty: read an empty cell as NaN.

    Raises:
        PliantError: a row is too long or too short, a cell is not a number, or a name occurs twice
            or has a unit of another quantity.
    """
    parts = sizes(rows.head, quantities or {})
    for line, cells in zip(rows.lines, rows.cells, strict=True):
        if len(cells) != len(rows.head):
            raise PliantError(
                "wrong number of values in the row",
                field=f"line {line}",
                found=len(cells),
                accepted=f"{len(rows.head)} values",
            )
    columns: dict[str, Floats] = {}
    for k, (name, size) in enumerate(parts):
        values = [
            nan if empty and not cells[k].strip() else _number(rows, row, k, name)
            for row, cells in enumerate(rows.cells)
        ]
        columns[name] = np.array(values, dtype=np.float64) * size
    return columns


def sizes(head: Sequence[str], quantities: Mapping[str, Sequence[str]]) -> list[tuple[str, float]]:
    """Each column's name, and the factor from its unit to the SI unit; see `csv_columns`.

    Raises:
        PliantError: a name occurs twice, or has a unit of another quantity.
    """
    parts = [split_unit(name) for name in head]
    check_once([name for name, _ in parts])
    return [
        (name, 1.0 if unit is None else unit_size(name, unit, measured(name, quantities)))
        for name, unit in parts
    ]


def finite_columns(rows: CsvRows, columns: Mapping[str, Floats]) -> None:
    """Refuse a number that is not finite, with its place and its text."""
    for k, (name, values) in enumerate(columns.items()):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row = int(bad[0])
            raise PliantError(
                "is not a number",
                field=f"line {rows.lines[row]}, {name}",
                found=rows.cells[row][k].strip(),
                accepted="a finite number in every row",
            )


def split_unit(name: str) -> tuple[str, str | None]:
    """`time [ms]` as name and unit; None without a unit."""
    found = _WITH_UNIT.fullmatch(name.strip())
    return (found["name"], found["unit"].strip()) if found else (name.strip(), None)


def unit_size(name: str, unit: str, quantities: Iterable[str]) -> float:
    """The factor from `unit` to the SI unit of one of these quantities."""
    known = {unit: size for quantity in quantities for unit, size in UNITS[quantity].items()}
    if unit not in known:
        raise PliantError(
            f"is not a unit of {name}",
            field="line 1",
            found=unit,
            accepted=known or "a name without a unit",
        )
    return known[unit]


def to_number(cell: str, separator: str = ",") -> float:
    """The number in a cell, possibly NaN or infinite.

    Raises:
        ValueError: it is not a number.
    """
    text = cell.strip()
    if separator != "," and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if "_" in text:  # Python reads 1_0 as ten
        raise ValueError(cell)
    return float(text)


def check_once(names: Iterable[str]) -> None:
    """Refuse a column that occurs twice."""
    doubled = next((name for name, times in Counter(names).items() if times > 1), None)
    if doubled is not None:
        raise PliantError("more than one such column", field="line 1", found=doubled)


def _number(rows: CsvRows, row: int, column: int, name: str) -> float:
    cell = rows.cells[row][column]
    try:
        return to_number(cell, rows.separator)
    except ValueError:
        raise PliantError(
            "is not a number", field=f"line {rows.lines[row]}, {name}", found=cell.strip()
        ) from None


def measured(name: str, quantities: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The quantities of the longest prefix that matches."""
    fitting = [start for start in quantities if name.startswith(start)]
    return quantities[max(fitting, key=len)] if fitting else ()


def _separator(head: str) -> str:
    """The separator that occurs most often in the header, outside quotes."""
    bare = re.sub(r'"[^"]*"', "", head)
    blank = not any(separator in bare for separator in SEPARATORS)
    if blank and len(re.findall(r"\S+(?:\s+\[[^\]]*\])?", bare)) > 1 and "[" not in bare:
        return BLANK
    return max(SEPARATORS, key=bare.count)
