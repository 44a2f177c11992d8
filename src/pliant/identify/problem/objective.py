"""The cost of a candidate: one number, from how far it is from every log."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identify.problem.datasheet import Facts
from pliant.identify.problem.prior import Pull
from pliant.identify.problem.residuals import Residuals

Kind = Literal["both", "absolute", "squared", "huber"]
KINDS: tuple[Kind, ...] = ("both", "absolute", "squared", "huber")

DEFAULT: Kind = "both"
"""Logs held out are predicted better than with either alone, and seeds differ less than with the
absolute error alone: squares make a smoother landscape."""

SQUARED = ("squared", "both")

KNEE = 0.01
"""[rad] Below it, a residual counts squared in Huber's loss, and in the smooth stand-in for the
absolute value: errors of a good fit to recorded logs are of that size."""


def last(kind: Kind) -> Kind:
    """The cost that the last polish minimises, and fits that begin at its end."""
    return "absolute" if kind == "both" else kind


class Objective:
    """The cost of residuals, and how much each counts.

    Every joint of every log counts the same, however many samples it has. The cost is in rad:

        absolute   mean of |r|
        squared    root of the mean of r²
        huber      mean of r² / (2 KNEE) up to KNEE, of |r| - KNEE / 2 beyond
        both       squared while searching, absolute in the last polish (`last`)

    A prior adds its pull; the deviations that it pulls at follow the samples, as residuals.

    Args:
        misfit: residuals of candidates on the logs. kind: which cost. pull: of a prior.
        facts: of a data sheet; like the prior's, their deviations follow the samples.

    Raises:
        PliantError: no such kind.
    """

    def __init__(
        self,
        misfit: Residuals,
        kind: Kind = "absolute",
        *,
        pull: Pull | None = None,
        facts: Facts | None = None,
    ) -> None:
        if kind not in KINDS:
            raise PliantError("no such objective", field="objective", found=kind, accepted=KINDS)
        self.misfit, self.kind = misfit, kind
        self.pulls = [one for one in (pull, facts) if one is not None and one.at]
        lengths = np.diff(misfit.samples.starts)
        self._weights = np.repeat(lengths.mean() / lengths, lengths)

    @property
    def steps(self) -> int:
        """Integration steps so far."""
        return self.misfit.steps

    @property
    def evaluations(self) -> int:
        """Candidates so far."""
        return self.misfit.evaluations

    def __call__(self, points: Floats) -> Floats:
        """(C,) [rad] the cost of points (C, D) of the unit cube."""
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        """(C, D) points to (C, M + K) residuals [rad]; the last K are what a prior pulls at."""
        r = self.misfit(points)
        if not self.pulls:
            return r
        return np.concatenate([r, *(pull.deviations(points) for pull in self.pulls)], axis=1)

    def cost(self, residuals: Floats) -> Floats:
        """(C,) [rad] the cost of residuals (C, M + K)."""
        ends = len(self._weights) + np.cumsum([0, *(len(pull.at) for pull in self.pulls)])
        samples, *deviations = np.split(residuals, ends[: len(ends) - (not self.pulls)], axis=1)
        cost = self._loss(samples)
        for pull, part in zip(self.pulls, deviations, strict=False):
            cost = cost + pull.cost(part)
        return cost

    def _loss(self, samples: Floats) -> Floats:
        if self.kind in SQUARED:
            return np.sqrt(self._mean(samples, np.square))
        return self._mean(samples, _huber if self.kind == "huber" else np.abs)

    def error(self, residuals: Floats) -> Floats:
        """(C,) [rad] mean over the logs of their mean absolute error, whatever the cost is."""
        return self._mean(residuals[:, : len(self._weights)], np.abs)

    def weights(self, residuals: Floats) -> Floats:
        """(M + K,) weights of squared residuals, where squares stand for the cost.

        The absolute value has a corner at zero; here it is rounded off below KNEE.
        """
        count = len(self._weights)
        samples = residuals[:count]
        size = np.abs(samples) / KNEE
        if self.kind in SQUARED:
            weights, unit = self._weights, float(self._loss(samples[None])[0])
        elif self.kind == "huber":
            weights, unit = self._weights / np.maximum(size, 1.0), KNEE
        else:
            weights, unit = self._weights / np.sqrt(1.0 + size * size), KNEE
        # weights r is the slope of the loss times count and this unit
        return np.concatenate([weights, *(pull.weights() * (count * unit) for pull in self.pulls)])

    def _mean(self, samples: Floats, loss: Callable[[Floats], Floats]) -> Floats:
        """(C,) mean of the loss over the samples of each block, then over the blocks."""
        parts = self.misfit.samples.per_block(samples)
        return np.mean([loss(part).mean(axis=-1) for part in parts], axis=0)


def _huber(residuals: Floats) -> Floats:
    size = np.abs(residuals)
    return np.where(size < KNEE, size * size / (2 * KNEE), size - KNEE / 2)
