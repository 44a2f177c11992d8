"""Values that are lost, and the parts of a log without them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.io.findings import Cut, Fault, Finding, spots
from pliant.io.table import UNITS, Bools, Floats, Header, Table
from pliant.words import counted

GAP = 4.0
"""[median intervals] a longer one is a gap; real recordings reach 2.3."""

STRETCH = "stretch"
"""The repair that keeps the longest sound part."""

SPARED = ("voltage", "temperature")
"""Channels that only some simulations use: without them, a log is as good as one that lacks them."""


def check_nan(table: Table, header: Header) -> list[Fault]:
    """Values that are not finite: single ones can be interpolated, others only be cut away."""
    faults: list[Fault] = []
    for channel in UNITS:
        if channel not in table or channel == "time":
            continue
        bad = ~np.isfinite(table.channels[channel])
        beside = clustered(bad)
        for some, repair in ((bad & ~beside, "nan"), (beside, STRETCH)):
            if not some.any():
                continue
            rows = np.flatnonzero(some)
            where, first = spots(table, [int(row) for row in rows])
            text = f"{counted(len(rows), 'value is', 'values are')} not finite (first at {first})"
            fix = partial(_interpolated, channel=channel, bad=some)
            spared = channel in SPARED
            if repair == STRETCH:
                text += f"; {_why_not_interpolated(some)}, so not interpolated"
                fix = None if spared else longest_stretch
            mend = None if spared and fix is None else repair
            finding = Finding("nan", table.names[channel], text, "error", where, mend)
            faults.append((finding, fix))
    return sorted(faults, key=lambda fault: fault[0].repair == STRETCH)


def _interpolated(table: Table, *, channel: str, bad: Bools) -> Table:
    return table.interpolate(channel, bad)


def clustered(bad: Bools) -> Bools:
    """Those of the rows that have such a neighbour, or none at all: nothing to interpolate from."""
    beside = np.zeros(len(bad), bool)
    beside[1:] |= bad[:-1]
    beside[:-1] |= bad[1:]
    beside[[0, -1]] = True
    return bad & beside


def longest_stretch(table: Table) -> Table:
    """The rows of the longest time in which no value is lost and no gap is."""
    return table.keep(_longest(table.time, [table.channels[c] for c in table.channels]))


def _longest(time: Floats, channels: Sequence[Floats]) -> NDArray[np.intp]:
    sound = np.ones(len(time), bool)
    for values in channels:
        sound &= np.isfinite(values)
    steps = np.diff(time)
    usual = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    ends = np.flatnonzero(~sound[:-1] | ~sound[1:] | (steps > GAP * usual)) + 1
    parts = [part for part in np.split(np.arange(len(time)), ends) if sound[part[0]]]
    return max(parts, key=lambda part: time[part[-1]] - time[part[0]], default=np.arange(0))


def within(time: Floats, cut: Cut) -> tuple[Bools, str]:
    """(N,) times that are wanted, and how many those are.

    Raises:
        PliantError: none is.
    """
    start = np.nanmin(time) if np.isfinite(time).any() else 0.0
    low, high = (x if x is not None else end for x, end in zip(cut, (-np.inf, np.inf), strict=True))
    kept = (time - start >= low) & (time - start <= high)
    if not kept.any():
        length = float(np.nanmax(time) - start)
        accepted, found = f"0 to {length:.4g} s", f"{low:g} to {high:g} s"
        raise PliantError("keeps nothing", field="cut", found=found, accepted=accepted)
    text = f"{kept.sum()} of {len(time)} samples are kept, from {low:g} to {high:g} s, as asked for"
    return kept, text


def _why_not_interpolated(bad: Bools) -> str:
    if bool((bad[1:] & bad[:-1]).any()):
        return "not isolated"
    return f"at the {'start' if bad[0] else 'end'} of the log"
