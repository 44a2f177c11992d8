"""A first search of a few parameters, all others held; for timing and supply, before all else.

An error of one sample, or a supply that sags, goes into friction and damping. So before everything
is searched, what belongs to timing, sensing and supply is, alone:

    1. even points of their part of the cube
    2. from the best of them, or the given one, bounded least squares

The search of all parameters begins there; these are among them, and may move again.
"""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.extras import extra_module
from pliant.identify.search.journal import Journal, PartResult, Point
from pliant.identify.search.least_squares import CountedProblem, LeastSquares, polish

PART = "timing and supply"
MOST = 6
"""Logarithm (of two) of the number of points; each parameter less than three halves them."""
JACOBIANS = 10


@dataclass(frozen=True, eq=False)
class TimingFit:
    """Fit of timing and supply alone, and the error before and after.

    Attributes:
        columns: (K,) places of their parameters. point: (D,) of the cube, with their values.
        before, after: error [rad] with what was given, and with these.
        evaluations: candidates that it took.
    """

    columns: tuple[int, ...]
    point: Floats
    before: float
    after: float
    evaluations: int


def fit_timing(
    problem: CountedProblem, start: Floats, columns: list[int], journal: Journal
) -> TimingFit:
    """The best values of some parameters, with all others as at `start`.

    Args:
        problem: of D parameters. start: (D,) point of the cube. columns: (K,) what is searched.
        journal: where the result is noted, and found again.
    """
    before = float(problem.error(problem.residuals(start[None]))[0])
    done = journal.finished(PART)
    if done is None:
        done = _searched(problem, start, columns)
        journal.finish(PART, done)
    return TimingFit(tuple(columns), done.best.at, before, done.best.error, done.evaluations)


def _searched(problem: CountedProblem, given: Floats, columns: list[int]) -> PartResult:
    count = problem.evaluations
    part = _Part(problem, given, columns)
    qmc = extra_module("scipy.stats", "identify").qmc
    spread = qmc.Sobol(len(columns), scramble=False).random_base2(min(MOST, 3 + len(columns)))
    points = np.concatenate([given[None, columns], spread])
    best = points[int(np.argmin(part.cost(part.residuals(points))))]
    at = part.whole(polish(part, best, JACOBIANS)[None])
    residuals = problem.residuals(at)
    point = Point(at[0], float(problem.cost(residuals)[0]), float(problem.error(residuals)[0]))
    return PartResult(point, problem.evaluations - count)


class _Part(LeastSquares):
    """A problem in some of its parameters, the others held."""

    def __init__(self, problem: LeastSquares, at: Floats, columns: list[int]) -> None:
        self._problem, self._at, self._columns = problem, at, columns

    def whole(self, points: Floats) -> Floats:
        """(C, K) points to (C, D)."""
        made = np.repeat(self._at[None], len(points), axis=0)
        made[:, self._columns] = points
        return made

    def residuals(self, points: Floats) -> Floats:
        return self._problem.residuals(self.whole(points))

    def cost(self, residuals: Floats) -> Floats:
        return self._problem.cost(residuals)

    def weights(self, residuals: Floats) -> Floats:
        return self._problem.weights(residuals)
