"""Numbers that stay, all that changes, and where both lie: two flat buffers and views on them.

A compiled function is handed two buffers instead of some twenty arrays and numbers, each of which
would take a while to be looked at.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

compiled = njit(nogil=True, error_model="numpy")
summing = njit(nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
"""For sums whose order does not matter: several terms are added at once."""

WINDOW = 5
"""Positions that one motion is made of."""
TABLE = 16
"""Training points of largest leverage that are remembered."""
TRIAL_PRIOR = 1e-3
"""Of the prior's weight, in the trial of the skew: what it shrinks must not look like a skew."""
TORQUE, ROTATUM, PAPER = 0, 1, 2
"""Modes."""
WARMING_UP, LEARNING, FROZEN, REJECTED, CANNOT_KNOW = 0, 1, 2, 3, 4
"""Status."""
NEGATIVE, EXTRAPOLATED, OLDER, MISFIT, DAMPED, NEWER = 1, 2, 4, 8, 16, 32
"""Flags of warnings."""
SIGMA, STD, TORQUE_OUT, ROTATUM_OUT, LEVERAGE, STATUS, SKEW, MISFIT_OUT, FLAGS = range(9)
"""Rows of the output."""
VARIANCE, COUNT, HOLD, POWER, AT, OPENING = range(6)
"""Columns of a joint's memory: residual variance, accepted samples, samples still held, mean
square of the regressand, next row of the table to be refreshed, logarithm of the gate's opening."""
SIZES, COUNTS = 5, 3
"""Integers before all others: n, m, b, p, L; samples, row of the history, frozen."""
OPTIONS = 14
"""Numbers before all others."""


class Options(NamedTuple):
    """Numbers that stay."""

    mode: int
    dt: float
    memory: float
    prior: float
    steady_speed: float
    coulomb_speed: float
    gate: float
    floor: float
    patience: float
    window: float
    extrapolated: float
    skew: float
    misfit: float
    friction: int


class State(NamedTuple):
    """All that changes, and the layout of the joints.

    L is the length of the kernels, p the columns of the regression, b the basis functions.
    """

    sample: Array
    """(n + m,) newest positions, before they are taken."""
    given: Array
    """(2, n) momentum M v and G - C^T v; in the paper's mode the rate of the elastic torque."""
    out: Array
    """(9, n)."""
    parameters: Array
    """(n, p) normalised."""
    raw: Array
    """(5, n + m) newest positions of links and motors, newest last."""
    motion: Array
    """(4, n) position, velocity, acceleration, jerk at the centre."""
    history: Array
    """(n, b + 4, 2 L) basis, speed, remaining torque, momentum, torque's rate for held motors, each
    in a line; written twice, L places apart."""
    kernels: Array
    """(4, L) for rows, momentum, speed, and the rate of the basis."""
    info: Array
    """(n, p, p + 1) R and z."""
    trial: Array
    """(n, p + 1, p + 2) the same with a last unknown, the skew, from when it can be tried."""
    memory: Array
    """(n, 6)."""
    table: Array
    """(n, 16, b + 1) stiffness rows of training points; last their leverage."""
    work: Array
    """(5, p + 2) scratch; the last line holds the smoothed rates of the basis."""
    scales: Array
    """(n, 3) of deflection, adjuster, torque."""
    counts: Integers
    """Samples seen, place in the history to write, frozen by the user."""
    terms: Integers
    """(n, b, 3) motor channel, power, power of the adjuster."""
    layout: Integers
    """(n, 2) number of basis functions; channel of the adjuster, or -1."""


def buffers(n: int, m: int, b: int, p: int, length: int) -> tuple[Array, Integers]:
    """Both buffers, zero but for the sizes."""
    widest = 2 + 9 + p + 4 + 2 * length * (b + 4) + 6 + TABLE * (b + 1) + 3
    widest += p * (p + 1) + (p + 1) * (p + 2)
    count = OPTIONS + n * widest + (WINDOW + 1) * (n + m) + 4 * length + 5 * (p + 2)
    integers = np.zeros(SIZES + COUNTS + n * b * 3 + n * 2, np.int64)
    integers[:SIZES] = n, m, b, p, length
    return np.zeros(count), integers


@compiled
def views(x: Array, k: Integers) -> State:
    """The state in both buffers."""
    n, m, b, p, length = k[0], k[1], k[2], k[3], k[4]
    a0 = OPTIONS + n + m
    a1 = a0 + 2 * n
    a2 = a1 + 9 * n
    a3 = a2 + n * p
    a4 = a3 + WINDOW * (n + m)
    a5 = a4 + 4 * n
    a6 = a5 + n * 2 * length * (b + 4)
    a7 = a6 + 4 * length
    a8 = a7 + n * p * (p + 1)
    a9 = a8 + n * (p + 1) * (p + 2)
    a10 = a9 + 6 * n
    a11 = a10 + n * TABLE * (b + 1)
    a12 = a11 + 5 * (p + 2)
    a13 = a12 + 3 * n
    c0 = SIZES
    c1 = c0 + COUNTS
    c2 = c1 + n * b * 3
    return State(
        x[OPTIONS:a0],
        x[a0:a1].reshape((2, n)),
        x[a1:a2].reshape((9, n)),
        x[a2:a3].reshape((n, p)),
        x[a3:a4].reshape((WINDOW, n + m)),
        x[a4:a5].reshape((4, n)),
        x[a5:a6].reshape((n, b + 4, 2 * length)),
        x[a6:a7].reshape((4, length)),
        x[a7:a8].reshape((n, p, p + 1)),
        x[a8:a9].reshape((n, p + 1, p + 2)),
        x[a9:a10].reshape((n, 6)),
        x[a10:a11].reshape((n, TABLE, b + 1)),
        x[a11:a12].reshape((5, p + 2)),
        x[a12:a13].reshape((n, 3)),
        k[c0:c1],
        k[c1:c2].reshape((n, b, 3)),
        k[c2 : c2 + 2 * n].reshape((n, 2)),
    )


@compiled
def options(x: Array) -> Options:
    """The numbers that stay, from the head of the buffer."""
    return Options(
        int(x[0]),
        x[1],
        x[2],
        x[3],
        x[4],
        x[5],
        x[6],
        x[7],
        x[8],
        x[9],
        x[10],
        x[11],
        x[12],
        int(x[13]),
    )
