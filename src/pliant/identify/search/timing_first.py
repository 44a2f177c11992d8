"""Timing and supply first: what they come to with all other numbers as they are given.

An error of one sample, or a supply that sags, goes into friction and damping. So before everything
is searched, what belongs to timing, sensing and supply is, alone:

    1. even points of their part of the box
    2. from the best of them, or the given one, bounded least squares

The search of all parameters begins there; these are among them, and may move again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import qmc

from pliant.arrays import Floats
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.space import FIRST, Space
from pliant.identify.search.journal import Journal, PartResult, Point
from pliant.identify.search.least_squares import LeastSquares, polish

PART = "timing and supply"
MOST = 6
"""Of two, the logarithm of how many points; each parameter less than three halves them."""
JACOBIANS = 10


@dataclass(frozen=True, eq=False)
class TimingFit:
    """What came out.

    Attributes:
        values: of timing, sensing and supply, in SI units. point: (D,) of the cube, with them.
        before, after: mean error [rad] with what was given, and with these.
        evaluations: candidates that it took.
    """

    values: Mapping[str, float]
    point: Floats
    before: float
    after: float
    evaluations: int


def fit_timing(goal: Objective, space: Space, journal: Journal) -> TimingFit | None:
    """Where timing and supply are, with all else as `space` begins; None: nothing of it is open."""
    mine = [k for k, name in enumerate(space.names) if name.partition(".")[0] in FIRST]
    if not mine:
        return None
    given = space.to_cube(space.start)
    before = float(goal.error(goal.residuals(given[None]))[0])
    done = journal.finished(PART)
    if done is None:
        done = _looked(goal, given, mine)
        journal.finish(PART, done)
    values = space.from_cube(done.best.at)
    found = {space.names[k]: float(values[k]) for k in mine}
    return TimingFit(found, done.best.at, before, done.best.error, done.evaluations)


def in_words(look: TimingFit, units: Mapping[str, str]) -> str:
    """What was found, for people; `units` of the parameters."""
    found = ", ".join(f"{n} {x:.3g} {units.get(n, '')}".strip() for n, x in look.values.items())
    return (
        f"timing and supply first, all else as given: {found} ({1e3 * look.before:.1f} -> "
        f"{1e3 * look.after:.1f} mrad)"
    )


def starting_at(space: Space, look: TimingFit | None) -> Space:
    """The same box, begun at the timing that was found."""
    if look is None:
        return space
    values = [look.values.get(n, x) for n, x in zip(space.names, space.start, strict=True)]
    return replace(space, start=np.array(values))


def _looked(goal: Objective, given: Floats, mine: list[int]) -> PartResult:
    count = goal.evaluations
    part = _Part(goal, given, mine)
    spread = qmc.Sobol(len(mine), scramble=False).random_base2(min(MOST, 3 + len(mine)))
    points = np.concatenate([given[None, mine], spread])
    best = points[int(np.argmin(part.cost(part.residuals(points))))]
    at = part.whole(polish(part, best, JACOBIANS)[None])
    residuals = goal.residuals(at)
    point = Point(at[0], float(goal.cost(residuals)[0]), float(goal.error(residuals)[0]))
    return PartResult(point, goal.evaluations - count)


class _Part(LeastSquares):
    """A problem in some of its parameters, the others held."""

    def __init__(self, goal: Objective, at: Floats, columns: list[int]) -> None:
        self._goal, self._at, self._columns = goal, at, columns

    def whole(self, points: Floats) -> Floats:
        """(C, K) points to (C, D)."""
        made = np.repeat(self._at[None], len(points), axis=0)
        made[:, self._columns] = points
        return made

    def residuals(self, points: Floats) -> Floats:
        return self._goal.residuals(self.whole(points))

    def cost(self, residuals: Floats) -> Floats:
        return self._goal.cost(residuals)

    def weights(self, residuals: Floats) -> Floats:
        return self._goal.weights(residuals)
