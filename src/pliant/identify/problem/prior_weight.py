"""Weight of a prior, and how far the logs moved the parameters all the same.

The weight is found within the logs that are fitted: each group of them is predicted by a fit to the
others, pulled by one weight after the other, and the weight with the smallest error is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.objective import Kind, Objective
from pliant.identify.problem.prior import WEIGHT, Prior
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.space import Space
from pliant.identify.search.journal import Journal, NoJournal
from pliant.identify.search.least_squares import polish

WEIGHTS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""Weights to choose from, the strongest first: each fit goes on from where the one before ended."""


@dataclass(frozen=True)
class Moved:
    """One parameter, before and after.

    Attributes:
        name: of the parameter. before, after: in its unit.
        widths: how far in widths of the prior (see `prior`), up or down.
    """

    name: str
    before: float
    after: float
    widths: float


@dataclass(frozen=True, eq=False)
class Weighing:
    """A weight, and how it was chosen.

    Attributes:
        weight: taken. errors: of each weight tried, on logs left out [rad]; empty if it was given
            or could not be chosen.
    """

    weight: float
    errors: Mapping[float, float]


def weigh(
    prior: Prior,
    rig: Rig[LogT],
    logs: Sequence[LogT],
    space: Space,
    kind: Kind,
    journal: Journal | None = None,
) -> Weighing:
    """The weight of `prior` that predicts logs left out best; as given if it is given.

    What each group of logs said stands in `journal`, as costs of the weights.
    """
    if prior.weight is not None:
        return Weighing(prior.weight, {})
    folds = _folds(rig, logs)
    if len(folds) < 2:
        return Weighing(WEIGHT, {})
    journal = journal or NoJournal()
    paths: list[Floats] = []
    for k, fold in enumerate(folds):
        part = f"prior, group {k + 1} left out"
        known = journal.generations(part)
        path = known[0][0] if known else _path(prior, rig, *fold, space, kind)
        if not known:
            journal.add(part, path, float(path.min()))
        paths.append(path)
    errors = np.mean(paths, axis=0)
    found = dict(zip(WEIGHTS, map(float, errors), strict=True))
    return Weighing(min(found, key=lambda weight: found[weight]), found)


def moved(prior: Prior, space: Space, values: Mapping[str, float]) -> tuple[Moved, ...]:
    """Change of each parameter that the prior knows, the largest first."""
    pull, known = prior.pull(space, 1.0), prior.numbers(space)
    point = space.to_cube(np.array([values[name] for name in space.names]))
    names = [space.names[k] for k in pull.at]
    every = [
        Moved(name, known[name].value, values[name], float(far))
        for name, far in zip(names, pull.deviations(point[None])[0], strict=True)
    ]
    return tuple(sorted(every, key=lambda one: -abs(one.widths)))


def _folds(rig: Rig[LogT], logs: Sequence[LogT]) -> list[tuple[list[LogT], list[LogT]]]:
    """(fitted, left out) for each group of the first kind that makes two groups."""
    for key in rig.weighing_groups:
        names = list(dict.fromkeys(key(log) for log in logs))
        if len(names) > 1:
            groups = [[log for log in logs if key(log) == name] for name in names]
            return [([log for log in logs if log not in out], out) for out in groups]
    return []


def _path(
    prior: Prior,
    rig: Rig[LogT],
    fitted: list[LogT],
    out: list[LogT],
    space: Space,
    kind: Kind,
) -> Floats:
    """(W,) error on `out` [rad] of a fit to the others with each weight."""
    point, errors = space.to_cube(space.start), list[float]()
    seen = rig.residuals(fitted, space)
    judge = Objective(rig.residuals(out, space))
    for weight in WEIGHTS:
        goal = Objective(seen, kind, pull=prior.pull(space, weight))
        point = polish(goal, point, rig.weighing_jacobians)
        errors.append(float(judge(point[None])[0]))
    return np.array(errors)
