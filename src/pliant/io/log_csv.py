"""CSV logs: one header line with column names, then one line per sample.

A row may have the values of some signals only, as exports of several topics have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from pliant.csv_rows import CsvRows, csv_rows, split_unit, to_number
from pliant.errors import PliantError
from pliant.io.column_map import Column, ColumnMap
from pliant.io.table import UNITS, Bools, Floats, Header, Table

WHOLE = 0.5
"""Share of complete rows from which a row with a missing value is incomplete, and not from another topic."""
FEWEST = 8
"""Values of a signal, at least."""
GAP = 4.0
"""[median intervals] Longest interval across which a signal is interpolated or held."""
LINEAR = ("position", "speed", "velocity")
"""Signals that are interpolated between values; others are held until the next."""


def is_mixed(columns: Mapping[str, Floats]) -> bool:
    """Whether rows belong to different signals: few are complete, but each signal has values."""
    if "time" not in columns or not any(name.startswith("position") for name in columns):
        return False  # which the reader refuses
    there = ~np.isnan(np.column_stack(list(columns.values())))
    return bool(there.all(axis=1).mean() < WHOLE and (there.sum(axis=0) >= FEWEST).all())


def at_positions(columns: Mapping[str, Floats]) -> tuple[dict[str, Floats], np.ndarray, str]:
    """The columns at the times of the first position: positions and speeds interpolated, others held.

    Args:
        columns: name to (N,), NaN where a row lacks it.

    Returns:
        The columns, their rows in the table, and what was done.
    """
    there = {name: ~np.isnan(values) for name, values in columns.items()}
    first = next(name for name in columns if name.startswith("position"))
    times = columns["time"]
    begins = max(float(np.nanmin(times[have])) for have in there.values())
    ends = min(float(np.nanmax(times[there[n]])) for n in columns if n.startswith("position"))
    rows = np.flatnonzero(there[first] & (times >= begins) & (times <= ends))
    if len(rows) < FEWEST:
        raise PliantError(
            "the signals have no time in common", found=f"{len(rows)} rows of {first}"
        )
    at = times[rows]
    found: dict[str, Floats] = {}
    for name, values in columns.items():
        have = np.flatnonzero(there[name])
        have = have[np.argsort(times[have], kind="stable")]
        if name.startswith(LINEAR):
            found[name] = np.interp(at, times[have], values[have])
            apart = np.diff(times[have])
            wide = np.append(apart > GAP * np.median(apart), False)
            between = np.searchsorted(times[have], at, side="right") - 1
            found[name][wide[between] & (times[have][between] < at)] = (
                np.nan
            )  # nothing is known there
        else:
            found[name] = values[have][np.searchsorted(times[have], at, side="right") - 1]
    found["time"] = at
    text = (
        f"rows have values of some signals only: each signal is resampled to the {len(rows)} rows of "
        f"{first}; commands are held until the next"
    )
    return found, rows, text


_ON_OFF = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def read_csv(text: str, columns: ColumnMap | None) -> tuple[Header, Table, list[str]]:
    """Constants of the mapping, rows in the units of `UNITS`, and the channels that state theirs.

    Without a mapping, columns are taken by our own channel names, in SI units or in the unit that
    stands behind the name, `position [deg]`. A row with too few or too many cells, or an empty
    cell, becomes an incomplete row.
    """
    rows = csv_rows(text, separator=columns.delimiter if columns else None, headless=True)
    if rows.headless and columns is None:
        accepted = "names of its columns by number (--columns time=1,position=2,...), or a header"
        raise PliantError(
            "has no header line", field="line 1", found=rows.cells[0], accepted=accepted
        )
    mapping = columns or _by_name(rows.head)
    return mapping.constants, *_table(rows, mapping)


def _by_name(head: Sequence[str]) -> ColumnMap:
    """The columns that are called like a channel, with their units."""
    found: dict[str, Column] = {}
    for written in head:
        name, unit = split_unit(written)
        if name in UNITS and name in found:
            raise PliantError("more than one such column", field="line 1", found=name)
        if name in UNITS:
            found[name] = Column(column=written, unit=unit)
    if not {"time", "position"} <= set(found):
        meant = {channel: c.column for channel, c in found.items()}
        others = [written for written in head if written not in meant.values()]
        for channel in ("time", "goal", "position"):
            near = get_close_matches(channel, others, 1)
            meant |= {channel: near[0]} if channel not in meant and near else {}
        such = ",".join(f"{channel}={written}" for channel, written in meant.items())
        like = such if {"time", "position"} <= set(meant) else "time=t[ms],position=q[deg]"
        raise PliantError(
            "needs a column mapping (columns)",
            field="line 1",
            found=list(head),
            accepted=f"columns named time, position, …, or a mapping such as {like!r}",
        )
    return ColumnMap.model_validate({"columns": found})


def _table(rows: CsvRows, mapping: ColumnMap) -> tuple[Table, list[str]]:
    chosen = {c: column for c in UNITS if (column := mapping.column(c)) is not None}
    places = {channel: place(column, channel, rows.head) for channel, column in chosen.items()}
    units = {c: chosen[c].unit or split_unit(rows.head[at])[1] for c, at in places.items()}
    stated = [channel for channel, unit in units.items() if unit is not None]
    ragged: Bools = np.array([len(cells) != len(rows.head) for cells in rows.cells])
    channels: dict[str, Floats] = {}
    gaps = ragged.copy()
    for channel, at in places.items():
        empty = np.array([len(c) > at and not c[at].strip() for c in rows.cells])
        lacking = ragged | empty
        raw = [
            np.nan if lack else _number(rows, row, at, channel) for row, lack in enumerate(lacking)
        ]
        zero = mapping.zero if channel in ("position", "goal") else 0.0
        channels[channel] = (np.array(raw) - zero) * mapping.factor(channel, units[channel])
        gaps = gaps | lacking
    names = {channel: column.column for channel, column in chosen.items()}
    lines = np.array(rows.lines)
    if not ragged.any() and is_mixed(channels):
        channels, kept, text = at_positions(channels)
        table = Table(
            channels, {**{c: c for c in UNITS}, **names}, lines[kept], "line {}", gaps[kept] & False
        )
        return replace(table, notes=(text,)), stated
    return Table(channels, {**{c: c for c in UNITS}, **names}, lines, "line {}", gaps), stated


def place(column: Column, channel: str, head: Sequence[str]) -> int:
    """Index of the column: by its whole name, or by the name before a unit."""
    fitting = [k for k, written in enumerate(head) if written == column.column]
    bare = [k for k, written in enumerate(head) if split_unit(written)[0] == column.column]
    fitting = fitting or bare
    if len(fitting) == 1:
        return fitting[0]
    raise PliantError(
        f"there is {'more than one' if fitting else 'no'} such column (for {channel})",
        field="line 1",
        found=column.column,
        accepted=None if fitting else list(head),
    )


def _number(rows: CsvRows, row: int, place: int, channel: str) -> float:
    cell = rows.cells[row][place]
    try:
        if channel == "enabled":
            return _ON_OFF[cell.strip().lower()]
        return to_number(cell, rows.separator)
    except (KeyError, ValueError):
        raise PliantError(
            "is neither on nor off" if channel == "enabled" else "is not a number",
            field=f"line {rows.lines[row]}, {rows.head[place]}",
            found=cell,
            accepted="1, 0, true, false" if channel == "enabled" else "a number",
        ) from None
