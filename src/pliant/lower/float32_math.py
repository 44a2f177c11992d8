"""Functions of `math` that Warp lacks, accurate to float32 also near zero.

Source: W. Kahan's log1p and expm1, as in Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.
2002, 1.14.1.
"""

from math import copysign, exp, log, sqrt


def acosh(x: float) -> float:
    """Inverse hyperbolic cosine."""
    return log(x + sqrt(x * x - 1.0))


def asinh(x: float) -> float:
    """Inverse hyperbolic sine."""
    a = abs(x)
    return copysign(log1p(a + a * a / (1.0 + sqrt(a * a + 1.0))), x)


def atanh(x: float) -> float:
    """Inverse hyperbolic tangent."""
    return 0.5 * log1p(2.0 * x / (1.0 - x))


def expm1(x: float) -> float:
    """exp(x) - 1."""
    u = exp(x)
    if u == 1.0:
        return x
    if u - 1.0 == -1.0 or u - 1.0 == u:
        return u - 1.0
    return (u - 1.0) * x / log(u)


def hypot(x: float, y: float) -> float:
    """Length of (x, y)."""
    return sqrt(x * x + y * y)


def log1p(x: float) -> float:
    """log(1 + x)."""
    u = 1.0 + x
    if u == 1.0:
        return x
    return log(u) * x / (u - 1.0)
