"""The posterior of numbers, by the logs and by what was known before: the one measure of a fit.

    -log p(u | logs) = sum of w ((nu + 1) / 2 log(1 + r² / (nu s²)) + log s) over all samples
                     + sum of ((u - m) / d)² / 2 over all numbers
                     + sum of (deviation from a data sheet, in tolerances)² / 2

r is simulated minus measured. Most of it is a wrong model rather than noise, so that neighbouring samples
say the same: one counts w = its duration / MEMORY. Its tails are heavy (Student's t), and its scale s is
found with the numbers, the most likely one of each joint.

u is a number's place in the unit cube of the search, m where it begins, d how far from there it may be:
of a prior's number as its file says, of all others as far as numbers spread evenly over their range.
What begins at zero, such as a dead band, so stays there unless the logs ask for it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.datasheet import Facts
from pliant.identification.problem.prior import Pull
from pliant.identification.problem.residuals import Residuals

NU = 4.0
"""Degrees of freedom of Student's t: outliers count as in usual robust regression (Lange, Little and
Taylor, JASA 1989)."""
MEMORY = 0.3
"""[s] Samples closer to each other are no news."""
FINEST = 1e-4
"""[rad, m] Least scale: what simulations at another step differ by."""
ROUNDS = 12
"""Steps of the fixed point that finds a scale: it is then known to a thousandth."""


class Posterior:
    """Minus the logarithm of the posterior density, as a function of the residuals.

    Args:
        misfit: residuals of candidates on the logs. pull: of what is known before; None: nothing is.
        facts: of a data sheet. The deviations of both follow the samples, as residuals.
    """

    def __init__(
        self, misfit: Residuals, pull: Pull | None = None, facts: Facts | None = None
    ) -> None:
        self.misfit = misfit
        self.pulls = [one for one in (pull, facts) if one is not None]
        samples = misfit.samples
        news = np.empty(len(samples.time))
        for first, end in zip(samples.starts[:-1], samples.starts[1:], strict=True):
            news[first:end] = np.gradient(samples.time[first:end]) if end - first > 1 else 0.0
        self._news = np.maximum(news, 0.0) / MEMORY
        joints = np.arange(len(samples.starts) - 1) % samples.joint_count
        self._joints = [
            np.flatnonzero(np.repeat(joints == joint, np.diff(samples.starts)))
            for joint in range(samples.joint_count)
        ]

    @property
    def steps(self) -> int:
        """Integration steps so far."""
        return self.misfit.steps

    @property
    def evaluations(self) -> int:
        """Candidates so far."""
        return self.misfit.evaluations

    def __call__(self, points: Floats) -> Floats:
        """(C,) the cost of points (C, D) of the unit cube."""
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        """(C, D) points to (C, M + K) residuals [rad, m], the last K the deviations from what was known."""
        r = self.misfit(points)
        return np.concatenate([r, *(pull.deviations(points) for pull in self.pulls)], axis=1)

    def cost(self, residuals: Floats) -> Floats:
        """(C,) of residuals (C, M + K)."""
        count = len(self._news)
        cost = 0.5 * np.sum(residuals[:, count:] ** 2, axis=1)
        for own in self._joints:
            news, squares = self._news[own], residuals[:, own] ** 2
            s = _scale(squares, news)
            density = 0.5 * (NU + 1.0) * np.log1p(squares / (NU * s[:, None] ** 2))
            cost += density @ news + news.sum() * np.log(s)
        return cost

    def weights(self, residuals: Floats) -> Floats:
        """(M + K,) weights with which squares have the slope and about the curvature of the cost."""
        weights = np.ones(len(residuals))
        for own in self._joints:
            squares = residuals[own] ** 2
            s = _scale(squares[None], self._news[own])[0]
            weights[own] = self._news[own] * (NU + 1.0) / (NU * s * s + squares)
        return weights

    def scales(self, residuals: Floats) -> list[float]:
        """[rad, m] most likely scale of each joint, of residuals (M + K,)."""
        return [
            float(_scale(residuals[None, own] ** 2, self._news[own])[0]) for own in self._joints
        ]

    def densities(self, residuals: Floats, scales: Sequence[float]) -> Floats:
        """(B,) logarithm of the density of each block of residuals (M + K,), at these scales of the joints."""
        each = np.empty(len(self._news))
        for own, s in zip(self._joints, scales, strict=True):
            tails = 0.5 * (NU + 1.0) * np.log1p(residuals[own] ** 2 / (NU * s * s))
            each[own] = -self._news[own] * (tails + np.log(s))
        return np.array([block.sum() for block in self.misfit.samples.per_block(each)])

    def error(self, residuals: Floats) -> Floats:
        """(C,) [rad] mean over joints and logs of their mean absolute error."""
        return self._mean(residuals[:, : len(self._news)], np.abs)

    def _mean(self, samples: Floats, loss: Callable[[Floats], Floats]) -> Floats:
        parts = self.misfit.samples.per_block(samples)
        return np.mean([loss(part).mean(axis=-1) for part in parts], axis=0)


def _scale(squares: Floats, news: Floats) -> Floats:
    """(C,) [rad, m] most likely scale of residuals whose squares are (C, M)."""
    total = max(float(news.sum()), 1e-300)
    s2 = np.maximum(squares @ news / total, FINEST**2)
    for _ in range(ROUNDS):
        shares = (NU + 1.0) * squares / (NU + squares / s2[:, None])
        s2 = np.maximum(shares @ news / total, FINEST**2)
    return np.sqrt(s2)
