"""Faults of the position, voltage and temperature channels: dropouts, jumps, a wrong unit."""

from itertools import combinations

import numpy as np

from pliant.io.faults_position import followed
from pliant.io.findings import Fault, Finding, spots
from pliant.io.table import TEMPERATURES, Bools, Floats, Header, Table, possible
from pliant.words import counted

DROPOUT = 0.03
"""[rad] Smaller one-sample deviations are not reported (20 steps of a 12-bit encoder;
the largest in 65 real recordings is 0.008)."""

SPREAD = 6.0
"""Smallest ratio of a dropout to the disagreement of its neighbours."""

REACH = 3
"""[rows] neighbours on each side that predict a position."""

PASSES = 5
"""At most this many searches."""

OFTEN = 2
"""Number of failed reads with the same value from which all reads of that value are suspected."""

LEAP = 0.1
"""[rad] Smallest step from the motion to a failed read at an end of the recording."""

RUN = 50
"""[rows] Longest repetition of a failed read."""

VOLTAGE_SPIKE = 0.5
"""[of the median] a one-sample deviation; a bench supply sags to 0.78 and rises to 1.24."""

VOLTAGE_UNITS = {"V": 1.0, "0.1 V": 0.1, "0.01 V": 0.01, "mV": 1e-3, "kV": 1e3}
"""[V] of one count."""

VOLTAGE_RANGE = (0.4, 2.0)
"""[of nominal] Range of the median in which the assumed unit is right."""

IDLE = 0.9
"""Quantile of the measured supply that is taken as the no-load voltage."""

CONTRADICTS = 0.12
"""Relative distance from which the stated supply is a different one; real ones reach 0.08."""


def check_voltage_unit(table: Table, header: Header) -> list[Fault]:
    """Supply voltages that only fit the nominal supply in another unit."""
    if header.supply is None or not table.finite("voltage"):
        return []
    name = table.names["voltage"]
    median = float(np.median(table.channels["voltage"]))
    low, high = VOLTAGE_RANGE
    fitting = [u for u, f in VOLTAGE_UNITS.items() if low <= median * f / header.supply <= high]
    if "V" in fitting:
        return []
    text = f"median {median:.4g} where the supply is {header.supply:.4g} V"
    if not fitting:
        finding = Finding(
            "voltage-unit", name, f"{text}: no unit fits", "error", repair="voltage-unit"
        )
        return [(finding, lambda t: t.without("voltage"))]
    factor = VOLTAGE_UNITS[fitting[0]]
    finding = Finding(
        "voltage-unit", name, f"{text}: in units of {fitting[0]}", "error", repair="voltage-unit"
    )
    return [(finding, lambda t: t.put("voltage", t.channels["voltage"] * factor))]


def check_supply(table: Table, header: Header) -> list[Fault]:
    """A stated supply that the recorded voltage contradicts. There is no repair: one of them is wrong."""
    if header.supply is None or not table.finite("voltage"):
        return []
    idle = float(np.quantile(table.channels["voltage"], IDLE))
    low, high = VOLTAGE_RANGE
    off = idle / header.supply
    if not low <= off <= high or abs(off - 1.0) <= CONTRADICTS:
        return []
    text = (
        f"{header.supply:.4g} V is stated, {idle:.4g} V was measured at low current: "
        f"give the right one (--reading voltage={idle:.3g}), or --reading supply=measured"
    )
    return [(Finding("supply", table.names["voltage"], text, "warning"), None)]


def check_temperature(table: Table, header: Header) -> list[Fault]:
    """Temperatures that no servo has, as from a missing sensor, or in kelvin."""
    if not table.finite("temperature"):
        return []
    values = table.channels["temperature"]
    if possible(values):
        return []
    low, high = TEMPERATURES
    text = f"{values.min():.4g} to {values.max():.4g} where {low:g} to {high:g} degC are possible"
    return [(Finding("range", table.names["temperature"], text, "error"), None)]


def check_dropouts(table: Table, header: Header) -> list[Fault]:
    """Samples (one or two in a row) that leave the motion and return to it."""
    faults: list[Fault] = []
    line, goal = table.channels["position"], table.channels.get("goal")
    if table.finite("position"):
        faults += _dropouts(table, "position", *position_dropouts(table.time, line, goal), "rad")
    if goal is not None and table.finite("position") and table.finite("goal"):
        bad, size = position_dropouts(table.time, goal, line, REACH)
        often = np.count_nonzero(np.diff(bad.astype(int)) > 0) >= OFTEN
        if often and np.ptp(goal[bad]) == 0.0:  # else pulses were sent, or a step at the end
            faults += _dropouts(table, "goal", bad, size, "rad")
    if table.finite("voltage"):
        bad, size = _voltage_dropouts(table.channels["voltage"])
        faults += _dropouts(table, "voltage", bad, size, "V")
    return faults


def position_dropouts(
    time: Floats, position: Floats, goal: Floats | None = None, longest: int = RUN
) -> tuple[Bools, Floats]:
    """Dropouts, at most `longest` samples in a row, and the deviation of each [rad].

    The search is repeated without those found, because a dropout can hide another.
    """
    told = goal if goal is not None and np.isfinite(goal).all() else None
    size = _failed_reads(time, position, goal, longest)
    bad = size > 0.0
    for _ in range(PASSES):
        sound = np.flatnonzero(~bad)
        if len(sound) <= 2 * REACH:
            break
        off, far = _standing_off(time[sound], position[sound])
        turns = _turning_twice(position[sound])
        off |= turns
        for n in np.flatnonzero(off & ~turns):
            if told is None:
                break
            row = int(sound[n])
            off[n] = not followed(time, told, max(row - 1, 0), float(far[n])) or _away_and_back(
                position, told, row
            )
        if not off.any():
            break
        bad[sound[off]] = True
        size[sound[off]] = far[off]
        size = np.maximum(size, _repeated(time, position, bad, longest))
        bad = size > 0.0
    return bad, size


def _away_and_back(position: Floats, goal: Floats, row: int) -> bool:
    """Whether a slow joint would have to leave its goal for one sample and return, and then move on slowly."""
    if not 1 < row < len(position) - 2:
        return False
    pace: Floats = np.abs(np.diff(position[row - 2 : row + 3]))
    far: Floats = np.abs(goal - position)[row - 1 : row + 2]
    return bool(
        min(pace[1:3]) > 2.0 * SPREAD * max(pace[[0, 3]]) and far[1] > 2.0 * max(far[[0, 2]])
    )


def _turning_twice(line: Floats) -> Bools:
    """Samples at which the direction reverses, and again at the next, as no joint does."""
    into, out, on = np.diff(line)[:-2], np.diff(line)[1:-1], np.diff(line)[2:]
    twice = (into * out < 0.0) & (into * on > 0.0) & (into * (into + out) > 0.0)
    twice &= np.min(np.abs([into, out, into + out]), axis=0) > 3.0 * DROPOUT
    return np.concatenate([[False], twice, [False, False]])


def _repeated(time: Floats, position: Floats, bad: Bools, longest: int) -> Floats:
    """Deviations [rad] of further samples with the value of failed reads; else 0.

    If reads fail often, they are too close together to be detected from the samples around each.
    """
    size = np.zeros(len(time))
    values, counts = np.unique(position[bad], return_counts=True)
    for value in values[(counts >= OFTEN) | (values == 0.0)]:
        same = position == value
        others = np.flatnonzero(~same & ~bad)
        ends = np.flatnonzero(np.diff(np.r_[0, same.astype(int), 0]))
        brief = np.zeros(len(time), bool)
        for a, b in zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True):
            brief[a:b] = b - a <= longest
        if len(others) > 1:
            far = np.abs(np.interp(time, time[others], position[others]) - position)
            # At an end of the recording it may be a rest, unless the joint had to leap there.
            one, two, three, four = position[others[[0, 1, -2, -1]]]
            brief[: others[0]] &= _leaps(two, one, value)
            brief[others[-1] + 1 :] &= _leaps(three, four, value)
            size = np.where(same & brief & (far > DROPOUT), far, size)
    return size


def _leaps(before: float, last: float, value: float) -> bool:
    """Whether a joint moving from `before` to `last` would have to leap to a value; no joint reverses at once."""
    toward = max((last - before) * np.sign(value - last), 0.0)
    return abs(value - last) > LEAP + SPREAD * toward


def _failed_reads(time: Floats, position: Floats, goal: Floats | None, longest: int) -> Floats:
    """Deviations [rad] of a value read several times in a row from the motion around it; else 0."""
    size = np.zeros(len(time))
    begins = np.flatnonzero(np.r_[True, np.diff(position) != 0.0])
    ends = np.r_[begins[1:], len(position)]
    long = (ends - begins >= 3) & (ends - begins <= longest)
    long &= (begins >= REACH) & (ends <= len(position) - REACH)
    begins, ends = begins[long], ends[long]
    out, back = position[begins - 1] - position[begins], position[ends] - position[begins]
    leaps = (out * back > 0.0) & (np.minimum(np.abs(out), np.abs(back)) > 3.0 * DROPOUT)
    is_told = goal is not None and bool(goal.any())
    for a, b in zip(begins[leaps].tolist(), ends[leaps].tolist(), strict=True):
        before, value, after = (float(position[k]) for k in (a - 1, a, b))
        out, back = before - value, after - value
        if out * back <= 0.0 or min(abs(out), abs(back)) < 3.0 * (DROPOUT + abs(after - before)):
            continue
        pace = max(abs(position[a - 1] - position[a - 2]), abs(position[b + 1] - position[b]))
        told = None if goal is None or not np.isfinite(goal[a]) else float(goal[a])
        meant = told is not None and is_told and abs(told - value) < abs(told - before)
        if min(abs(out), abs(back)) > SPREAD * pace and not meant:
            size[a:b] = min(abs(out), abs(back))
    return size


def _standing_off(time: Floats, position: Floats) -> tuple[Bools, Floats]:
    """One search for dropouts.

    Every pair among the 6 nearest rows predicts a sample by a straight line. A dropout is
    far from the median prediction, measured by how much the predictions disagree: the sound
    neighbours outvote a bad one, while a step or an impact makes them all disagree.
    """
    n = len(time)
    row = np.arange(n)
    start = np.clip(row - REACH, 0, n - 2 * REACH - 1)
    near = start[:, None] + np.arange(2 * REACH)[None, :]
    near = near + (near >= row[:, None])
    t, x = time[near], position[near]
    lines = np.stack(
        [
            x[:, a] + (x[:, b] - x[:, a]) * (time - t[:, a]) / (t[:, b] - t[:, a])
            for a, b in combinations(range(2 * REACH), 2)
        ]
    )
    expected = np.median(lines, axis=0)
    spread = np.median(np.abs(lines - expected), axis=0)
    size = np.abs(position - expected)
    return size > DROPOUT + SPREAD * spread, size


def _voltage_dropouts(voltage: Floats) -> tuple[Bools, Floats]:
    """Runs of at most two samples far from the median; a longer one is the supply itself."""
    median = float(np.median(voltage))
    size = np.abs(voltage - median)
    far = np.concatenate([[False] * 3, size > VOLTAGE_SPIKE * abs(median), [False] * 3])
    threes = far[:-2] & far[1:-1] & far[2:]
    longer = np.convolve(threes, np.ones(3), "full") > 0
    return (far & ~longer)[3:-3], size


def _dropouts(table: Table, channel: str, bad: Bools, size: Floats, unit: str) -> list[Fault]:
    rows = np.flatnonzero(bad)
    if len(rows) == 0:
        return []
    where, first = spots(table, [int(row) for row in rows])
    text = (
        f"{counted(len(rows), 'dropout')}, up to {size[bad].max():.3g} {unit} off "
        f"(first at {first})"
    )
    finding = Finding("dropout", table.names[channel], text, "warning", where, "dropout")
    return [(finding, lambda t: t.interpolate(channel, bad))]
