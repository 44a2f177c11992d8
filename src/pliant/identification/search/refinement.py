"""The last polish, at the step at which the actuator will run."""

import dataclasses

import numpy as np

from pliant.identification.search.journal import Journal, PartResult, Point
from pliant.identification.search.least_squares import (
    DescentState,
    LeastSquares,
    SearchProblem,
    polish,
)
from pliant.identification.search.search import SearchResult

PART = "polished at the engine's step"


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
    done = journal.finished(PART)
    if done is None:
        try:
            done = _polished(problem, found, jacobians, journal, stand_in)
        except KeyboardInterrupt:
            return dataclasses.replace(found, interrupted=True)
        journal.finish(PART, done)
    best, evaluations = done.best, found.evaluations + done.evaluations
    return dataclasses.replace(
        found, point=best.at, cost=best.cost, error=best.error, evaluations=evaluations
    )


def _polished(
    problem: SearchProblem,
    found: SearchResult,
    jacobians: int,
    journal: Journal,
    stand_in: LeastSquares | None,
) -> PartResult:
    stage, known = journal.stage(PART) or (None, None)
    before = problem.evaluations
    if stage is not None and known is not None:
        before += stage.again - known.evaluations

    def note(stage: DescentState) -> None:
        here = Point(stage.at, found.cost, found.error)
        journal.note(PART, stage, PartResult(here, problem.evaluations - before))

    begin = np.clip(found.point, 0.0, 1.0)
    point = polish(problem, begin, jacobians, stage=stage, note=note, stand_in=stand_in)
    residuals = problem.residuals(point[None])
    best = Point(point, float(problem.cost(residuals)[0]), float(problem.error(residuals)[0]))
    return PartResult(best, problem.evaluations - before)
