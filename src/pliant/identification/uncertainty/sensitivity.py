"""Slopes of the residuals with respect to each parameter around the best point.

Parameters are taken on a chart of their own: the unit cube of the search, but linear where the cube
has a square root, which is steep near zero, the value that friction parameters so often end at.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.space import Space

ResidualFunction = Callable[[Floats], Floats]
"""(C, D) points of the unit cube to (C, M) residuals [rad]."""

STEPS = (1e-5, 1e-4, 1e-3, 1e-2)
"""Step sizes to choose from, in the chart's unit length: see `sensitivity`."""
LOST = 10.0
"""[rad] What a sample counts for at most."""
SHARE = 0.1
"""Largest change by a step, as a fraction of the residuals' own size."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Coordinates in [0, 1], in which the residuals are as linear as they get."""

    space: Space

    def to_cube(self, coordinates: Floats) -> Floats:
        """(…, D) coordinates to points of the unit cube."""
        inside = np.clip(coordinates, 0.0, 1.0)
        return np.where(self.space.low == 0, self.space.to_cube(inside * self.space.high), inside)

    def from_cube(self, cube: Floats) -> Floats:
        """(…, D) points of the unit cube to coordinates."""
        inside = np.clip(cube, 0.0, 1.0)
        return np.where(self.space.low == 0, self.space.from_cube(inside) / self.space.high, inside)

    def values(self, coordinates: Floats) -> Floats:
        """(…, D) coordinates to values in SI units."""
        return self.space.from_cube(self.to_cube(coordinates))


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The residuals at a point, and their slopes.

    Attributes:
        at: (D,) coordinates of the chart. residual: (M,) [rad].
        jacobian: (M, D) [rad] for the whole range of each coordinate.
        steps: (D,) of the differences.
    """

    at: Floats
    residual: Floats
    jacobian: Floats
    steps: Floats


def sensitivity(residuals: ResidualFunction, at: Floats, chart: Chart) -> Sensitivity:
    """The slopes at coordinates (D,), over the distance that matters.

    A joint that sticks and slips answers to a small change by jumps. The step of each parameter is
    therefore the longest that changes the residuals by no more than a tenth of their own size:
    neither a jump nor a curve.
    """
    size = len(at)
    offsets = np.array(STEPS)[:, None, None] * np.eye(size)
    here = finite(residuals(chart.to_cube(at[None])))[0]
    points = np.clip(at + np.concatenate([offsets, -offsets]), 0.0, 1.0)
    runs = finite(residuals(chart.to_cube(points.reshape(-1, size))))
    runs = runs.reshape(2, len(STEPS), size, -1) - here
    change: Floats = np.max(np.sqrt(np.mean(runs**2, axis=-1)), axis=0)
    too_far = change > SHARE * np.sqrt((here**2).mean())
    count = np.cumsum(too_far, axis=0)
    first = np.count_nonzero(count == 0, axis=0)
    return slopes(residuals, at[None], np.array(STEPS)[np.maximum(first - 1, 0)], chart)[0]


def slopes(
    residuals: ResidualFunction, at: Floats, steps: Floats, chart: Chart
) -> list[Sensitivity]:
    """Central differences at coordinates (K, D), of as high an order at bounds, in one batch."""
    count, size = at.shape
    # f'(0) = ((f(a) - f(0)) b/a - (f(b) - f(0)) a/b) / (b - a): a = -b inside, b = 2 a at a bound
    to_low, to_high = at < steps, at > 1.0 - steps
    a = np.where(to_low, steps, -steps)
    b = np.where(to_low, 2.0 * steps, np.where(to_high, -2.0 * steps, steps))
    points = at[None, :, None] + np.stack([a, b])[..., None] * np.eye(size)
    every = np.concatenate([at, points.reshape(-1, size)])
    runs = finite(residuals(chart.to_cube(every)))
    here = runs[:count]
    at_a, at_b = runs[count:].reshape(2, count, size, -1) - here[:, None]
    a, b = a[..., None], b[..., None]
    jacobians = ((at_a * b / a - at_b * a / b) / (b - a)).transpose(0, 2, 1)
    return [Sensitivity(*one, steps) for one in zip(at, here, jacobians, strict=True)]


def finite(residuals: Floats) -> Floats:
    """Motion that overflows counts for much, and for a number."""
    return np.clip(np.nan_to_num(residuals, nan=LOST, posinf=LOST, neginf=-LOST), -LOST, LOST)
