"""Parameters that the data do not determine, alone or in combination."""

import numpy as np

from pliant.identify.problem.doubt import Doubt
from pliant.identify.uncertainty.draws import BlockProblem
from pliant.identify.uncertainty.ridge import open_directions
from pliant.identify.uncertainty.sensitivity import Floats

STRONG = 0.95
"""Correlation from which on two parameters are called inseparable."""
MOST = 0.5
"""Share of the bounds from which on an interval says nothing."""
FEW = 4
"""Parameters that a sentence can name as going together; beyond, the sentence says nothing."""
SHARE = 3.0
"""A parameter moves along a direction if that is so much further than it moves otherwise."""


def unseen(problem: BlockProblem, low: Floats, high: Floats, correlation: Floats) -> list[Doubt]:
    """Flat directions, parameters not seen at all, inseparable pairs, parameters at bounds.

    Args:
        problem: around the best point.
        low, high: (D,) ends of the intervals, in coordinates of the chart.
        correlation: (D, D) of the draws.
    """
    chart, names = problem.chart, problem.chart.space.names
    values = chart.values(np.stack([low, high]))
    doubts = [
        Doubt(
            "not seen",
            (names[k],),
            f"{names[k]} has no effect on these logs: any value from {values[0, k]:.3g} to "
            f"{values[1, k]:.3g} fits them",
        )
        for k in map(int, np.flatnonzero(high - low > MOST))
    ]
    together: set[frozenset[int]] = set()
    many = 0
    for rising, falling in _groups(problem):
        members = [*rising, *falling]
        many += len(members) > FEW
        if 1 < len(members) <= FEW:
            doubts.append(_combination(names, rising, falling))
            together |= {frozenset((i, j)) for i in members for j in members}
    for pair in np.argwhere(np.triu(np.abs(correlation) > STRONG, 1)):
        i, j = int(pair[0]), int(pair[1])
        if frozenset((i, j)) not in together:
            r = float(correlation[i, j])
            text = f"{names[i]} and {names[j]} can hardly be separated (correlation {r:.2f})"
            doubts.append(Doubt("correlated", (names[i], names[j]), text))
    if many:
        text = (
            f"{'one more combination' if many == 1 else f'{many} more combinations'} of more than "
            f"{FEW} parameters each may change without a trace in these logs: trust what the model "
            "does more than its single numbers"
        )
        doubts.append(Doubt("combinations", (), text))
    return doubts + chart.space.at_bounds(chart.values(problem.near.at))


def _groups(problem: BlockProblem) -> list[tuple[list[int], list[int]]]:
    """Groups of parameters for each open direction: those that rise along it, those that fall."""
    V = open_directions(problem)
    values, all_ = np.linalg.eigh(problem.gram)
    closed = all_[:, V.shape[1] :]
    inverse = 1.0 / values[V.shape[1] :]
    otherwise = np.sqrt(problem.noise * (closed**2 @ inverse))
    open_ = np.minimum(np.sqrt(problem.noise / np.maximum(values[: V.shape[1]], 1e-300)), 0.3)
    groups: list[tuple[list[int], list[int]]] = []
    for v, spread in zip(V.T, open_, strict=True):
        along = v * spread / (SHARE * otherwise + 1e-3)
        along *= np.sign(along[np.argmax(np.abs(along))])
        moving = np.abs(along) > 1.0
        groups.append(
            (
                [int(k) for k in np.flatnonzero(moving & (along > 0))],
                [int(k) for k in np.flatnonzero(moving & (along < 0))],
            )
        )
    return groups


def _combination(names: tuple[str, ...], rising: list[int], falling: list[int]) -> Doubt:
    together = tuple(names[k] for k in (*rising, *falling))
    text = f"these logs determine only a combination of {', '.join(together)}"
    if falling:
        text += f": where {_listed(names, rising)} rise{'s' if len(rising) == 1 else ''}, "
        text += f"{_listed(names, falling)} fall{'s' if len(falling) == 1 else ''}"
    else:
        text += ", which rise and fall together"
    return Doubt("combination", together, text)


def _listed(names: tuple[str, ...], some: list[int]) -> str:
    return ", ".join(names[k] for k in some)
