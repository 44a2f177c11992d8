"""Parameter sets that the data would also have allowed: a block bootstrap with real rollouts.

    1. cut every log into blocks about as long as its residuals remember
    2. give the blocks random weights (exponential: no block ever vanishes)
    3. fit again, from the best point, by damped and bounded Gauss–Newton steps

ResidualFunction of an open-loop simulation are a model's error more than noise, and one sample is like the
next: to count each as news makes intervals up to a hundred times too narrow. Whole blocks are.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pliant.identify.uncertainty.sensitivity import (
    Chart,
    Floats,
    ResidualFunction,
    Sensitivity,
    finite,
)

PRIOR = 0.3
"""Spread of what is known without data, of the whole range: that of an even distribution."""
HUBER = 1.5
"""Robust deviations beyond which a sample counts less."""


def blocks_of(
    log_of: NDArray[np.int64], time: Floats, length: float, least: int
) -> NDArray[np.int64]:
    """(M,) which block each sample is in: equal parts of each log, of about `length` [s].

    Shorter, down to a quarter, where there would be fewer than `least` of them.
    """
    ends = np.append(np.flatnonzero(np.diff(log_of)), len(log_of) - 1)
    begins = np.append(0, ends[:-1] + 1)
    whole = float(np.sum(time[ends] - time[begins]))
    length = max(0.25 * length, min(length, whole / least))
    block = np.empty(len(log_of), dtype=np.int64)
    first = 0
    for log in np.unique(log_of):
        own = log_of == log
        since = time[own] - time[own][0]
        count = max(1, round(float(since[-1]) / length))
        block[own] = first + np.minimum(
            (since / (since[-1] + 1e-12) * count).astype(int), count - 1
        )
        first += count
    return block


def robust_weights(residual: Floats) -> Floats:
    """(M,) Huber's: 1 near zero, falling with the size of what is far out."""
    size = np.abs(residual)
    scale = HUBER * float(np.median(size)) / 0.6745
    return np.minimum(1.0, scale / np.maximum(size, max(scale, 1e-12)))


@dataclass(frozen=True, eq=False)
class BlockProblem:
    """A weighted least-squares problem on a chart, with the model around its best point."""

    residuals: ResidualFunction
    chart: Chart
    near: Sensitivity
    weights: Floats
    """(M,) of the samples."""
    block: NDArray[np.int64]
    """(M,) of the samples."""

    @cached_property
    def gram(self) -> Floats:
        """(D, D) JᵀWJ."""
        J = self.near.jacobian
        return J.T @ (self.weights[:, None] * J)

    @cached_property
    def noise(self) -> float:
        """[rad²] Variance of a sample's news, as if they were independent.

        From the scores of whole blocks along the directions that the residuals span, so that it
        counts the autocorrelation.
        """
        values, V = np.linalg.eigh(self.gram)
        good = values > 1e-12 * max(float(values[-1]), 1e-300)
        u = self.near.jacobian @ (V[:, good] / np.sqrt(values[good]))
        scores = self.by_block(u * (self.weights * self.near.residual)[:, None])
        return float(np.sum(scores**2)) / max(int(good.sum()), 1) + 1e-30

    def cost(self, residual: Floats) -> float:
        """[rad²] of residuals (M,)."""
        return float(np.sum(self.weights * residual**2))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(B,) the first sample of each block."""
        return np.flatnonzero(np.diff(self.block, prepend=-1))

    def by_block(self, samples: Floats) -> Floats:
        """(M, K) to their sums (B, K) over each block."""
        return np.add.reduceat(samples, self.starts, axis=0)

    @cached_property
    def curvature(self) -> Floats:
        """(B, D, D) JᵀWJ of each block."""
        root = np.sqrt(self.weights)[:, None] * self.near.jacobian
        return np.array([part.T @ part for part in np.split(root, self.starts[1:])])

    def run(self, at: Floats) -> Floats:
        """(C, M) residuals at coordinates (C, D), finite."""
        return finite(self.residuals(self.chart.to_cube(at)))


def refits(problem: BlockProblem, shares: Floats, rounds: int) -> Floats:
    """(R, D) coordinates that fit the blocks weighted by `shares` (R, B).

    Each minimises Σ w r² + λ |x − x₀|², the second so weak that it decides only what the data do
    not. Slopes stay those of the place x₀ they begin at, residuals are simulated.
    """
    J, low = problem.near.jacobian, problem.noise / PRIOR**2
    A = np.einsum("rb,bij->rij", shares, problem.curvature) + low * np.eye(J.shape[1])
    W = shares[:, problem.block] * problem.weights
    at = np.repeat(problem.near.at[None], len(shares), axis=0)
    runs = np.repeat(problem.near.residual[None], len(shares), axis=0)

    def cost(at: Floats, runs: Floats) -> Floats:
        return np.sum(W * runs**2, axis=1) + low * np.sum((at - problem.near.at) ** 2, axis=1)

    best, length = cost(at, runs), np.ones(len(shares))
    for _ in range(rounds):
        g = (W * runs) @ J + low * (at - problem.near.at)
        new = at + length[:, None] * bounded_step(A, g, -at, 1.0 - at)
        new_runs = problem.run(new)
        found = cost(new, new_runs)
        good = found < best
        at[good], runs[good], best[good] = new[good], new_runs[good], found[good]
        length = np.where(good, np.minimum(1.0, 2.0 * length), 0.3 * length)
    return at


def bounded_step(curvature: Floats, g: Floats, low: Floats, high: Floats) -> Floats:
    """(R, D) minimisers of ½dᵀAd + gᵀd within `low` ≤ d ≤ `high`, for many problems at once.

    Newton's step, of which the coordinate that leaves the box furthest is held at its bound, until
    none does.
    """
    A, size = curvature, g.shape[1]
    held = np.zeros_like(g, dtype=bool)
    d = np.zeros_like(g)
    for _ in range(size + 1):
        fixed = np.where(held, d, 0.0)
        right = np.where(held, d, -g - np.einsum("rij,rj->ri", A, fixed))
        free = ~held
        left = np.where(free[:, :, None] & free[:, None, :], A, 0.0)
        left[:, np.arange(size), np.arange(size)] += held
        d = np.linalg.solve(left, right[..., None])[..., 0]
        beyond = np.where(held, 0.0, np.maximum(low - d, d - high))
        worst = np.argmax(beyond, axis=1)
        rows = np.flatnonzero(beyond[np.arange(len(d)), worst] > 1e-12)
        if not len(rows):
            break
        held[rows, worst[rows]] = True
        d = np.where(held, np.clip(d, low, high), d)
    return np.clip(d, low, high)


def leverage(problem: BlockProblem) -> Floats:
    """(D,) By what factor weights understate the spread where a few blocks decide; at least 1.

    Leaving out one block at a time against counting its pull alone (HC3 against HC0, by blocks).
    """
    low = problem.noise / PRIOR**2 * np.eye(len(problem.near.at))
    A = problem.gram + low
    pulls = (problem.weights * problem.near.residual)[:, None] * problem.near.jacobian
    g = problem.by_block(pulls)[..., None]
    without = np.linalg.solve(A - problem.curvature, g)[..., 0]
    alone = np.linalg.solve(A[None], g)[..., 0]
    ratio = np.sqrt(np.sum(without**2, axis=0) / np.maximum(np.sum(alone**2, axis=0), 1e-300))
    return np.maximum(1.0, ratio)
