"""Steps of an encoder, inferred from the values of a recorded position."""

import numpy as np

from pliant.arrays import Floats

FINEST = 1e-5
"""[rad, m] Finer steps are due to the digits of the number."""
BITS = (9, 16)
"""Encoders that count a turn by a power of two: the least and the most."""
OFF = 0.05
"""[steps] Allowed distance from a whole number of steps, because of truncated digits."""


def resolution(line: Floats) -> float | None:
    """[rad, m] Smallest difference between values, if all differences are multiples of it; else None.

    Args:
        line: (N,) [rad, m].
    """
    apart: Floats = np.diff(np.unique(np.round(line, 7)))
    if len(apart) < 2:
        return None
    step = float(np.sum(apart) / np.sum(np.round(apart / np.min(apart))))
    uneven: Floats = np.abs(apart / step - np.round(apart / step))
    return step if step > FINEST and np.quantile(uneven, 0.9) < 0.1 else None


def counts_of_turn(line: Floats, step: float) -> int | None:
    """Counts per turn of an encoder whose whole counts the values, taken as revolutions, would be; else None.

    Args:
        line: (N,) in any unit. step: in the same.
    """
    bits = round(-np.log2(step))
    counts: Floats = (line - line[0]) * 2.0**bits
    is_whole = bool((np.abs(counts - np.round(counts)) < OFF).all())
    return 2**bits if BITS[0] <= bits <= BITS[1] and is_whole else None
