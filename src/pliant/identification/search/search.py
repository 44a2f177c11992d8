"""Search over the multimodal landscape of open-loop errors: bounded least squares from several points.

The first descent starts at the given numbers, the others at random points around them. Over a whole log an early error
grows into a different motion, and most of these would end in a wrong basin. So they descend first on short pieces of
the logs, each started from its recorded state, then on longer ones (multiple shooting; Bock 1983), finally on whole
logs. Each end is a local minimum: the best is the result, and equally good ones are kept beside it. Joints searched one
by one are polished together. Deterministic for a seed: threads only share out the rollouts.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.search.checkpoint import Journal, PartResult, Point
from pliant.identification.search.least_squares import (
    TRIALS,
    DescentState,
    LeastSquares,
    SearchProblem,
    polish,
)


@dataclass(frozen=True)
class Progress:
    """Progress of a search.

    Attributes:
        done, planned: candidates; the plan is an upper bound, and shrinks when a part of the search
            ends early.
        best: error [rad] of the most likely so far. seconds_left: at most [s].
        part: of the search, if a fit has several: the joint being searched.
        newest: error [rad] of the most likely of the newest candidates.
        at: (D,) the best so far, in the unit cube. values: the same by parameter, in its unit, each
            with its bounds.
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
    """Counts candidates and their time.

    Args:
        planned: candidates, at most.
        report: called with the progress.
    """

    def __init__(self, planned: int, report: Callable[[Progress], None] | None = None) -> None:
        self.done, self.planned = 0, planned
        self._report, self._seconds, self._timed = report, 0.0, 0
        self._mark = time.monotonic()

    def count(
        self,
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
            self._seconds += now - self._mark
            self._timed += candidates
        self._mark = now
        self.done += candidates
        if self._report is not None and timed:
            left = (self.planned - self.done) * self._seconds / max(self._timed, 1)
            self._report(Progress(self.done, self.planned, best, left, "", newest, at))

    def drop(self, candidates: int) -> None:
        """These will not be needed."""
        self.planned -= candidates


__all__ = ["Progress", "SearchResult", "SearchSettings", "search"]

SPREAD = 0.25
"""Standard deviation of the starting points around the given one: a little less than the prior's."""
EASED = 15
"""Jacobians on pieces of one length: with fewer, more descents end in different minima."""
EDGE = 0.02
"""Distance of the starting points from the faces of the cube: at a bound, half of the slopes are lost."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Size of a search.

    Attributes:
        starts: number of descents; the first from the given values, the others from random points around.
        jacobians: maximum per descent. seed: random seed.
    """

    starts: int = 4
    jacobians: int = 40
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("starts", "jacobians"):
            if getattr(self, name) < 1:
                found = getattr(self, name)
                raise PliantError("out of range", field=name, found=found, accepted="1 or more")

    def planned(self, d: int, eased: int) -> int:
        """Largest number of candidates for d parameters, with so many problems on pieces."""
        easing = (self.starts - 1) * eased * descent(d, self.easing)
        return self.starts * descent(d, self.jacobians) + easing

    @property
    def easing(self) -> int:
        """Largest number of Jacobians on pieces of one length."""
        return min(EASED, self.jacobians)


def descent(d: int, jacobians: int) -> int:
    """Largest number of candidates of one descent in d parameters."""
    return 1 + jacobians * (d + len(TRIALS))


@dataclass
class SearchResult:
    """The best point, and the ends of all starts (their spread shows how multimodal the cost is)."""

    point: Floats
    cost: float
    """Minus the logarithm of the posterior density at the point, but for a constant."""
    error: float
    """Mean absolute error [rad]."""
    evaluations: int = 0
    interrupted: bool = False
    ends: list[Point] = field(default_factory=list[Point])
    """Ends of all starts, the best first; each is a fit."""

    @property
    def per_start(self) -> list[float]:
        """Error of each start; the smallest first."""
        return sorted(end.error for end in self.ends)

    def __repr__(self) -> str:
        return f"<SearchResult: {1e3 * self.error:.1f} mrad, {self.evaluations} evaluations>"


# Six arguments: two kinds of problem, two that say where and how long, two listeners.
def search(
    problem: SearchProblem,
    start: Floats,
    settings: SearchSettings,
    report: Callable[[Progress], None] | None = None,
    journal: Journal | None = None,
    eased: Sequence[SearchProblem] = (),
) -> SearchResult:
    """Minimise the cost of `problem` over the unit cube.

    Ctrl-C ends the search early; the best so far is returned, and marked. Work that `journal` has is not
    repeated, and the result is the same as if it had been.

    Args:
        eased: the same on pieces of the logs, the shortest first; all descents but the first start there.
    """
    journal = journal or Journal()
    countdown = Countdown(settings.planned(len(start), len(eased)), report)
    watch = _Watch(problem, countdown)
    ends, interrupted = list[Point](), False
    try:
        for k, begin in enumerate(_begins(start, settings)):
            at = begin
            for n, easy in enumerate(eased if k else ()):
                beside = _Watch(easy, countdown, watch.best)
                at = _descended(beside, f"start {k}, pieces {n}", at, settings.easing, journal).at
            ends.append(_descended(watch, f"start {k}", at, settings.jacobians, journal))
    except KeyboardInterrupt:
        if not np.isfinite(watch.best.cost):
            raise
        interrupted = True
        ends.append(watch.best)
    ends.sort(key=lambda point: point.cost)
    best = ends[0]
    return SearchResult(best.at, best.cost, best.error, countdown.done, interrupted, ends)


def _begins(start: Floats, settings: SearchSettings) -> list[Floats]:
    random = np.random.default_rng(settings.seed)
    others = random.normal(start, SPREAD, (settings.starts - 1, len(start)))
    return [start, *np.clip(others, EDGE, 1.0 - EDGE)]


def _descended(
    watch: "_Watch",
    part: str,
    begin: Floats,
    jacobians: int,
    journal: Journal,
    stand_in: LeastSquares | None = None,
) -> Point:
    """The end of one descent."""
    planned = descent(len(begin), jacobians)
    if done := journal.finished(part):
        return watch.restored(done, planned)
    watch.begin()
    stage, known = journal.stage(part) or (None, None)
    if stage is not None and known is not None:
        watch.resume(stage, known)

    def note(stage: DescentState) -> None:
        journal.note(part, stage, PartResult(watch.own, watch.done))

    polish(watch, begin, jacobians, stage=stage, note=note, stand_in=stand_in)
    watch.countdown.drop(planned - watch.done)
    journal.finish(part, PartResult(watch.own, watch.done))
    return watch.own


NOTHING = Point(np.empty(0), np.inf, np.inf)


class _Watch:
    """A problem that keeps the best of its candidates, of one descent and of all, and counts them.

    Args:
        told: the best so far of the problem that is searched, if this is another one.
    """

    def __init__(
        self, problem: SearchProblem, countdown: Countdown, told: Point | None = None
    ) -> None:
        self.problem, self.countdown, self._told = problem, countdown, told
        self.best = told or NOTHING
        self.begin()

    def begin(self) -> None:
        """A descent begins."""
        self.own, self.done, self._again = NOTHING, 0, 0

    def resume(self, stage: DescentState, known: PartResult) -> None:
        """It goes on from here; some candidates are simulated a second time, and not counted again."""
        self.own, self.done, self._again = known.best, known.evaluations, stage.again
        self._compare(self.own)
        self.countdown.count(self.done, self.best.error, timed=False)

    def restored(self, known: PartResult, planned: int) -> Point:
        """It was done before."""
        self._compare(known.best)
        self.countdown.count(known.evaluations, self.best.error, timed=False)
        self.countdown.drop(planned - known.evaluations)
        return known.best

    def residuals(self, points: Floats) -> Floats:
        """Residuals of `points`, each of which becomes a candidate."""
        residuals = self.problem.residuals(points)
        costs = self.problem.cost(residuals)
        k = int(np.argmin(costs))
        error = float(self.problem.error(residuals[[k]])[0])
        self.own = min(self.own, Point(points[k], float(costs[k]), error), key=lambda p: p.cost)
        self._compare(self.own)
        count = max(len(points) - self._again, 0)
        self._again = max(self._again - len(points), 0)
        self.done += count
        self.countdown.count(count, self.best.error, newest=error, at=self.best.at, timed=count > 0)
        return residuals

    def _compare(self, point: Point) -> None:
        if self._told is None:
            self.best = min(self.best, point, key=lambda one: one.cost)

    def cost(self, residuals: Floats) -> Floats:
        return self.problem.cost(residuals)

    def weights(self, residuals: Floats) -> Floats:
        return self.problem.weights(residuals)


PART = "polished together"


def refined(
    problem: SearchProblem,
    found: SearchResult,
    jacobians: int,
    journal: Journal,
    stand_in: LeastSquares | None = None,
) -> SearchResult:
    """The best point near `found`, judged by `problem`; Ctrl-C leaves what was found, marked.

    `stand_in` is a cheaper problem for the slopes, see `polish`.
    """
    watch = _Watch(problem, Countdown(descent(len(found.point), jacobians)))
    begin = np.clip(found.point, 0.0, 1.0)
    try:
        best = _descended(watch, PART, begin, jacobians, journal, stand_in)
    except KeyboardInterrupt:
        return dataclasses.replace(found, interrupted=True)
    evaluations = found.evaluations + watch.countdown.done
    return dataclasses.replace(
        found, point=best.at, cost=best.cost, error=best.error, evaluations=evaluations
    )
