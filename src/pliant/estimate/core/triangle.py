"""Recursive least squares in square-root information form.

What is known of p parameters x is an upper triangle R and a vector z with R x = z, side by side. An
equation row . x = y is rotated in by Givens rotations: there is no covariance that could lose its
positive definiteness.
"""

from math import sqrt

from pliant.arrays import Matrix, Vector
from pliant.lower.memory import apart


@apart
def rotate_in(info: Matrix, row: Vector, memory: float) -> None:
    """The equation `row` = [psi | y], (r + 1,), into `info`; `row` is used up.

    Args:
        info: (r, r + 1) R and z.
        memory: sqrt(lambda), what becomes of all older rows; 1 forgets nothing.
    """
    count, width = info.shape
    for i in range(count):
        old, new = info[i, i] * memory, row[i]
        square = old * old + new * new
        if square == 0.0:
            continue
        shrink = 1.0 / sqrt(square)
        c, s = shrink * old, shrink * new
        for j in range(i, width):
            above = info[i, j] * memory
            info[i, j] = c * above + s * row[j]
            row[j] = c * row[j] - s * above


@apart
def solve(info: Matrix, p: int, x: Vector) -> None:
    """The p unknowns."""
    for i in range(p - 1, -1, -1):
        rest = info[i, p]
        for j in range(i + 1, p):
            rest -= info[i, j] * x[j]
        x[i] = rest / info[i, i]


@apart
def variance(info: Matrix, psi: Vector, p: int, work: Vector) -> float:
    """Psi (R'R)^-1 psi', for noise of variance 1."""
    total = 0.0
    for i in range(p):
        rest = psi[i]
        for j in range(i):
            rest -= info[j, i] * work[j]
        work[i] = rest / info[i, i]
        total += work[i] * work[i]
    return total
