"""Programs that publish the same joints on one topic, distinguished by content and timing of their messages.

A bag does not say who sent a message. Two programs differ in the fields that they fill or the frame that
they name, or else in their values: each one's are smooth, while the mixed sequence jumps between the two.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.findings import Finding
from pliant.io.formats.series import Series
from pliant.words import counted

LEAPS = 5.0
"""Ratio of a message's distance from both neighbours to theirs from each other, from which it may be another's."""
LEAST = 0.01
"""[rad, m] Smaller leaps are of a sensor's last digit."""
SHARE = 0.03
"""Share of the messages that must leap so."""
MOST = 3
"""Programs that are distinguished by their numbers."""
HOLES = 1.6
"""[median intervals] Regularity of one program's messages without the other's; failed reads leave holes."""
FEWEST = 20
"""Smallest number of messages that are distinguished."""
SOON = 0.7
"""[median intervals] Shortest interval between two messages of a program."""
Rows = NDArray[np.intp]


def one_publisher(
    found: Series, chosen: int | None, findings: list[Finding], option: str
) -> Series:
    """The messages of one program; the only one, or that which was chosen.

    Args:
        found: messages of a topic. chosen: 1 for the program with the most messages; None: not said.
        findings: what is said about it is added here. option: that chooses.
    """
    parts = [part for one in (found, *found.rivals) for part in _split(replace(one, rivals=()))]
    parts.sort(key=lambda part: -len(part.logged))
    if len(parts) == 1:
        return parts[0]
    who = [f"{k}: {_described(part)}" for k, part in enumerate(parts, 1)]
    text = f"{len(parts)} programs publish its joints ({'; '.join(who)})"
    if chosen is None or not 1 <= chosen <= len(parts):
        choice = " or ".join(f"--reading publisher={option}{k}" for k in range(1, len(parts) + 1))
        raise PliantError(text, field=found.topic, found=chosen, accepted=choice)
    findings.append(Finding("sources", found.topic, f"{text}: {chosen} is read", "warning"))
    return parts[chosen - 1]


def _described(part: Series) -> str:
    length = 1e-9 * float(part.logged[-1] - part.logged[0]) if len(part.logged) > 1 else 0.0
    rate = f", {(len(part.logged) - 1) / length:.3g} Hz" if length > 0.0 else ""
    place = part.values["position"]
    moves = "all 0" if not place.any() else f"{place.min():.3g} to {place.max():.3g}"
    if len(place) and not np.ptp(place, axis=0).any():
        moves = "all 0" if not place.any() else "never moves"
    frame = f" of frame {part.frame!r}" if part.frame else ""
    return f"{counted(len(part.logged), 'message')}{frame}{rate}, {moves}"


def _split(found: Series) -> list[Series]:
    place = found.values.get("position")
    if place is None or len(place) < FEWEST:
        return [found]
    clock = found.logged if np.ptp(found.logged) or found.stamped is None else found.stamped
    order = np.argsort(clock, kind="stable")
    place, clock = place[order], clock[order]
    sound = np.isfinite(place).all(axis=1)
    last = np.maximum.accumulate(np.where(sound, np.arange(len(place)), int(np.argmax(sound))))
    rows = _tracks(place[last], clock) if sound.any() else None
    if rows is None or not _regular(clock, rows):
        return [found]
    return [taken(found, np.sort(order[some])) for some in rows]


def taken(found: Series, rows: Rows) -> Series:
    """These messages of a series."""
    return replace(
        found,
        logged=found.logged[rows],
        stamped=None if found.stamped is None else found.stamped[rows],
        values={name: values[rows] for name, values in found.values.items()},
    )


def _tracks(place: Floats, logged: NDArray[np.int64]) -> list[Rows] | None:
    """Rows of each smooth line among (N, J) positions; None where there is but one."""

    def apart(a: Floats, b: Floats) -> Floats:
        return np.abs(a - b).max(axis=1)

    before, after = apart(place[1:-1], place[:-2]), apart(place[1:-1], place[2:])
    around = apart(place[2:], place[:-2])
    leaps = np.minimum(before, after)
    off = leaps > np.maximum(LEAPS * around, LEAST)
    if off.mean() < SHARE:
        return None
    reach = max(0.5 * float(np.quantile(leaps[off], 0.25)), LEAST)
    labels = np.zeros(len(place), np.intp)
    _follow(place, logged, labels, range(len(place)), reach=reach, soon=np.zeros(MOST))
    # Where the lines cross, values alone do not separate them, but no program sends twice at once: so repeat
    # from where they are well apart, forwards and backwards.
    usual = [np.diff(logged[labels == k]) for k in range(MOST)]
    soon = np.array([SOON * float(np.median(some)) if len(some) else 0.0 for some in usual])
    apart_at = int(np.flatnonzero(labels == labels.max())[0])
    first = [int(np.flatnonzero(labels[: apart_at + 1] == k)[-1]) for k in range(labels.max() + 1)]
    known = np.zeros(len(place), np.intp)
    known[first] = range(len(first))
    for rows in (range(min(first) - 1, -1, -1), range(apart_at + 1, len(place))):
        _follow(place, logged, known, rows, soon=soon, seeds=first)
    rows = [np.flatnonzero(known == k) for k in range(MOST)]
    rows = [some for some in rows if len(some) >= SHARE * len(place)]
    joined = _joined(rows, logged)
    rows = joined if len(joined) > 1 else rows
    changes = int(np.count_nonzero(np.diff(known)))
    return rows if len(rows) > 1 and changes > min(map(len, rows)) else None


def _joined(rows: list[Rows], logged: NDArray[np.int64]) -> list[Rows]:
    """The lines, merging two if one continues whenever the other pauses."""
    found: list[Rows] = []
    for some in sorted(rows, key=len, reverse=True):
        for k, other in enumerate(found):
            both = np.sort(np.concatenate([other, some]))
            usual = float(np.median(np.diff(logged[other]))) if len(other) > 1 else 0.0
            if np.diff(logged[both]).min() > SOON * usual > 0.0:
                found[k] = both
                break
        else:
            found.append(some)
    return found


def _follow(
    place: Floats,
    logged: NDArray[np.int64],
    labels: Rows,
    rows: Sequence[int],
    *,
    soon: Floats,
    reach: float = np.inf,
    seeds: Sequence[int] = (),
) -> None:
    """Assign each position, row by row, to the line that it continues; farther than `reach` from all starts another.

    Args:
        place: (N, J). logged: (N,) [ns]. labels: (N,) filled in here. rows: in their order.
        soon: [ns] shortest interval within a line. seeds: a row of each line.
    """
    ends = {k: (place[row], place[row], float(logged[row])) for k, row in enumerate(seeds)}
    for n in rows:
        here, now = place[n], float(logged[n])
        away = {
            k: min(
                float(np.abs(here - (2.0 * last - earlier)).max()), float(np.abs(here - last).max())
            )
            for k, (last, earlier, _) in ends.items()
        }
        free = [k for k, (_, _, then) in ends.items() if abs(now - then) >= soon[k]]
        if not away or (min(away.values()) > reach and len(ends) < MOST):
            labels[n] = len(ends)
            ends[len(ends)] = (here, here, now)
            continue
        best = min(free or ends, key=lambda k: away[k])
        ends[best] = (here, ends[best][0], now)
        labels[n] = best


def _regular(logged: NDArray[np.int64], rows: Sequence[Rows]) -> bool:
    """Whether the largest part comes as regularly as a program's messages do."""
    steps = np.diff(logged[max(rows, key=len)])
    return float(np.quantile(steps, 0.98)) < HOLES * float(np.median(steps))
