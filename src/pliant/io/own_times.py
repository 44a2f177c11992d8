"""Tables in which each row has the values of some signals only, as exports of several topics have."""

from collections.abc import Mapping

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

WHOLE = 0.5
"""Share of the rows that have all values, from which on a row that lacks one is incomplete, not another topic's."""
FEWEST = 8
"""Values of a signal, at least."""
GAP = 4.0
"""[median intervals] Across a longer interval nothing is known of a signal."""
LINEAR = ("position", "speed", "velocity")
"""Signals that go on between two values; others are held until the next."""


def is_mixed(columns: Mapping[str, Floats]) -> bool:
    """Whether rows are of different signals: few have all values, but each signal has some."""
    there = ~np.isnan(np.column_stack(list(columns.values())))
    return bool(there.all(axis=1).mean() < WHOLE and (there.sum(axis=0) >= FEWEST).all())


def at_positions(
    columns: Mapping[str, Floats], time: str = "time"
) -> tuple[dict[str, Floats], np.ndarray, str]:
    """The columns at the times of the first position: positions and speeds between theirs, others held.

    Args:
        columns: name to (N,), NaN where a row lacks it. time: the name of the times.

    Returns:
        The columns, their rows in the table, and what was done.

    Raises:
        PliantError: the signals have no time in common.
    """
    there = {name: ~np.isnan(values) for name, values in columns.items()}
    first = next(name for name in columns if name.startswith("position"))
    times = columns[time]
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
    found[time] = at
    text = (
        f"rows have the values of some signals only: each is taken at its own times, at the {len(rows)} of "
        f"{first}; commands are held until the next"
    )
    return found, rows, text
