"""The last polish, at the step at which the actuator will run."""

import dataclasses

import numpy as np

from pliant.identify.journal import Done, Journal, Point
from pliant.identify.objective import Objective
from pliant.identify.polish import polish
from pliant.identify.search import Found

PART = "polished at the engine's step"


def refined(goal: Objective, found: Found, jacobians: int, journal: Journal) -> Found:
    """The best point near `found`, judged by `goal`; Ctrl-C leaves what was found, marked."""
    done = journal.finished(PART)
    if done is None:
        try:
            done = _polished(goal, found, jacobians)
        except KeyboardInterrupt:
            return dataclasses.replace(found, interrupted=True)
        journal.finish(PART, done)
    best, evaluations = done.best, found.evaluations + done.evaluations
    return dataclasses.replace(
        found, point=best.at, cost=best.cost, error=best.error, evaluations=evaluations
    )


def _polished(goal: Objective, found: Found, jacobians: int) -> Done:
    before = goal.evaluations
    point = polish(goal, np.clip(found.point, 0.0, 1.0), jacobians)
    residuals = goal.residuals(point[None])
    best = Point(point, float(goal.cost(residuals)[0]), float(goal.error(residuals)[0]))
    return Done(best, goal.evaluations - before)
