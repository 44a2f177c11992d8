"""Progress of a search, and the time left."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan

from pliant.arrays import Floats


@dataclass(frozen=True)
class Progress:
    """Progress of a search.

    Attributes:
        done, planned: candidates; the plan is the most that there can be, and shrinks where a part
            of the search ends early.
        best: error [rad] of the most likely so far. seconds_left: at most [s].
        part: of the search, where a fit has several: the joint that is searched.
        newest: error [rad] of the most likely of the newest candidates.
        at: (D,) the best so far, in the unit cube. values: the same by parameter, in its unit, each
            with the ends of what is searched.
    """

    done: int
    planned: int
    best: float
    seconds_left: float
    part: str = ""
    newest: float = field(default=nan, compare=False)
    at: Floats | None = field(default=None, compare=False)
    values: Mapping[str, tuple[float, float, float]] = field(
        default_factory=dict[str, tuple[float, float, float]], compare=False
    )


class Countdown:
    """Counts candidates and their time, for each kind of work by itself.

    Args:
        planned: kind of work to candidates.
        report: called with the progress.
    """

    def __init__(
        self, planned: Mapping[str, int], report: Callable[[Progress], None] | None = None
    ) -> None:
        self.left = dict(planned)
        self.done = 0
        self._report = report
        self._seconds = dict.fromkeys(planned, 0.0)
        self._timed = dict.fromkeys(planned, 0)
        self._mark = time.monotonic()

    def count(
        self,
        kind: str,
        candidates: int,
        best: float,
        *,
        timed: bool = True,
        newest: float = nan,
        at: Floats | None = None,
    ) -> None:
        """`candidates` are done; the time since the last call was theirs, if they were `timed`.

        Those taken from a checkpoint are not. newest, at: see `Progress`.
        """
        now = time.monotonic()
        if timed:
            self._seconds[kind] += now - self._mark
            self._timed[kind] += candidates
        self._mark = now
        self.done += candidates
        self.left[kind] -= candidates
        if self._report is not None and timed:
            self._report(Progress(self.done, self.planned, best, self.seconds_left, "", newest, at))

    def drop(self, kind: str, candidates: int) -> None:
        """These will not be needed."""
        self.left[kind] -= candidates

    @property
    def planned(self) -> int:
        """Candidates done, and to do at most."""
        return self.done + sum(self.left.values())

    @property
    def seconds_left(self) -> float:
        """[s] What is left of each kind, at its own countdown; at that of all where it has none yet."""
        spent, timed = sum(self._seconds.values()), sum(self._timed.values())
        mean = spent / max(timed, 1)
        return sum(
            left * (self._seconds[kind] / self._timed[kind] if self._timed[kind] else mean)
            for kind, left in self.left.items()
        )
