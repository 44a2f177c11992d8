"""Search over the multimodal landscape of open-loop errors.

    1. every start explores with a population, from the given values and from random points
    2. each is polished by bounded least squares
    3. the best few are polished further
    4. in several rounds, a small population around each of the best few, polished again; the better one
       stays

A population leaves the basin it began in, but takes thousands of candidates to the bottom of a
narrow valley; least squares gets there in tens, but stays in its basin. Deterministic for a seed:
threads only share out the rollouts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.identify.search.journal import Journal, NoJournal, Point
from pliant.identify.search.least_squares import SearchProblem
from pliant.identify.search.population import SearchResult, SearchRun, SearchSettings
from pliant.identify.search.progress import Progress

__all__ = ["Progress", "SearchResult", "SearchSettings", "search"]


NEAR = (0.02, 0.06)
"""Around the best, in turn: the narrow ones settle in its basin, the wide ones find the next."""
APART = 0.02
"""Largest distance in the cube, in every parameter, of two ends that are one."""


def search(
    problem: SearchProblem,
    start: Floats,
    settings: SearchSettings,
    report: Callable[[Progress], None] | None = None,
    journal: Journal | None = None,
) -> SearchResult:
    """Minimise the cost of `problem` over the unit cube.

    Ctrl-C ends the search early; what was found so far is returned, and marked. What `journal`
    knows is not done again, and the result is the same as if it had been.
    """
    s = settings
    run = SearchRun(problem, start, s, report, journal or NoJournal())
    try:
        ended = run.ends
        for k, (mean, sigma) in enumerate(run.means):
            run.of_start = k
            # 1. explore
            begin = run.given if k == 0 else None
            best = run.explore(f"start {k}", mean, sigma, s.generations, run.seeds[k], begin)
            # 2. polish
            ended.append(run.polish(f"start {k}, polished", best, s.polish))
        run.of_start = None
        # 3. polish the best further
        ended.sort(key=lambda point: point.cost)
        for k, point in enumerate(ended[: s.finalists]):
            ended[k] = run.polish(f"finalist {k}", point, s.final_polish)
        # 4. rounds
        followed = distinct(ended, run.lines)
        run.skip(run.lines - len(followed))
        for line, best in enumerate(followed):
            _rounds(run, line, best)
    except KeyboardInterrupt:
        if not np.isfinite(run.best.cost):
            raise
        return run.result(interrupted=True)
    return run.result(interrupted=False)


def distinct(ends: Sequence[Point], most: int) -> list[Point]:
    """The best ends that are not one with a better one, so many at most."""
    kept: list[Point] = []
    for point in sorted(ends, key=lambda end: end.cost):
        if len(kept) < most and all(
            float(np.max(np.abs(point.at - other.at))) > APART for other in kept
        ):
            kept.append(point)
    return kept


def _rounds(run: SearchRun, line: int, best: Point) -> None:
    """Small populations around the best of one line, each polished; all are ends."""
    s = run.settings
    name = f"line {line}, " if line else ""
    first = s.starts + line * run.rounds
    for k, seed in enumerate(run.seeds[first : first + run.rounds]):
        near = run.explore(
            f"{name}round {k}", best.at, NEAR[k % len(NEAR)], s.final_generations, seed, None
        )
        near = run.polish(f"{name}round {k}, polished", near, s.final_polish)
        best = min(best, near, key=lambda point: point.cost)
        run.ends.append(near)
