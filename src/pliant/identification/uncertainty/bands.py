"""Between which positions a recording will lie: the spread of the draws, and the model's margin."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.torque_response import factor_at
from pliant.identification.result.equally_good import DRAWS
from pliant.identification.uncertainty.draws import LEVELS, Uncertainty


@dataclass(frozen=True, eq=False)
class Band:
    """(M,) [rad] the median of the draws, and the ends of 90 % of what will be measured."""

    middle: Floats
    low: Floats
    high: Floats

    def share(self, measured: Floats) -> float:
        """Fraction of samples (M,) that lie within."""
        return float(np.mean((measured >= self.low) & (measured <= self.high)))


def band(
    found: Uncertainty,
    simulate: Callable[[Floats], Floats],
    *,
    joint: str = "",
    n: int = DRAWS,
    gain: float = 0.0,
) -> Band:
    """Simulate draws, and widen what they span by the margin that groups of the logs asked for.

    Args:
        found: whose draws and margin to take.
        simulate: (C, D) parameter sets in SI units to (C, M) positions [rad].
        joint: of a robot, whose positions these are. n: draws.
        gain: P-gain of the recording, which the margin goes with; 0: none.
    """
    return widened(found, simulate(found.spread(n)), joint, gain)


def widened(found: Uncertainty, runs: Floats, joint: str = "", gain: float = 0.0) -> Band:
    """The band of positions (C, M) [rad] of draws, of one joint, at a gain; see `band`."""
    low, middle, high = np.quantile(runs, (LEVELS[0], 0.5, LEVELS[1]), axis=0)
    if joint not in found.coverage:
        return Band(middle, low, high)
    coverage = found.coverage[joint]
    margin = factor_at(coverage.by_gain, gain) * coverage.margin
    return Band(middle, low - margin, high + margin)
