"""Random numbers from three small generators, identical in float32 and float64.

    x' = 171 x mod 30269,  y' = 172 y mod 30307,  z' = 170 z mod 30323
    u = frac(x / 30269 + y / 30307 + z / 30323)
                                     Source: Wichmann and Hill, algorithm AS 183, 1982

No product reaches 2^24, so both precisions draw the same integers; they repeat after 7e12 draws.

Left out: independence of more than a few consecutive seeds.
"""

from math import floor
from typing import NamedTuple

LEAST = 1e-7
"""Smallest number drawn, above 0 because its logarithm is taken."""


class Place(NamedTuple):
    x: float
    y: float
    z: float


def rest(product: float, modulus: float) -> float:
    """Remainder of a product of whole numbers, corrected if the quotient was rounded up."""
    left = product - modulus * floor(product / modulus)
    if left < 0.0:
        left = left + modulus
    if left >= modulus:
        left = left - modulus
    return left


def turned(s: Place) -> Place:
    return Place(rest(171.0 * s.x, 30269.0), rest(172.0 * s.y, 30307.0), rest(170.0 * s.z, 30323.0))


def uniform(s: Place) -> float:
    """The uniform number, between 0 and 1."""
    total = s.x / 30269.0 + s.y / 30307.0 + s.z / 30323.0
    return max(total - floor(total), LEAST)


def times(x: float, y: float, modulus: float) -> float:
    """Product modulo `modulus` of whole numbers below it, in parts below 2^24."""
    high = floor(y / 256.0)
    low = y - 256.0 * high
    return rest(256.0 * rest(high * x, modulus) + low * x, modulus)


def seeded(seed: float) -> Place:
    """Powers of the seed, so that consecutive seeds give unrelated numbers."""
    n = floor(seed) + 2.0
    square = times(n, n, 30269.0)
    other = times(n, n, 30307.0)
    cube = times(n, times(n, n, 30323.0), 30323.0)
    return Place(
        max(times(square, square, 30269.0), 1.0),
        max(times(n, other, 30307.0), 1.0),
        max(times(cube, cube, 30323.0), 1.0),
    )
