"""Slopes of a function by extrapolated differences: the oracle for a law's own derivatives."""

from collections.abc import Callable

import numpy as np

ROUNDING = 4.0 * np.finfo(float).eps


def slope(f: Callable[[float], float], at: float, step: float) -> tuple[float, float]:
    """df/dx at `at` and a bound on its error, by Ridders' extrapolation of central differences.

    `step` is the widest; where the function has a kink nearby, the narrow ones decide.
    """
    table: list[list[float]] = []
    best, error = 0.0, np.inf
    for row in range(14):
        h = step / 2.0**row
        up, down = f(at + h), f(at - h)
        noise = ROUNDING * (abs(up) + abs(down)) / h
        table.append([(up - down) / (2.0 * h)])
        for k in range(1, row + 1):
            factor = 4.0**k
            table[row].append((factor * table[row][k - 1] - table[row - 1][k - 1]) / (factor - 1.0))
            change = max(
                abs(table[row][k] - table[row][k - 1]), abs(table[row][k] - table[row - 1][k - 1])
            )
            if change + noise < error:
                best, error = table[row][k], change + noise
    return best, float(error)


def relative(found: float, slope_and_error: tuple[float, float]) -> float:
    """Relative deviation of `found` from a slope, less the error of the slope itself."""
    expected, error = slope_and_error
    off = max(abs(found - expected) - error, 0.0)
    return off / abs(expected) if off else 0.0
