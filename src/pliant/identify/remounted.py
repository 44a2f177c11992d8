"""Evidence in the logs that a bench was mounted anew in between: that their zeros differ.

1. a quick fit with one zero for all
2. from there the same descent twice: with one zero, and with one for each mounting
3. it is clear if the second is better by a fiftieth, and the zero that each log would have by
   itself differs between two mountings by three standard errors
"""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.mounting import AUTO, OF, ZERO
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.space import Space
from pliant.identify.problem.task import FitTask
from pliant.identify.quick_fit import quick_fit
from pliant.identify.search.journal import Journal, NoJournal
from pliant.identify.search.least_squares import polish

CLEAR, GAIN = 3.0, 0.02
"""Standard errors between two zeros, and share of the error that zeros of each mounting take away."""
POINTS = 41
"""Zeros tried for each log."""


def shown_mounting(
    task: FitTask[LogT], logs: Sequence[LogT], note: Callable[[str], None]
) -> str | None:
    """The property that logs of one mounting share, found from `logs` where the task leaves it open.

    `note` is told the evidence.
    """
    rig = task.rig.holding(task.fix)
    kind = rig.mounting_kind(logs, task.zero_by)
    if kind is None or task.zero_by != AUTO:
        return kind
    space = rig.space(task.fit, task.fix, logs)
    sampling = "hold" if task.sampling == "best" else task.sampling
    theirs, rig = rig.as_recorded(logs, sampling, task.sample_age)
    told = told_apart(task, rig, theirs, space, kind, NoJournal())
    if told is None:
        return None
    note(told)
    return kind


# Six arguments: a task laid out, and where its work is kept.
def told_apart(
    task: FitTask[LogT],
    rig: Rig[LogT],
    logs: Sequence[LogT],
    space: Space,
    kind: str,
    journal: Journal,
) -> str | None:
    """The zeros of mountings in words, where the logs show that they differ; else None."""
    if ZERO not in space.names:
        return None
    rig = rig.coarse()
    apart = rig.mounted(kind)
    wide = apart.mounted_space(space, logs)
    one = Objective(rig.residuals(logs, space), task.objective)
    each = Objective(apart.residuals(logs, wide), task.objective)
    # 1. quick fit
    found = quick_fit(one, space, rig.quick, task.search.seed, journal)
    # 2. two descents
    known = space.values(found.point)
    begin = [known[ZERO] if name.startswith(OF) else known[name] for name in wide.names]
    jacobians = rig.weighing_jacobians
    with_one = polish(one, found.point, jacobians)
    with_each = polish(each, wide.to_cube(np.array(begin)), jacobians)
    # 3. log by log
    before, after = _mean(one, with_one), _mean(each, with_each)
    if before - after <= GAIN * before or not _differ(one, with_one, apart.mountings(logs)):
        return None
    zeros = {n.removeprefix(OF): x for n, x in wide.values(with_each).items() if n.startswith(OF)}
    listed = ", ".join(f"{name} {1e3 * zero:.0f} mrad" for name, zero in zeros.items())
    return (
        f"mounted anew by {kind}: a zero each ({listed}) lowers a quick fit from "
        f"{1e3 * before:.1f} to {1e3 * after:.1f} mrad; --zero-by none keeps one"
    )


def _mean(goal: Objective, point: Floats) -> float:
    return float(goal.error(goal.misfit(point[None]))[0])


def _differ(goal: Objective, point: Floats, groups: Mapping[str, Sequence[int]]) -> bool:
    """Whether the zeros that the logs of two mountings would have, all else as it is, are apart."""
    column = goal.misfit.space.names.index(ZERO)
    points = np.repeat(point[None], POINTS, axis=0)
    points[:, column] = np.linspace(0.0, 1.0, POINTS)
    parts = goal.misfit.samples.per_block(np.abs(goal.misfit(points)))
    at = goal.misfit.space.from_cube(points)[:, column]
    zeros = np.array([at[int(np.argmin(part.mean(axis=1)))] for part in parts])
    each = [zeros[list(members)] for members in groups.values()]
    inside = sum(float(np.sum((group - group.mean()) ** 2)) for group in each)
    variance = inside / max(len(zeros) - len(each), 1)
    return any(
        abs(a.mean() - b.mean()) > CLEAR * np.sqrt(variance * (1 / len(a) + 1 / len(b)))
        for a, b in itertools.combinations(each, 2)
    )
