"""Tests of a fit's residual that need no model of the noise."""

import numpy as np

from pliant.arrays import Floats
from pliant.extras import extra_module

_stats = extra_module("scipy.stats", "identify")

FEWEST_BLOCKS = 8
BINS = 10
ALIKE = 0.8
"""Correlation of two halves of a recording, from which on their residuals are the same."""


def torque_error(tau: Floats, residual: Floats, floor: float) -> float:
    """Error c [%]: the residual relative to the torque, which counts for `floor` [N m] at least."""
    return 100.0 * float(np.sqrt(np.mean((residual / np.maximum(np.abs(tau), floor)) ** 2)))


def block_length(residual: Floats) -> int:
    """Samples after which a residual has forgotten itself, twice over, for block resampling."""
    centred = residual - residual.mean()
    power = float(centred @ centred)
    longest = max(len(residual) // FEWEST_BLOCKS, 1)
    if power == 0.0:
        return 1
    total = 1.0
    for lag in range(1, longest):
        correlation = float(centred[lag:] @ centred[:-lag]) / power
        if correlation < 0.05:
            break
        total += 2.0 * correlation
    return int(min(max(np.ceil(2.0 * total), 1), longest))


def widening(blocks: float, parameters: int) -> float:
    """Factor that widens a 95 % band from resampled blocks, for how few they are.

    The residual is smaller than the noise by the parameters that were fitted to it, and a normal
    quantile is too small for few blocks: sqrt(m / (m - P)) t(m - P) / t(infinity).
    """
    free = max(blocks - parameters, 2.0)
    quantile = float(_stats.t.ppf(0.975, free) / _stats.norm.ppf(0.975))
    return quantile * float(np.sqrt((free + parameters) / free))


def repeats(phi: Floats, residual: Floats) -> bool:
    """Whether the residual is the same function of the deflection in both halves of a recording."""
    edges = np.linspace(float(phi.min()), float(phi.max()), BINS + 1)
    bins = np.clip(np.searchsorted(edges, phi, "right") - 1, 0, BINS - 1)
    half = np.arange(len(phi)) < len(phi) // 2
    counts = [np.bincount(bins[rows], minlength=BINS) for rows in (half, ~half)]
    shared = (counts[0] > 0) & (counts[1] > 0)
    if shared.sum() < BINS - 2:
        return False
    first, second = (
        np.bincount(bins[rows], residual[rows], BINS)[shared] / count[shared]
        for rows, count in zip((half, ~half), counts, strict=True)
    )
    if first.std() == 0.0 or second.std() == 0.0:
        return False
    return float(np.corrcoef(first, second)[0, 1]) > ALIKE
