"""Branches of the motions of equally good fits: one sticks where another slips.

Two branches, if there are any: average linkage over the mean distance of the motions, cut once. They
count as branches where the two are much farther from each other than the motions within them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.extras import extra_module

APART = 0.02
"""[rad] Mean distance from which on two branches are worth a word."""
CLEAR = 5.0
"""Distance of the branches, in units of the widest one's own mean distance."""
FEWEST = 3
"""Motions below which nothing can be said."""


@dataclass(frozen=True, eq=False)
class Branch:
    """One way that a motion may go.

    Attributes:
        share: of the motions. motion: (N,) [rad] their median. error: [rad] its mean absolute error.
    """

    share: float
    motion: Floats
    error: float


def branches(members: Floats | None, measured: Floats) -> list[Branch]:
    """The two branches of motions (K, N), the larger first; empty where they stay together."""
    if members is None or len(members) < FEWEST:
        return []
    apart: Floats = np.mean(np.abs(members[:, None] - members[None]), axis=2)
    hierarchy = extra_module("scipy.cluster.hierarchy", "identify")
    distance = extra_module("scipy.spatial.distance", "identify")
    tree = hierarchy.linkage(distance.squareform(apart, checks=False), method="average")
    of: NDArray[np.int64] = hierarchy.fcluster(tree, 2, criterion="maxclust")
    groups = [np.flatnonzero(of == k) for k in (1, 2)]
    if any(group.size == 0 for group in groups):
        return []
    between = float(np.mean(apart[groups[0]][:, groups[1]]))
    within = max(_spread(apart, group) for group in groups)
    if between < max(APART, CLEAR * within):
        return []
    found = [_branch(members, group, measured) for group in groups]
    return sorted(found, key=lambda one: -one.share)


def _spread(apart: Floats, group: NDArray[np.int64]) -> float:
    """Mean distance of the motions of one branch."""
    count = len(group)
    return float(np.sum(apart[group][:, group])) / max(count * (count - 1), 1)


def _branch(members: Floats, group: NDArray[np.int64], measured: Floats) -> Branch:
    motion = np.median(members[group], axis=0)
    error = float(np.mean(np.abs(motion - measured)))
    return Branch(len(group) / len(members), motion, error)
