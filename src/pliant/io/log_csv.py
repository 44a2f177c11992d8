"""CSV logs: one header line with column names, then one line per sample."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np

from pliant.errors import PliantError
from pliant.io.column_map import Column, ColumnMap
from pliant.io.table import UNITS, Bools, Floats, Header, Table

_ON_OFF = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def read_csv(text: str, file: str, columns: ColumnMap | None) -> tuple[Header, Table]:
    """Constants of the mapping, and rows in the units of `UNITS`.

    Without a mapping, columns are taken by our own channel names, in SI units. A row with
    too few or too many cells, or an empty cell, becomes an incomplete row.
    """
    delimiter = columns.delimiter if columns else ","
    lines = csv.reader(text.splitlines(), delimiter=delimiter)
    try:
        rows = [(lines.line_num, cells) for cells in lines if any(map(str.strip, cells))]
    except csv.Error as error:
        raise PliantError(
            f"is not CSV: {error}", file=file, field=f"line {lines.line_num}"
        ) from None
    if not rows:
        raise PliantError("is empty", file=file, accepted="a CSV log with a header line")
    head, body = [cell.strip() for cell in rows[0][1]], rows[1:]
    if not body:
        raise PliantError("has no rows below its header", file=file)
    mapping = columns or _by_name(head, file)
    return mapping.constants, _table(head, body, mapping, file)


def _by_name(head: Sequence[str], file: str) -> ColumnMap:
    found = {channel: channel for channel in UNITS if channel in head}
    if not {"time", "position"} <= set(found):
        raise PliantError(
            "needs a column mapping (columns)",
            file=file,
            field="line 1",
            found=list(head),
            accepted="columns named time, position, …, "
            "or a mapping such as 'time=t[ms],position=q[deg]'",
        )
    return ColumnMap.model_validate({"columns": found})


def _table(
    head: Sequence[str], body: Sequence[tuple[int, list[str]]], mapping: ColumnMap, file: str
) -> Table:
    chosen = {c: column for c in UNITS if (column := mapping.column(c)) is not None}
    _check_columns(chosen, head, file)
    ragged: Bools = np.array([len(cells) != len(head) for _, cells in body])
    channels: dict[str, Floats] = {}
    gaps = ragged.copy()
    for channel, column in chosen.items():
        place = head.index(column.column)
        empty = np.array([len(c) > place and not c[place].strip() for _, c in body])
        lacking = ragged | empty
        raw = [
            np.nan if lack else _number(cells[place], channel, column, line, file)
            for (line, cells), lack in zip(body, lacking, strict=True)
        ]
        channels[channel] = np.array(raw) * mapping.factor(channel)
        gaps = gaps | lacking
    names = {channel: column.column for channel, column in chosen.items()}
    return Table(
        channels,
        {**{c: c for c in UNITS}, **names},
        np.array([line for line, _ in body]),
        "line {}",
        gaps,
    )


def _check_columns(chosen: dict[str, Column], head: Sequence[str], file: str) -> None:
    for channel, column in chosen.items():
        if head.count(column.column) != 1:
            twice = column.column in head
            raise PliantError(
                f"there is {'more than one' if twice else 'no'} such column (for {channel})",
                file=file,
                field="line 1",
                found=column.column,
                accepted=None if twice else list(head),
            )


def _number(cell: str, channel: str, column: Column, line: int, file: str) -> float:
    text = cell.strip()
    try:
        if channel == "enabled":
            return _ON_OFF[text.lower()]
        return float(text)
    except (KeyError, ValueError):
        raise PliantError(
            "is neither on nor off" if channel == "enabled" else "is not a number",
            file=file,
            field=f"line {line}, {column.column}",
            found=cell,
            accepted="1, 0, true, false" if channel == "enabled" else "a number",
        ) from None
