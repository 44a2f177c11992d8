"""When candidates run in lanes, several in each vector of the processor, and in which.

Most of a step is exp and pow, one waiting for the other. In lanes that time is shared, but the loop
takes longer to compile, and lanes that are not full are computed in vain.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.catalogue import Physics
from pliant.lower.branchless import WIDTH
from pliant.lower.kernel import NJIT, branches, compiled

REPAYS = 4e8
"""Integration steps to come from which the lanes have saved more than they took to compile."""
FEWEST = 4
"""Candidates of a vector from which it is quicker than they are one by one."""
MOST_BRANCHES = 60
"""Lanes compute both sides of each branch. Actuators of the catalogue have up to 25 in all; a spring
that is a table has one for each of its cells, of which a single one counts."""

Lanes = Callable[..., int]


@cache
def compiled_batch(
    topology: Physics, laws: tuple[tuple[str, Physics], ...], plant: Physics
) -> Lanes | None:
    """`batch` of `lanes.py` for these laws; None where a single candidate at a time is quicker."""
    kernel = Path(__file__).with_name("lanes.py")
    entry = {"batch": NJIT}
    if branches(kernel, entry, topology, dict(laws), plant) > MOST_BRANCHES:
        return None
    module, prefix = compiled(kernel, entry, topology, dict(laws), plant, in_lanes=True)
    return getattr(module, f"{prefix}batch")


def lanes(
    topology: Physics, laws: Mapping[str, Physics], plant: Physics, steps: float
) -> Lanes | None:
    """The loop for lanes, if it is quicker for so many steps."""
    return compiled_batch(topology, tuple(laws.items()), plant) if steps >= REPAYS else None


def jobs(candidates: int, logs: int, in_lanes: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rollouts in lanes, and those that are left to be done one by one.

    Returns:
        (J, 3) first candidate, number of candidates, log; (K, 2) candidate and log.
    """
    full, rest = divmod(candidates, WIDTH) if in_lanes else (0, 0)
    sizes = [WIDTH] * full + [rest] * (rest >= FEWEST)
    together = [(k * WIDTH, size, log) for k, size in enumerate(sizes) for log in range(logs)]
    alone = [(c, log) for c in range(sum(sizes), candidates) for log in range(logs)]
    return (
        np.array(together, np.int64).reshape(-1, 3),
        np.array(alone, np.int64).reshape(-1, 2),
    )
