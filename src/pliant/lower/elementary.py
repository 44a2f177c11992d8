"""exp, pow, sin and cos in lanes: branchless, to 1e-14.

    exp x = 2^k exp r,  k = round(x / ln 2),  |r| <= ln 2 / 2         Taylor's series, 13 terms
    log m = 2 artanh((m - 1) / (m + 1)),  m in [sqrt 1/2, sqrt 2]
    x^a = exp(a log x), the logarithm in two parts: a relative error of 1e-16 of it would be one
        of 1e-13 in the power where a log x is large
                    Source: Muller, Elementary Functions, 3rd ed. 2016, ch. 4, 11; fdlibm's e_pow.c

In lanes they replace `math.exp` and so on. The lowering links them; in Python they run unchanged. Beyond `FAR` sin and cos call
the C library, lane by lane.
"""

from math import copysign, inf, nan
from typing import Any

from pliant.lower.lanes import (
    both,
    coarse,
    either,
    exponent,
    library_cos,
    library_sin,
    mantissa,
    opposite,
    select,
    some,
    two_to,
)

LOG2E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
"""ln 2 in two parts; the first ends in zeros, so that its product with an exponent is exact."""
ROUNDER = 6755399441055744.0
"""1.5 2^52: adding it to a float rounds that to an integer, which is then in the last bits of the sum."""
HALF_PI_1 = 1.57079632673412561417e00
HALF_PI_2 = 6.07710050630396597660e-11
HALF_PI_3 = 2.02226624879595063154e-21
"""pi/2 in three parts, the first two ending in zeros."""
FAR = 1e5
"""[rad] Largest angle for which the parts of pi/2 suffice, with a wide margin."""
LEAST = -707.0
"""Below it exp is set to 0, because denormal numbers take the processor a hundred times as long."""
NOTHING = 1e-30
"""exp of smaller arguments is 1: friction near standstill has arguments whose squares would be denormal."""
SMALLEST = 2.2250738585072014e-308
"""Smallest normal float; those below are denormal."""


def exp_sum(x: Any, low: Any) -> Any:
    """exp(x + low), for a `low` that is small compared with x or below 1e-10."""
    gone = x < LEAST
    x = min(max(select(abs(x) < NOTHING, 0.0, x), LEAST), 710.0)
    k = (x * LOG2E + ROUNDER) - ROUNDER
    r = (x - k * LN2_HIGH) - (k * LN2_LOW - low)
    s = r * r
    # Two chains instead of one, whose multiplications do not wait for each other.
    even = 1.0 / 3628800.0 + s * (1.0 / 479001600.0)
    even = 1.0 / 720.0 + s * (1.0 / 40320.0 + s * even)
    even = 1.0 + s * (0.5 + s * (1.0 / 24.0 + s * even))
    odd = 1.0 / 39916800.0 + s * (1.0 / 6227020800.0)
    odd = 1.0 / 5040.0 + s * (1.0 / 362880.0 + s * odd)
    odd = 1.0 + s * (1.0 / 6.0 + s * (1.0 / 120.0 + s * odd))
    # 2^k in two factors: 2^1024 is not a float, but half of it, doubled
    y = (even + r * odd) * two_to((k - 1.0) + ROUNDER) * 2.0
    return select(gone, 0.0, y)


def exp(x: Any) -> Any:
    """Exponential of x."""
    return exp_sum(x, 0.0)


def log_parts(x: Any) -> Any:
    """The logarithm of a positive x: its leading 26 bits, and the rest."""
    tiny = x < SMALLEST
    x = select(tiny, x * 18014398509481984.0, x)
    e = exponent(x) - select(tiny, 54.0, 0.0)
    m = mantissa(x)
    big = m > 1.4142135623730951
    m = select(big, 0.5 * m, m)
    e = select(big, e + 1.0, e)
    over = 1.0 / (m + 1.0)
    s = (m - 1.0) * over
    s_high = coarse(s)
    sum_high = coarse(m + 1.0)
    sum_low = m - (sum_high - 1.0)
    s_low = over * (((m - 1.0) - s_high * sum_high) - s_high * sum_low)
    w = s * s
    w2 = w * w
    one = 2.0 / 3.0 + w2 * (2.0 / 7.0 + w2 * (2.0 / 11.0 + w2 * (2.0 / 15.0 + w2 * (2.0 / 19.0))))
    two = 2.0 / 5.0 + w2 * (2.0 / 9.0 + w2 * (2.0 / 13.0 + w2 * (2.0 / 17.0 + w2 * (2.0 / 21.0))))
    low = 2.0 * s_low + s * w * (one + w * two)
    whole = e * LN2_HIGH
    high = whole + 2.0 * s_high
    low += ((whole - high) + 2.0 * s_high) + e * LN2_LOW
    top = high + low
    low = (high - top) + low
    high = coarse(top)
    return high, (top - high) + low


def power(x: Any, a: Any) -> Any:
    """Power of x with exponent a."""
    size = abs(x)
    a = min(max(a, -1e300), 1e300)
    high, low = log_parts(size)
    a_high = coarse(a)
    product = a_high * high
    y = exp_sum(product, a * low + (a - a_high) * high)
    y = select(abs(product) > 720.0, select(product > 0.0, inf, 0.0), y)
    grows = a > 0.0
    y = select(size == 0.0, select(grows, 0.0, inf), y)
    y = select(size == inf, select(grows, inf, 0.0), y)
    y = select(x != x, nan, y)
    y = select(a != a, nan, y)
    # a negative number has only powers with integer exponents
    half = 0.5 * a
    whole = ((a + ROUNDER) - ROUNDER) == a
    even = ((half + ROUNDER) - ROUNDER) == half
    large = abs(a) > 4503599627370496.0
    odd = both(whole, opposite(either(even, large)))
    y = select(both(odd, copysign(1.0, x) < 0.0), -y, y)
    y = select(both(both(x < 0.0, size < inf), opposite(either(whole, large))), nan, y)
    return select(either(a == 0.0, x == 1.0), 1.0, y)


def sine(x: Any, quarters: Any) -> Any:
    """sin(x + quarters pi / 2) of an x within FAR."""
    n = (x * 0.6366197723675814 + ROUNDER) - ROUNDER
    r = ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3
    s = r * r
    a = -1.0 / 1307674368000.0 + s * (1.0 / 355687428096000.0)
    a = -1.0 / 39916800.0 + s * (1.0 / 6227020800.0 + s * a)
    a = -1.0 / 5040.0 + s * (1.0 / 362880.0 + s * a)
    a = r + r * s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * a))
    b = -1.0 / 87178291200.0 + s * (1.0 / 20922789888000.0)
    b = -1.0 / 3628800.0 + s * (1.0 / 479001600.0 + s * b)
    b = -1.0 / 720.0 + s * (1.0 / 40320.0 + s * b)
    b = 1.0 + s * (-0.5 + s * (1.0 / 24.0 + s * b))
    n += quarters
    pairs = (0.5 * n + ROUNDER) - ROUNDER
    turns = (0.25 * n - 0.375 + ROUNDER) - ROUNDER
    y = select(n == 2.0 * pairs, a, b)
    return select(n - 4.0 * turns > 1.5, -y, y)


def sin(x: Any) -> Any:
    """Sine of x [rad]."""
    far = abs(x) > FAR
    if some(far):
        return select(far, library_sin(x), sine(x, 0.0))
    return sine(x, 0.0)


def cos(x: Any) -> Any:
    """Cosine of x [rad]."""
    far = abs(x) > FAR
    if some(far):
        return select(far, library_cos(x), sine(x, 1.0))
    return sine(x, 1.0)
