"""What is minimised: one number for a candidate, from how far it is from every log."""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.identify.space import Space

Floats = NDArray[np.float64]

Kind = Literal["absolute", "squared", "huber"]
KINDS: tuple[Kind, ...] = ("absolute", "squared", "huber")

LOST = 10.0
"""[rad] What a sample counts for at most, so that motion that overflows has an error too."""
KNEE = 0.01
"""[rad] Below it, a residual counts squared in Huber's loss, and in the smooth stand-in for the
absolute value: the errors of a good fit to recorded logs are about that."""


class Problem(Protocol):
    """What the search asks of what it searches. Points are (C, D), of the unit cube."""

    def residuals(self, points: Floats) -> Floats:
        """(C, M) simulated - measured; finite."""
        ...

    def cost(self, residuals: Floats) -> Floats:
        """(C,) What is minimised."""
        ...

    def error(self, residuals: Floats) -> Floats:
        """(C,) What is reported."""
        ...

    def loss(self, squares: Floats) -> Floats:
        """(3, M) rho(z) and its two derivatives at squared residuals z over KNEE squared: the cost
        as a robust least-squares problem."""
        ...


class Objective:
    """Residuals of candidates on logs, and their cost.

    Every log counts the same, however many samples it has. The cost is in rad:

        absolute   mean of |r|
        squared    root of the mean of r²
        huber      mean of r² / (2 KNEE) up to KNEE, of |r| - KNEE / 2 beyond

    Args:
        engine: of the actuator. batch: the logs. space: what a point of the unit cube means.
        kind: which cost.

    Attributes:
        steps: integration steps so far.

    Raises:
        PliantError: no such kind.
    """

    def __init__(
        self, engine: JointEngine, batch: LogBatch, space: Space, kind: Kind = "absolute"
    ) -> None:
        if kind not in KINDS:
            raise PliantError("no such objective", field="objective", found=kind, accepted=KINDS)
        self.engine, self.batch, self.space, self.kind = engine, batch, space, kind
        self.steps = 0
        lengths = np.diff(batch.starts)
        self._weights = np.repeat(lengths.mean() / lengths, lengths)
        self._columns = [engine.names.index(name) for name in space.names]
        self._base = engine.values()

    def __call__(self, points: Floats) -> Floats:
        """(C,) The cost of points (C, D) of the unit cube."""
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        """(C, M) simulated - measured [rad] at the samples of all logs, within ± LOST."""
        candidates = np.repeat(self._base[None], len(points), axis=0)
        candidates[:, self._columns] = self.space.from_cube(points)
        positions, steps = self.engine.batch(candidates, self.batch)
        self.steps += steps
        return np.clip(np.nan_to_num(positions - self.batch.measured, nan=LOST), -LOST, LOST)

    def cost(self, residuals: Floats) -> Floats:
        """(C,) [rad] The cost of residuals (C, M)."""
        size = np.abs(residuals)
        if self.kind == "squared":
            return np.sqrt(self._mean(size * size))
        if self.kind == "huber":
            return self._mean(np.where(size < KNEE, size * size / (2 * KNEE), size - KNEE / 2))
        return self._mean(size)

    def error(self, residuals: Floats) -> Floats:
        """(C,) [rad] Mean over the logs of their mean absolute error, whatever the cost is."""
        return self._mean(np.abs(residuals))

    def loss(self, squares: Floats) -> Floats:
        """(3, M) See `Problem`. The absolute value has a corner at zero; its stand-in has not."""
        z = squares
        if self.kind == "squared":
            rho = np.array([z, np.ones_like(z), np.zeros_like(z)])
        elif self.kind == "huber":
            inside, far = z <= 1.0, np.maximum(z, 1.0)
            rho = np.where(inside, [z, z**0, 0.0 * z], [2 * far**0.5 - 1, far**-0.5, -(far**-1.5) / 2])
        else:
            t = 1.0 + z
            rho = np.array([2.0 * (t**0.5 - 1.0), t**-0.5, -0.5 * t**-1.5])
        return rho * self._weights

    def _mean(self, samples: Floats) -> Floats:
        """(C,) Over the samples of each log, then over the logs."""
        return np.mean([part.mean(axis=-1) for part in self.batch.per_log(samples)], axis=0)
