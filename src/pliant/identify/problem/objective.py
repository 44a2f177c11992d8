"""What is minimised: one number for a candidate, from how far it is from every log."""

from typing import Literal, Protocol

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.identify.problem.prior import Pull
from pliant.identify.problem.space import Space
from pliant.identify.search.least_squares import LeastSquares

Kind = Literal["absolute", "squared", "huber"]
KINDS: tuple[Kind, ...] = ("absolute", "squared", "huber")

LOST = 10.0
"""[rad] What a sample counts for at most, so that motion that overflows has an error too."""
KNEE = 0.01
"""[rad] Below it, a residual counts squared in Huber's loss, and in the smooth stand-in for the
absolute value: the errors of a good fit to recorded logs are about that."""


class SearchProblem(LeastSquares, Protocol):
    """What the search asks of what it searches."""

    def error(self, residuals: Floats) -> Floats:
        """(C,) What is reported."""
        ...


class Objective:
    """LeastSquares of candidates on logs, and their cost.

    Every log counts the same, however many samples it has. The cost is in rad:

        absolute   mean of |r|
        squared    root of the mean of r²
        huber      mean of r² / (2 KNEE) up to KNEE, of |r| - KNEE / 2 beyond

    A prior adds its pull. What it pulls at stands behind the samples, as residuals of its own.

    Args:
        engine: of the actuator. batch: the logs. space: what a point of the unit cube means.
        kind: which cost. pull: of a prior.

    Attributes:
        steps: integration steps so far. evaluations: candidates so far.

    Raises:
        PliantError: no such kind.
    """

    def __init__(
        self,
        engine: JointEngine,
        batch: LogBatch,
        space: Space,
        kind: Kind = "absolute",
        *,
        pull: Pull | None = None,
    ) -> None:
        if kind not in KINDS:
            raise PliantError("no such objective", field="objective", found=kind, accepted=KINDS)
        self.engine, self.batch, self.space, self.kind = engine, batch, space, kind
        self.steps = self.evaluations = 0
        self.pull = pull or Pull.none(len(space.names))
        lengths = np.diff(batch.starts)
        self._weights = np.repeat(lengths.mean() / lengths, lengths)
        self._columns = [engine.names.index(name) for name in space.names]
        self._base = engine.values()

    def __call__(self, points: Floats) -> Floats:
        """(C,) The cost of points (C, D) of the unit cube."""
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        """(C, M + K) simulated - measured [rad] at the samples of all logs, within ± LOST.

        The last K are what a prior pulls at.
        """
        candidates = np.repeat(self._base[None], len(points), axis=0)
        candidates[:, self._columns] = self.space.from_cube(points)
        positions, steps = self.engine.batch(candidates, self.batch)
        self.steps += steps
        self.evaluations += len(points)
        r = np.clip(np.nan_to_num(positions - self.batch.measured, nan=LOST), -LOST, LOST)
        return np.concatenate([r, self.pull.deviations(points)], axis=1) if self.pull.at else r

    def cost(self, residuals: Floats) -> Floats:
        """(C,) [rad] The cost of residuals (C, M + K)."""
        samples, deviations = np.split(residuals, [len(self._weights)], axis=1)
        return self._loss(np.abs(samples)) + self.pull.cost(deviations)

    def _loss(self, size: Floats) -> Floats:
        if self.kind == "squared":
            return np.sqrt(self._mean(size * size))
        if self.kind == "huber":
            return self._mean(np.where(size < KNEE, size * size / (2 * KNEE), size - KNEE / 2))
        return self._mean(size)

    def error(self, residuals: Floats) -> Floats:
        """(C,) [rad] Mean over the logs of their mean absolute error, whatever the cost is."""
        return self._mean(np.abs(residuals[:, : len(self._weights)]))

    def weights(self, residuals: Floats) -> Floats:
        """(M + K,) What each residual counts for as a square, where squares stand for the cost.

        The absolute value has a corner at zero; here it is rounded off below KNEE.
        """
        count = len(self._weights)
        samples = residuals[:count]
        size = np.abs(samples) / KNEE
        if self.kind == "squared":
            weights, unit = self._weights, float(self._loss(np.abs(samples[None]))[0])
        elif self.kind == "huber":
            weights, unit = self._weights / np.maximum(size, 1.0), KNEE
        else:
            weights, unit = self._weights / np.sqrt(1.0 + size * size), KNEE
        # weights r is the slope of the loss times count and this unit
        return np.append(weights, self.pull.weights() * (count * unit))

    def _mean(self, samples: Floats) -> Floats:
        """(C,) Over the samples of each log, then over the logs."""
        return np.mean([part.mean(axis=-1) for part in self.batch.per_log(samples)], axis=0)
