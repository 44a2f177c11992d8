"""Faults of a log's rows and clock, and the order of all checks.

Each check returns findings, each with the fix that its repair would apply. `examine` runs
all checks in order on a copy that is always repaired, so that one fault does not hide the next,
and applies to the log itself only the repairs that were asked for.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pliant.io.commands_told import FARTHEST, alone, check_followed, no_commands
from pliant.io.faults_filter import check_filtered
from pliant.io.faults_position import check_held, check_jumps, check_motion, check_turns, unwound
from pliant.io.faults_signal import (
    check_dropouts,
    check_supply,
    check_temperature,
    check_voltage_unit,
)
from pliant.io.findings import Check, Fault, Finding, spots
from pliant.io.lost_values import (
    GAP,
    LONG,
    SLOW,
    SPARED,
    STRETCH,
    check_nan,
    implausible,
    longest_stretch,
    suspected,
)
from pliant.io.pendulum_zero import check_pendulum_zero
from pliant.io.table import Bools, Floats, Header, Table
from pliant.io.velocity import check_velocity_lag, check_velocity_unit
from pliant.words import counted

LEAST_ROWS = 8
"""Fewer rows cannot be checked, and identify nothing."""

RESTART = 20.0
"""[median intervals] a longer step back is a restarted clock, not swapped rows."""

SWAPPED = 3
"""Largest number of consecutive rows earlier than one before them; more mean a clock that was set back."""

DENSE = 0.6
"""[short intervals] Spacing of sorted rows below which they come from a clock that was set back."""

TURN = 8.0
"""[rad] Further, no pendulum swings and no joint of an arm turns: these are probably degrees."""


def examine(
    table: Table, header: Header, repair: Collection[str], checks: Sequence[Check] | None = None
) -> tuple[Table, tuple[Finding, ...]]:
    """The table with the repairs asked for, and all findings.

    Args:
        table: one joint's samples. header: its constants. repair: faults to repair.
        checks: those of a log of one joint, by default.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _without_unusable(*_examine(table, header, repair, checks or _CHECKS))


def _without_unusable(
    table: Table, findings: tuple[Finding, ...]
) -> tuple[Table, tuple[Finding, ...]]:
    """Leave out an unusable optional channel instead of the whole log."""
    said: list[Finding] = []
    for finding in findings:
        channel = next((c for c in SPARED if finding.field == table.names.get(c)), None)
        if channel is None or not finding.blocks:
            said.append(finding)
            continue
        table = table.without(channel)
        text = f"{finding.message}; treated as not recorded"
        said.append(replace(finding, severity="warning", message=text))
    return table, tuple(said)


def _examine(
    table: Table, header: Header, repair: Collection[str], checks: Sequence[Check]
) -> tuple[Table, tuple[Finding, ...]]:
    findings: list[Finding] = []
    clean = table
    for check in checks:
        if len(clean) < LEAST_ROWS and check not in (check_length, check_rows):
            continue
        for finding, fix in check(clean, header):
            asked = fix is not None and finding.repair in repair
            findings.append(replace(finding, repaired=asked))
            if fix is None or (finding.repair == STRETCH and not asked and not finding.blocks):
                continue  # data beyond a gap are checked too
            clean = fix(clean)
            if asked and not any(earlier.blocks for earlier in findings):
                table = fix(table)
        hopeless = any(finding.blocks and finding.repair is None for finding in findings)
        if hopeless and _unusable(clean):
            break
    return table, tuple(findings)


def check_length(table: Table, header: Header) -> list[Fault]:
    """Rows that lack one of their values, and too few rows."""
    rows = np.flatnonzero(table.gaps)
    if len(rows) == 0:
        return []
    where = tuple(table.row(int(row)) for row in rows)
    lacking = [
        name
        for channel, name in table.names.items()
        if channel in table and bool(np.isnan(table.channels[channel][table.gaps]).any())
    ]
    text = f"{counted(len(rows), 'row is', 'rows are')} incomplete (first {where[0]})"
    finding = Finding("length", ", ".join(lacking) or "rows", text, "error", where, "length")
    return [(finding, lambda t: t.keep(~t.gaps))]


def check_rows(table: Table, header: Header) -> list[Fault]:
    """Too few rows for anything."""
    if len(table) >= LEAST_ROWS:
        return []
    text = f"only {len(table)} complete, at least {LEAST_ROWS} are needed"
    return [(Finding("length", "rows", text, "error"), None)]


def check_time(table: Table, header: Header) -> list[Fault]:
    """Times that are not finite, repeat, run backward, or start again."""
    name = table.names["time"]
    time = table.time
    finite = np.isfinite(time)
    steps = np.diff(time[finite])
    rows = np.flatnonzero(finite)[1:]
    back, same = rows[steps < 0], rows[steps == 0]
    lost = np.flatnonzero(~finite)
    if len(back) + len(same) + len(lost) == 0:
        return []
    parts = [
        counted(len(found), one, many)
        for found, one, many in (
            (back, "step backward", "steps backward"),
            (same, "repeated time", "repeated times"),
            (lost, "time that is not finite", "times that are not finite"),
        )
        if len(found)
    ]
    bad = sorted(int(row) for row in np.concatenate([back, same, lost]))
    where = tuple(table.row(row) for row in bad)
    text = f"{', '.join(parts)} (first at {where[0]})"
    forward = steps[steps > 0]
    if len(forward) == 0:
        finding = Finding("time", name, f"{text}; time never advances", "error", where)
        return [(finding, None)]
    late = time[finite] < np.maximum.accumulate(time[finite])
    runs = np.diff(np.flatnonzero(np.diff(np.r_[False, late, False])))[::2]
    restarted = runs.max(initial=0) > SWAPPED or steps.min() < -RESTART * float(np.median(forward))
    if restarted or _interleaved(time[finite], late):
        known, k = time[finite], int(np.argmax(late))
        around = known[k + 1 : k + 2] - known[k - 1] - 2.0 * float(np.median(forward))
        alone = np.count_nonzero(late) == 1 and (abs(around) < np.median(forward)).any()
        advice = " in one row: leave it out" if alone else ": cut the file into two runs"
        text += f"; the clock goes back by {-steps.min():.3g} s{advice}"
        return [(Finding("time", name, text, "error", where), None)]
    return [(Finding("time", name, text, "error", where, "time"), _sorted_by_time)]


def check_range(table: Table, header: Header) -> list[Fault]:
    """Positions and goals beyond reach. There is no repair: their meaning is unknown."""
    faults: list[Fault] = []
    for channel in ("position", "goal"):
        if channel not in table:
            continue
        values = np.abs(table.channels[channel])
        rows = np.flatnonzero(np.isfinite(values) & (values > FARTHEST))
        if len(rows) == 0:
            continue
        where, first = spots(table, [int(row) for row in rows])
        text = (
            f"{counted(len(rows), 'value is', 'values are')} beyond {FARTHEST:g} rad, up to "
            f"{values[rows].max():.4g} (first at {first})"
        )
        if len(np.unique(values[rows])) == 1:
            text += ": a marker for missing values? --cut leaves out the start or end"
        faults.append((Finding("range", table.names[channel], text, "error", where), None))
    if not faults and "goal" in table:
        name, goals = table.names["goal"], np.abs(table.channels["goal"])
        if (most := float(np.nanmax(goals, initial=0.0))) > TURN:
            text = f"reaches {most:.4g} rad: degrees? --unit deg, or of some columns --columns"
            faults.append((Finding("goal-unit", name, text, "warning"), None))
    return faults


def check_power(table: Table, header: Header) -> list[Fault]:
    """A motor that was never powered. There is no repair: nothing drove the joint."""
    if bool((table.channels["enabled"] > 0.5).any()):
        return []
    text = "is 0 in every row: the motor was never powered, so nothing can be identified from it"
    return [(Finding("off", table.names["enabled"], text, "error"), None)]


def check_commands(table: Table, header: Header) -> list[Fault]:
    """Commands that are the joint's own motion, as read by its encoder or unwrapped, which no fit can follow."""
    if not table.finite("goal"):
        return []
    line = unwound(table.time, table.channels["position"], table.channels["goal"])
    tables = [table] if line is None else [table, table.put("position", line[0])]
    said = next((found for one in tables if (found := no_commands(alone(one)))), list[Finding]())
    name = table.names["goal"]
    return [
        (Finding("command", name, f"{one.message}; record what was sent", "error"), None)
        for one in said
    ]


def check_clock(table: Table, header: Header) -> list[Fault]:
    """A time that is not in seconds. There is no repair: the log does not show its unit."""
    usual = float(np.median(np.diff(table.time)))
    length = float(table.time[-1] - table.time[0])
    name = table.names["time"]
    if (said := implausible(table.time)) is not None:
        return [(Finding("time", name, said, "error"), None)]
    if usual <= SLOW and length <= LONG:
        return []
    text = f"{usual:.4g} s between samples and {length:.4g} s in all is unusual: {suspected(usual)}"
    return [(Finding("time", name, text, "warning"), None)]


def check_gaps(table: Table, header: Header) -> list[Fault]:
    """Intervals much longer than the others, in which nothing is known."""
    steps = np.diff(table.time)
    usual = float(np.median(steps))
    rows = np.flatnonzero(steps > GAP * usual)
    if len(rows) == 0:
        return []
    where, first = spots(table, [int(row) for row in rows])
    text = (
        f"{counted(len(rows), 'gap')}, the longest {steps.max():.3f} s where {usual:.4f} s is "
        f"usual (first after {first}); cut the file there, or keep the longest stretch"
    )
    finding = Finding("gap", table.names["time"], text, "warning", where, STRETCH)
    return [(finding, longest_stretch)]


def _interleaved(time: Floats, late: Bools) -> bool:
    """Whether late rows fall between others, as after a clock was set back; swapped rows would fill a gap."""
    order = np.argsort(time, kind="stable")
    steps = np.diff(time[order])
    beside = late[order][1:] | late[order][:-1]
    if not beside.any() or beside.all():
        return False
    return float(steps[beside].min()) < DENSE * float(np.quantile(steps[~beside], 0.05))


def _sorted_by_time(table: Table) -> Table:
    """Sorted, the first of each repeated time kept, rows without a time dropped."""
    order = np.argsort(table.time, kind="stable")
    order = order[np.isfinite(table.time[order])]
    times = table.time[order]
    return table.keep(order[np.concatenate([[True], np.diff(times) > 0])])


def _unusable(table: Table) -> bool:
    """Whether the later checks lack what they need."""
    if len(table) < LEAST_ROWS or not table.finite("time"):
        return True
    return bool((np.diff(table.time) <= 0).any()) or implausible(table.time) is not None


_CHECKS: Sequence[Check] = (
    check_length,
    check_rows,
    check_time,
    check_rows,
    check_nan,
    check_range,
    check_power,
    check_clock,
    check_gaps,
    check_voltage_unit,
    check_supply,
    check_temperature,
    check_commands,
    check_turns,
    check_dropouts,
    check_jumps,
    check_motion,
    check_held,
    check_filtered,
    check_followed,
    check_velocity_unit,
    check_velocity_lag,
    check_pendulum_zero,
)
