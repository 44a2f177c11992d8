"""Differences between recorders by single logs, or their halves, all else as it is.

1. the error of every log, or of its halves, with other values, then closer around the best of each group
2. the value that each would have by itself
3. two groups are compared by runs of one command, in pairs: what is wrong with the model there moves both
   alike. The median of the pairs, because a motion that is nearly at rest says anything
4. with too few pairs, by their means, compared with the spread within groups
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.mounting import mountings
from pliant.identification.problem.recorder import CLEAR, Part
from pliant.identification.problem.repeatability import same_motion
from pliant.identification.problem.simulation import AnyLog, LogT
from pliant.io.log import Log

PAIRS = 6
"""Pairs from which their median counts: of fewer, a chance agreement of a few has no spread."""
CLEAR_MEDIAN = 5.0
"""Standard errors by which a median must be another: the spread beside it is a median too."""
TO_DEVIATION, OF_MEDIAN = 1.4826, 1.2533
"""Standard deviation over median distance, and standard error of a median over that of a mean: of normal values."""
ROUNDED = 12.0**-0.5
"""Standard deviation of what is rounded to steps of 1."""


@dataclass(frozen=True)
class Difference:
    """Difference of a part's value between two groups, by what their logs say by themselves.

    Attributes:
        value: second less first. around: to either side of it, what the logs leave open.
    """

    value: float
    around: float

    def holds(self, value: float) -> bool:
        """Whether it may be this one."""
        return abs(value - self.value) <= self.around


def singly(
    part: Part, logs: Sequence[LogT], by: str, errors: Callable[[Sequence[LogT]], Floats]
) -> Floats:
    """(L, H) value of a part that each log, or each half of it, would have by itself.

    Args:
        part: of the recordings. logs: as recorded. by: what logs of a group share.
        errors: logs to the mean error (L,) [rad] of each, or (L, 2) of its halves.
    """
    groups = mountings(cast("Sequence[Log]", logs), by)
    tried = part.around()
    rows = _rows(part, logs, tried, errors)
    best = [float(tried[int(np.argmin(rows[:, own].mean(axis=(1, 2))))]) for own in groups.values()]
    more = np.concatenate([part.around(value) for value in dict.fromkeys(best)])
    tried = np.append(tried, more)
    rows = np.append(rows, _rows(part, logs, more, errors), axis=0)
    each: Floats = tried[np.argmin(rows, axis=0)]
    return each


def difference(
    part: Part, logs: Sequence[LogT], by: str, between: tuple[str, str], each: Floats
) -> Difference:
    """The difference of the second of two groups from the first.

    Args:
        part, logs, by: as of `singly`. between: two groups. each: values of `singly`.
    """
    groups = mountings(cast("Sequence[Log]", logs), by)
    first, second = (groups[name] for name in between)
    pairs = _pairs(logs, first, second)
    least = ROUNDED * part.step
    if len(pairs) >= PAIRS:
        apart = np.array([each[b].mean() - each[a].mean() for a, b in pairs])
        median = float(np.median(apart))
        spread = max(TO_DEVIATION * float(np.median(np.abs(apart - median))), least)
        return Difference(median, CLEAR_MEDIAN * OF_MEDIAN * spread / np.sqrt(len(pairs)))
    own = [each[members].ravel() for members in groups.values()]
    inside = sum(float(np.sum((group - group.mean()) ** 2)) for group in own)
    variance = inside / max(sum(map(len, own)) - len(own), 1)
    a, b = each[first].ravel(), each[second].ravel()
    spread = max(float(np.sqrt(variance)), least)
    return Difference(
        float(b.mean() - a.mean()), CLEAR * spread * float(np.sqrt(1 / len(a) + 1 / len(b)))
    )


def doubt(part: Part, shown: Difference, found: float, *, asked: bool) -> str:
    """Why a difference that a descent found is not taken; "" where it is.

    By itself only one that single logs show: they have the same sign, and are clearly not alike. One that
    was asked for is taken unless they cannot have it.
    """
    ends = (shown.value - shown.around, shown.value + shown.around)
    low, high = (part.said(part.neutral + end) for end in ends)
    if asked:
        return "" if shown.holds(found) else f"single logs show {low} to {high}"
    if shown.holds(0.0) or shown.value * found < 0.0:
        return f"single logs leave open {low} to {high}"
    return ""


def _pairs(
    logs: Sequence[AnyLog], first: Sequence[int], second: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """Runs of one command in both groups, by their places: each command once."""
    found: list[tuple[list[int], list[int]]] = []
    left, others = list(first), list(second)
    while left:
        run = logs[left[0]]
        own = [k for k in left if k == left[0] or same_motion(run, logs[k])]
        theirs = [k for k in others if same_motion(run, logs[k])]
        left = [k for k in left if k not in own]
        others = [k for k in others if k not in theirs]
        if theirs:
            found.append((own, theirs))
    return found


def _rows(
    part: Part,
    logs: Sequence[LogT],
    tried: Floats,
    errors: Callable[[Sequence[LogT]], Floats],
) -> Floats:
    """(A, L, H) error of each part of each log with each value."""
    to: Any = part.put
    rows = np.array([errors([to(log, x) for log in logs]) for x in tried.tolist()])
    return rows.reshape(len(tried), len(logs), -1)
