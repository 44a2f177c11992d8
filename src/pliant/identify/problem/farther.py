"""The margin of a band grows with how much farther than its neighbours a gain lies.

A fit to two of three gains is judged on the third, which may lie an octave from the nearest of them or three;
what it misses there grows with that distance, and says too much of a nearer one.
"""

from collections.abc import Iterable
from math import log2, sqrt


def farther(gain: float, gains: Iterable[float]) -> float:
    """Factor on a margin: the square root of the octaves from a gain to the nearest other one, at least 1.

    Args:
        gain: of a log. gains: that were fitted, in the same unit; those that are not above 0 do not count.
    """
    if gain <= 0.0:
        return 1.0
    octaves = [abs(log2(gain / one)) for one in gains if one > 0.0]
    return sqrt(max(1.0, min(octaves, default=1.0)))
