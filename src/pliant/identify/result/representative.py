"""Representative of equally good fits: the one that moves most like the median of them.

Ends of one search that are about as good as its best differ where nothing was recorded, and which of
them fits best is chance. The median of their motions predicts what no fit has seen better than their
best does (`docs/measurements.md`), but a file has one actuator: that whose motions on the logs come
closest to the median.
"""

from collections.abc import Sequence

import numpy as np

from pliant.identify.problem.objective import Objective
from pliant.identify.search.journal import Point

AS_GOOD = 1.05
"""Factor on the smallest cost up to which an end is as good; with more, the error on the logs rises."""
FEWEST = 3
"""Ends whose median says more than their best."""


def representative(goal: Objective, ends: Sequence[Point]) -> tuple[Point, int] | None:
    """The end closest to the median motion of those as good as the best, and how many these are.

    Args:
        goal: what was minimised. ends: of its searches.

    Returns:
        None where there are too few for a median.
    """
    if not ends:
        return None
    least = min(end.cost for end in ends)
    good = [end for end in ends if end.cost <= AS_GOOD * least]
    if len(good) < FEWEST:
        return None
    runs = goal.misfit(np.array([end.at for end in good]))
    apart = goal.error(runs - np.median(runs, axis=0))
    return good[int(np.argmin(apart))], len(good)
