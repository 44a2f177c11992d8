"""Lost values, the parts of a log without them, and times that cannot be in seconds.

Servos are sampled every 1 to 20 ms, and a run lasts minutes: a log in nanoseconds would be 30 years long.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.io.findings import Cut, Fault, Finding, spots
from pliant.io.table import UNITS, Bools, Floats, Header, Table
from pliant.words import counted

SLOW, SLOWEST = 0.1, 0.5
"""[s] Median interval from which a time is unusual; from which it is refused."""
LONG, LONGEST = 3600.0, 86400.0
"""[s] The same for the whole duration."""
LONGEST_GAP = 600.0
"""[s] Between two samples."""
FASTEST = 1e-6
"""[s] Median interval below which a time is refused: no recorder is that fast."""

_UNITS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def suspected(usual: float) -> str:
    """The unit in which a time has so long a median interval, "ms" for 5 s; a guess, in words."""
    for unit, size in _UNITS.items():
        if 2e-4 <= usual * size <= SLOW:
            return f"the time is probably in {unit}, not in s"
    return "the time may be in ms or us, not in s"


def implausible(time: Floats) -> str | None:
    """Reason why (N,) rising times cannot be a recording's in seconds; None where they can."""
    steps = np.diff(time)
    usual, length, gap = float(np.median(steps)), float(time[-1] - time[0]), float(steps.max())
    said = f"{usual:.4g} s between samples and {length:.4g} s in all"
    if usual >= SLOWEST:
        return f"{said}: {suspected(usual)}"
    if usual < FASTEST:
        return f"{said}: the time is not in s"
    if gap >= LONGEST_GAP:
        return f"a gap of {gap:.4g} s where {usual:.4g} s is usual: cut the file there"
    if length >= LONGEST:
        return f"{said}: more than a day; cut the file"
    return None


def check_plausible(time: Floats) -> None:
    """Refuse (N,) rising times that are not in seconds."""
    said = implausible(time)
    if said is not None:
        accepted = f"seconds, {FASTEST:g} to {SLOWEST:g} s between samples"
        raise PliantError(said, field="time", accepted=accepted)


GAP = 4.0
"""[median intervals] a longer one is a gap; real recordings reach 2.3."""

STRETCH = "stretch"
"""The repair that keeps the longest sound part."""

SPARED = ("voltage", "temperature")
"""Channels that only some simulations use; a log remains usable without them."""


def check_nan(table: Table, header: Header) -> list[Fault]:
    """Values that are not finite: single ones can be interpolated, others only cut away."""
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
            fix = partial(Table.interpolate, channel=channel, bad=some)
            if repair == STRETCH:
                text += f"; {_why_not_interpolated(some)}, so not interpolated"
                fix = None if channel in SPARED or bad.all() else longest_stretch
            mend = None if fix is None else repair
            finding = Finding("nan", table.names[channel], text, "error", where, mend)
            faults.append((finding, fix))
    return sorted(faults, key=lambda fault: fault[0].repair == STRETCH)


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
    until = "the end" if np.isinf(high) else f"{high:g} s"
    text = f"{kept.sum()} of {len(time)} samples are kept, from {low:g} s to {until}, as requested"
    return kept, text


def _why_not_interpolated(bad: Bools) -> str:
    if bool((bad[1:] & bad[:-1]).any()):
        return "not isolated"
    return f"at the {'start' if bad[0] else 'end'} of the log"
