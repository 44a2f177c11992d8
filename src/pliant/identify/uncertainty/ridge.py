"""Walks along the directions that the data leave open, to where the parameters might also lie.

A ridge of equal error is curved where parameters multiply, so that a straight look from the best
point ends soon. Walkers follow it: a step along the flat directions of where they stand, then back
onto the ridge, and look again, until a bound of the box.
"""

from dataclasses import replace

import numpy as np

from pliant.identify.uncertainty.draws import BlockProblem, bounded_step
from pliant.identify.uncertainty.sensitivity import Floats, slopes

WEAK = 0.005
"""Spread, of the whole range, from which on a direction may be open: walkers will find out."""
WALKERS = 6
STRIDE = 0.15
"""Longest first step, of the whole range."""
RISE = 6.0
"""Largest rise of the error on a walk, in variances of the noise; a profile takes 2.7."""


def ridge(problem: BlockProblem, rounds: int, rng: np.random.Generator) -> list[BlockProblem]:
    """The best point, and where walkers found the error as small, in every open direction."""
    V = open_directions(problem)
    if not V.shape[1]:
        return [problem]
    axes = (
        V.T
        if V.shape[1] == 1
        else np.concatenate([V.T, rng.normal(size=(WALKERS, V.shape[1])) @ V.T])
    )
    axes = axes[: WALKERS // 2]
    walkers = [_Walker(problem, sign * axis) for axis in axes for sign in (1.0, -1.0)]
    allowed = problem.cost(problem.near.residual) + RISE * problem.noise
    found = [problem]
    for _ in range(rounds):
        going = [walker for walker in walkers if walker.stride > 0.005]
        if not going:
            break
        at = np.array([walker.ahead() for walker in going])
        for _ in range(2):
            runs = problem.run(at)
            at = np.array([w.back(*pair) for w, *pair in zip(going, at, runs, strict=True)])
        near = slopes(problem.residuals, at, problem.near.steps, problem.chart)
        for walker, one in zip(going, near, strict=True):
            if walker.arrive(replace(problem, near=one), allowed):
                found.append(walker.place)
    return found


def open_directions(problem: BlockProblem) -> Floats:
    """(D, Q) unit vectors along which the data allow more than WEAK of the range, widest first."""
    values, V = np.linalg.eigh(problem.gram)
    return V[:, values < problem.noise / WEAK**2]


class _Walker:
    def __init__(self, place: BlockProblem, heading: Floats) -> None:
        self.place, self.heading, self.stride = place, heading, STRIDE

    def ahead(self) -> Floats:
        """(D,) A stride along the flat directions of this place, within the bounds."""
        at = self.place.near.at
        inward = ~((at <= 0.0) & (self.heading < 0.0) | (at >= 1.0) & (self.heading > 0.0))
        V = open_directions(self.place)
        step = V @ (V.T @ (self.heading * inward))
        step *= self.stride / max(float(np.abs(step).max(initial=0.0)), 1e-12)
        return np.clip(at + step, 0.0, 1.0)

    def back(self, at: Floats, run: Floats) -> Floats:
        """(D,) Onto the ridge: a Gauss–Newton step across it."""
        place = self.place
        V = open_directions(place)
        A = place.gram + np.trace(place.gram) * (V @ V.T)
        g = place.near.jacobian.T @ (place.weights * run)
        return at + bounded_step(A[None], g[None], -at[None], 1.0 - at[None])[0]

    def arrive(self, there: BlockProblem, allowed: float) -> bool:
        """Go there, if it is on the ridge; otherwise try a shorter stride."""
        moved = there.near.at - self.place.near.at
        size = float(np.linalg.norm(moved))
        if there.cost(there.near.residual) > allowed or size < 1e-3:
            self.stride *= 0.3
            return False
        self.place, self.heading = there, moved / size
        self.stride = min(2.0 * STRIDE, 1.5 * self.stride)
        return True
