"""Faults of a position over its samples: wraps, sign bits, wrong turns, jumps, readings that do not change."""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pliant.io.commands_told import LONGEST as LATEST
from pliant.io.commands_told import MOVED, aligned
from pliant.io.encoder_steps import resolution
from pliant.io.findings import Fault, Finding, spots
from pliant.io.table import Floats, Header, Table
from pliant.words import counted

JUMP = 0.1
"""[rad, m] Smallest step between two rows that counts as a jump."""
STEPS = 4.0
"""Encoder steps that a jump must exceed: a coarse encoder may move by several at once."""
SPREAD = 4.0
"""Smallest ratio of a jump to the third largest disagreement of the six steps around it."""
SOON = 0.5
"""[s] Time within which a joint may follow a step of its goals in one sample."""
AT_ONCE = 0.1
"""[s] Time within which a joint starts to follow a step: as long as a bus takes."""
ARRIVED = 0.4
"""Largest remaining fraction of such a step if a joint followed it at once."""
SLIPPED = 0.5
"""Largest fraction of the motion unexplained by commands that remains after modelling a slip."""
INSIDE = 0.05
"""Smallest fraction of a recording before and after a slip."""
TURN = 2.0 * np.pi
NEAR = 0.3
"""[rad] Allowed distance from a whole number of turns."""
LEAST_GAP = 4.0
"""[median intervals] Across a longer interval a step is no jump."""
FROZEN = 5
"""Smallest number of equal consecutive readings that then leap to the joint's position."""
LEAP = 0.03
"""[rad, m] Smallest such leap. In 150 recorded motions the largest is 0.012, and none exceeds the step after it."""
REACH = 10
"""[samples] Window before and after a run of equal readings in which the joint keeps moving."""
FAST = 3.0
"""[steps of the encoder] Motion per sample in that window; a slower joint may well repeat a reading."""
CAUGHT_UP = 0.75
"""Fraction of the motion during equal readings that the next reading makes up for."""
REPEATED = 0.02
"""Share of such repeats among samples in motion. In 150 recorded motions it is at most 0.002."""
FEWEST = 3
"""Smallest number of such runs: of ten samples in motion, one sometimes repeats by chance."""
MANY = 20
"""Number of changes that are all a multiple of some samples apart by chance with a probability of 1e-6."""
REST = 0.01
"""[rad/s, m/s] Speed below which a joint is at rest."""
GOES_ON = 0.05
"""[rad, m] Range of commands that a joint must follow."""
LONG = 1.0
"""[s] Duration from which a reading that is constant to the end, while commands continue, is reported."""


class Jumps(NamedTuple):
    """Rows before a jump, and the deviation of each from the motion around it [rad, m]."""

    rows: NDArray[np.intp]
    excess: Floats


def jumps(time: Floats, position: Floats, goal: Floats | None = None) -> Jumps:
    """Steps of a position that neither the motion around them nor a step of the goals explains."""
    dt, step = np.diff(time), np.diff(position)
    pace, excess = _paces(time, position)
    apart = np.abs(pace - np.median(pace, axis=1)[:, None])
    spread = np.sort(np.delete(apart, 3, axis=1), axis=1)[:, 3] * dt
    least = max(JUMP, STEPS * (resolution(position) or 0.0))
    far = np.abs(excess) > least + SPREAD * spread
    rows = np.flatnonzero(far & (dt <= LEAST_GAP * np.median(dt)))
    if goal is not None and np.isfinite(goal).all():
        # A joint that follows a step of its goals in one sample arrives, or keeps moving.
        short = np.abs((goal - position)[1:]) > ARRIVED * np.abs(step)
        short &= np.r_[np.abs(step[1:-2]) < 0.5 * np.abs(step[:-3]), False, False, False]
        kept = [k for k in rows.tolist() if short[k] or not followed(time, goal, k, excess[k])]
        rows = np.array(kept, np.intp)
    return Jumps(rows, excess[rows])


def _paces(time: Floats, position: Floats) -> tuple[Floats, Floats]:
    """The speeds [rad/s, m/s] of each step and its six neighbours, and the step minus their median's motion [rad, m]."""
    dt, step = np.diff(time), np.diff(position)
    pace = sliding_window_view(np.pad(step / dt, 3, mode="reflect"), 7)
    return pace, step - np.median(pace, axis=1) * dt


def slip(time: Floats, position: Floats, goal: Floats) -> tuple[int, float] | None:
    """The row before a step in a joint's offset from its commands, and its size [rad, m].

    Least-squares fit of the position to its commands, a constant and a step at one row; for all rows at once,
    using the part of the step that commands and constant do not explain.
    """
    told, _, lag = aligned(time, position, goal)
    if not np.ptp(told) or not np.ptp(position):
        return None
    told = np.interp(time - lag, time, goal)
    told, place = told - told.mean(), position - position.mean()
    told /= np.linalg.norm(told)
    place = place - np.dot(told, place) * told
    before = np.arange(1, len(time))
    free = before * (1.0 - before / len(time)) - np.cumsum(told)[:-1] ** 2
    size = -np.cumsum(place)[:-1] / np.maximum(free, INSIDE)
    left = 1.0 - size**2 * free / np.dot(place, place)
    excess = _paces(time, position)[1]
    found = (np.abs(excess) > JUMP) & (np.abs(size) > JUMP) & (excess * size > 0.5 * size**2)
    found &= (left < SLIPPED) & (np.abs(before / len(time) - 0.5) < 0.5 - INSIDE)
    row = int(np.argmin(np.where(found, left, np.inf)))
    return (row, float(size[row])) if found[row] else None


def followed(time: Floats, goal: Floats, row: int, size: float, soon: float = SOON) -> bool:
    """Whether the goals stepped shortly before, so that a joint may follow, or swing back, at once."""
    first = int(np.count_nonzero(time < time[row] - soon))
    told: Floats = np.abs(np.diff(goal[max(first - 1, 0) : row + 2]))
    return len(told) > 0 and float(told.max()) > 0.5 * abs(size)


def unwound(time: Floats, position: Floats, goal: Floats | None) -> tuple[Floats, str] | None:
    """The unwrapped position, and a description of the fault; None if there is none.

    Counts that wrap jump by whole turns. Counts with a sign bit jump from 0 to that bit's weight, and then
    rise while the joint keeps moving downward.
    """
    found = jumps(time, position, goal)
    turns = np.round(found.excess / TURN)
    near = (turns != 0.0) & (np.abs(found.excess - TURN * turns) < NEAR)
    if near.any():
        weight = TURN * float(np.abs(turns[near]).max())
        ends = np.sort(
            np.stack([position[found.rows[near]], position[found.rows[near] + 1]]), axis=0
        )
        base = TURN * round(float(np.quantile(ends[0], 0.5)) / TURN)
        ends, above = ends - base, position - base
        if np.abs(ends[0]).max() < NEAR and (ends[1] > weight - 1e-6).all():
            signed = np.where(above > weight - 1e-6, weight - above, above)
            if len(jumps(time, signed, goal).rows) <= len(found.rows) - int(near.sum()):
                more = f", {base:+.4g} rad beside" if base else ""
                return signed, f"a bit of its counts ({weight:.4g} rad) is their sign{more}"
        off = np.zeros(len(position))
        off[found.rows[near] + 1] = TURN * turns[near]
        line = position - np.cumsum(off)
        if len(jumps(time, line, goal).rows) <= len(found.rows) - int(near.sum()):
            away = _turns_from(line, goal)
            away = TURN * np.round(np.median(line) / TURN) if away is None else away
            many = counted(int(near.sum()), "time")
            return line - away, f"its counts wrap, {many}, by {weight:.4g} rad"
    away = _turns_from(position, goal)
    if away:
        text = f"stands {away:+.4g} rad, {away / TURN:+.0f} turns, from its command throughout: it was counted from a different turn"
        return position - away, text
    return None


def _turns_from(line: Floats, goal: Floats | None) -> float | None:
    """[rad] Offset of a position from its goals in whole turns, throughout; None without goals."""
    if goal is None or not np.isfinite(goal).all() or not goal.any():
        return None
    low, middle, high = (float(np.quantile(line - goal, q)) for q in (0.1, 0.5, 0.9))
    turns = TURN * round(float(middle) / TURN)
    return turns if max(high - turns, turns - low) < 0.25 * TURN else 0.0


def check_turns(table: Table, header: Header) -> list[Fault]:
    """Turns that the encoder did not count."""
    if not table.finite("position"):
        return []
    line, goal = table.channels["position"], table.channels.get("goal")
    found = unwound(table.time, line, goal)
    if found is None:
        if np.abs(line).min() < np.pi or (goal is not None and goal.any()):
            return []
        text = f"is {line.min():.4g} to {line.max():.4g} rad, beyond half a turn throughout: counted from a different turn?"
        return [(Finding("zero", table.names["position"], text, "warning"), None)]
    line, text = found
    rows = np.flatnonzero(np.abs(line - table.channels["position"]) > NEAR)
    where, first = spots(table, [int(row) for row in rows] or [0])
    text = f"{text} ({counted(len(rows), 'sample')}, first at {first})"
    finding = Finding("wrap", table.names["position"], text, "warning", where, "wrap")
    return [(finding, lambda t: t.put("position", line))]


def check_jumps(table: Table, header: Header) -> list[Fault]:
    """Steps of the position that do not return. There is no repair: the cause is unknown."""
    if not table.finite("position"):
        return []
    line = table.channels["position"]
    goal = table.channels.get("goal")
    found = jumps(table.time, line, goal)
    if len(found.rows) == 0:
        return [] if goal is None or not np.isfinite(goal).all() else _slips(table, line, goal)
    where, first = spots(table, [int(row) + 1 for row in found.rows])
    steps = np.diff(line)[found.rows]
    largest = float(steps[np.argmax(np.abs(found.excess))])
    text = f"{counted(len(found.rows), 'jump')}, the largest {largest:+.3f} rad (first at {first})"
    if abs(abs(largest) - TURN) < NEAR:
        text += ": about a full turn, as when an encoder wraps"
    text += "; no repair, but --cut can leave out one side of it"
    return [(Finding("jump", table.names["position"], text, "warning", where), None)]


def _slips(table: Table, line: Floats, goal: Floats) -> list[Fault]:
    """A jump that only the commands show."""
    found = slip(table.time, line, goal)
    if found is None:
        return []
    row, size = found
    where, first = spots(table, [row + 1])
    text = f"stands {size:+.2f} rad further from its commands from {first} on: it slipped in motion; no repair"
    return [(Finding("jump", table.names["position"], text, "warning", where), None)]


def check_motion(table: Table, header: Header) -> list[Fault]:
    """A joint that moves for less time than it may lag: all its motion may come from one command."""
    time, line = table.time, table.channels["position"]
    is_at_rest = np.ptp(line) < MOVED and time[-1] - time[0] > LATEST
    if not table.finite("position") or "goal" not in table or is_at_rest:
        return []
    edges = np.flatnonzero(
        np.diff(np.floor((time - time[0]) / AT_ONCE), prepend=-1.0, append=np.inf)
    )
    edges[-1] = len(time) - 1
    lasts, gone = np.diff(time[edges]), np.abs(np.diff(line[edges]))
    moving = float(lasts[gone > REST * lasts].sum())
    if moving >= LATEST:
        return []
    text = (
        f"moves for {moving:.2g} s in all, less than the {LATEST:g} s that a servo may lag: too little to separate "
        "its delay from gains, friction and load"
    )
    return [(Finding("length", table.names["position"], text, "warning"), None)]


def check_held(table: Table, header: Header) -> list[Fault]:
    """Readings that do not change while the joint moves: each for several samples, occasionally, or to the end."""
    if not table.finite("position"):
        return []
    line = table.channels["position"]
    edges = np.diff(np.concatenate([[0], np.diff(line) == 0.0, [0]]))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    if text := _repeated(table.time, line, begins, ends):
        return [(Finding("held", table.names["position"], text, "warning"), None)]
    long = ends - begins >= FROZEN - 1
    return [*_leaping(table, begins[long], ends[long]), *_stopped(table, begins[long], ends[long])]


def _repeated(
    time: Floats, line: Floats, begins: NDArray[np.intp], ends: NDArray[np.intp]
) -> str | None:
    """Message about readings that repeat the previous one although the joint moves.

    Either all changes are a multiple of several samples apart, which no motion does; or a joint moves in one direction
    by several steps a sample, and catches up after each run of equal readings, which a sticking joint does not.
    """
    every = 1e3 * float(np.median(np.diff(time)))
    step: Floats = np.abs(np.diff(line))
    changes = np.flatnonzero(step)
    times = int(np.gcd.reduce(np.diff(changes))) if len(changes) > MANY else 1
    if times > 1:
        return f"each reading appears {times} times: it was read every {times * every:.3g} ms"
    apart: Floats = np.diff(np.unique(np.round(line, 7)))  # without digits that a repair left
    if len(line) < 2 * REACH + 2 or not len(apart):
        return None
    gone: Floats = line[REACH:] - line[:-REACH]
    before, after = gone[: -REACH - 1], gone[REACH + 1 :]
    pace = np.zeros(len(step))
    pace[REACH:-REACH] = np.minimum(np.abs(before), np.abs(after)) * (before * after > 0.0) / REACH
    moving = pace > FAST * float(np.quantile(apart, 0.05))
    inside = ends < len(step)
    begins, ends = begins[inside], ends[inside]
    made_up = step[ends] > CAUGHT_UP * pace[begins] * (ends - begins + 1)
    repeats = (ends - begins)[made_up & moving[begins]]
    share = float(repeats.sum()) / max(int(moving.sum()), 1)
    if len(repeats) < FEWEST or share < REPEATED:
        return None
    return (
        f"{100 * share:.0f} % of the samples in motion repeat the previous one, and the next catches up: the "
        "recorder found no new reading, and the positions are older than their times"
    )


def _leaping(table: Table, begins: NDArray[np.intp], ends: NDArray[np.intp]) -> list[Fault]:
    """Runs of one reading, from `begins` to `ends`, followed by a leap; a joint that starts from rest accelerates."""
    time, line, goal = table.time, table.channels["position"], table.channels.get("goal")
    inside = (begins > 0) & (ends < len(line) - FROZEN)
    begins, ends = begins[inside], ends[inside]
    leap = np.abs(line[ends + 1] - line[ends])
    after = np.abs(np.diff(line[ends[:, None] + np.arange(1, FROZEN)])).max(axis=1)
    step = resolution(line) or 0.0  # a single step is no leap
    found = (leap > max(LEAP, 1.5 * step)) & (leap > 2.0 * after)
    if goal is not None and np.isfinite(goal).all():
        pairs = zip(ends.tolist(), leap.tolist(), strict=True)
        found &= ~np.array([followed(time, goal, *pair, AT_ONCE) for pair in pairs], bool)
    if not found.any():
        return []
    where, first = spots(table, [int(row) for row in begins[found]])
    text = (
        f"stands still {counted(len(where), 'time')} and then leaps to the joint's position, by up to "
        f"{leap[found].max():.3g} rad (first from {first}): stale readings"
    )
    return [(Finding("held", table.names["position"], text, "warning", where), None)]


def _stopped(table: Table, begins: NDArray[np.intp], ends: NDArray[np.intp]) -> list[Fault]:
    """A long run of one reading that interrupts the motion and lasts to the end, while commands continue."""
    time, line, goal = table.time, table.channels["position"], table.channels.get("goal")
    if goal is None or not len(ends) or ends[-1] < len(line) - 1 or begins[-1] < FROZEN:
        return []
    first, last = int(begins[-1]), int(ends[-1])
    # Commands of the last moments cannot show yet.
    meant = goal[(time >= time[first]) & (time < time[last] - SOON)]
    moved = np.diff(line[first - FROZEN : first + 1]) != 0.0
    if (
        not len(meant)
        or np.ptp(meant) <= max(GOES_ON, 0.5 * float(np.ptp(goal)))
        or not moved.all()
    ):
        return []
    if time[last] - time[first] < LONG:
        return []
    where, begin = spots(table, range(first, last + 1))
    text = f"never changes again from {begin} on, though its commands continue: stale readings, or a stalled joint"
    return [(Finding("held", table.names["position"], text, "warning", where), None)]
