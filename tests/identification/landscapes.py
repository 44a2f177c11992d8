"""Problems on the unit cube whose minimum is known."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pliant.arrays import Floats
from pliant.identification.search.search import SearchResult

TARGET = np.array([0.2, 0.9, 0.5, 0.35, 0.7])
CENTRE = np.full(5, 0.5)
DEEPEST = np.array([0.7, 0.2])


SHARP = 1e6
"""Residuals of a thousandth count: a descent ends where it gains nothing that is worth a Jacobian."""


@dataclass
class Squares:
    """SHARP times the sum of squared residuals; its error is ten times the root of the sum."""

    made: Callable[[Floats], Floats]
    asked: list[Floats] = field(default_factory=list[Floats])

    def residuals(self, points: Floats) -> Floats:
        self.asked.append(points.copy())
        return self.made(points)

    def cost(self, residuals: Floats) -> Floats:
        return SHARP * (residuals**2).sum(axis=1)

    def error(self, residuals: Floats) -> Floats:
        return 10.0 * np.sqrt((residuals**2).sum(axis=1))

    def weights(self, residuals: Floats) -> Floats:
        return np.full_like(residuals, 2.0 * SHARP)


def bowl() -> Squares:
    """Squared distance, ten times as steep in each further direction."""
    return Squares(lambda x: (x - TARGET) * 10.0 ** (0.5 * np.arange(5)))


def trap() -> Squares:
    """A hollow at 0.25, 0.1 SHARP above the minimum of 0 at 0.8."""

    def made(x: Floats) -> Floats:
        near = np.column_stack([np.full(len(x), 0.1**0.5), x - 0.25])
        far = np.column_stack([np.zeros(len(x)), 2.0**0.5 * (x - 0.8)])
        return np.where(((near**2).sum(1) < (far**2).sum(1))[:, None], near, far)

    return Squares(made)


def waves() -> Squares:
    """Four basins in each of two directions, one deeper than all others: at DEEPEST."""

    def made(x: Floats) -> Floats:
        ripples = 0.3 * np.sin(4.0 * np.pi * (x - DEEPEST))
        return np.concatenate([ripples, 0.2 * (x - DEEPEST)], axis=1)

    return Squares(made)


def valley() -> Squares:
    """Rosenbrock's, bent through the cube: the minimum at (0.75, 0.75) lies along a curve."""

    def made(points: Floats) -> Floats:
        x, y = 4.0 * points.T - 2.0
        return np.column_stack([10.0 * (y - x * x), 1.0 - x])

    return Squares(made)


def same(a: SearchResult, b: SearchResult) -> bool:
    """Whether two searches ended alike, to the last bit."""
    plain = [
        (
            *one.point,
            *((*end.at, end.cost, end.error) for end in one.ends),
            *(one.cost, one.error, *one.per_start, one.evaluations, one.interrupted),
        )
        for one in (a, b)
    ]
    return plain[0] == plain[1]
