"""A quick fit to decide by: the best of several short searches from the given values.

One short search in six ends in a basin whose error hides what is asked: of 42 on an STS3032's logs, three
missed its two mountings so, each of them some 6 mrad above the others of the same logs.
"""

import dataclasses
from collections.abc import Sequence

from pliant.identify.problem.objective import Objective
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.space import Space
from pliant.identify.problem.task import FitTask
from pliant.identify.search.journal import Chapter, Journal
from pliant.identify.search.search import SearchResult, SearchSettings, search

TRIES = 3


def quick_fit(
    goal: Objective, space: Space, settings: SearchSettings, seed: int, journal: Journal
) -> SearchResult:
    """The best of `TRIES` searches that begin at the start of `space`, each with a seed of its own.

    Raises:
        KeyboardInterrupt: Ctrl-C, since nothing can be decided by half a search.
    """
    found: list[SearchResult] = []
    for k in range(TRIES):
        chapter = Chapter(journal, f"try {k}") if k else journal
        one = dataclasses.replace(settings, seed=seed + k)
        found.append(search(goal, space.to_cube(space.start), one, None, chapter))
        if found[-1].interrupted:
            raise KeyboardInterrupt
    return min(found, key=lambda result: result.cost)


# Five arguments: a task laid out, and where its work is kept.
def quick_values(
    task: FitTask[LogT], rig: Rig[LogT], logs: Sequence[LogT], space: Space, journal: Journal
) -> dict[str, float]:
    """Values of a quick fit of each joint by itself.

    Args:
        rig: its joints searched one by one, at the step of a search.

    Raises:
        KeyboardInterrupt: as `quick_fit`.
    """
    values = dict(zip(space.names, map(float, space.start), strict=True))
    for stage in rig.stages(space, values):
        goal = Objective(stage.rig.residuals(logs, stage.space), task.objective)
        chapter = Chapter(journal, stage.name) if stage.name else journal
        found = quick_fit(goal, stage.space, rig.quick, task.search.seed, chapter)
        values |= stage.space.values(found.point)
    return values
