"""The streaming core of the stiffness estimator, compiled: one sample in, one estimate out.

    1. `place`      newest positions into the window; the motion at the centre of the last few
    (outside)       rigid-body terms at that motion, from any dynamics
    2. `advance`    basis functions and terms into the history, both sides of the regression
                    smoothed by one kernel, gates, least squares, and the output at the newest
                    positions

Nothing is allocated; cost is linear in joints. Text: stiffness estimation, sections 2 and 5.

The regression is recursive least squares in square-root information form: what is known of p
parameters x is an upper triangle R and a vector z with R x = z, side by side as (p, p + 1). An
equation row . x = y is rotated in by p Givens rotations: no covariance that could lose its positive
definiteness.

All of it stands in one file because the compiler's cache does not see changes in another.
"""

from math import exp, hypot, nan, sqrt, tanh
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

compiled = njit(cache=True, nogil=True, error_model="numpy")

WINDOW = 5
"""Positions that one motion is made of."""
TABLE = 16
"""Training points of largest leverage that are remembered."""
TORQUE, ROTATUM, PAPER = 0, 1, 2
"""Modes."""
WARMING_UP, LEARNING, FROZEN, REJECTED, CANNOT_KNOW = 0, 1, 2, 3, 4
"""Status."""
NEGATIVE, EXTRAPOLATED, SKEWED, MISFIT = 1, 2, 4, 8
"""Flags of warnings."""
SIGMA, STD, TORQUE_OUT, ROTATUM_OUT, LEVERAGE, STATUS, SKEW, MISFIT_OUT, FLAGS = range(9)
"""Rows of the output."""
VARIANCE, COUNT, HOLD, POWER, AT, OPENING = range(6)
"""Columns of a joint's memory: residual variance, accepted samples, samples still held, mean
square of the regressand, next row of the table to be refreshed, logarithm of the gate's opening."""


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

    raw: Array
    """(5, n + m) newest positions of links and motors, newest last."""
    motion: Array
    """(4, n) position, velocity, acceleration, jerk at the centre."""
    history: Array
    """(n, 2 L, b + 3) basis, speed, remaining torque, momentum; written twice, L rows apart."""
    kernels: Array
    """(4, L) for rows, momentum, speed, and the rate of the basis."""
    info: Array
    """(n, p, p + 1) R and z."""
    parameters: Array
    """(n, p) normalised."""
    memory: Array
    """(n, 6)."""
    table: Array
    """(n, 16, b + 1) stiffness rows of training points; last their leverage."""
    work: Array
    """(4, p + 1) scratch."""
    counts: Integers
    """Samples seen, row of the history to write, frozen by the user."""
    terms: Integers
    """(n, b, 3) motor channel, power, power of the adjuster."""
    layout: Integers
    """(n, 2) number of basis functions; channel of the adjuster, or -1."""
    scales: Array
    """(n, 3) of deflection, adjuster, torque."""
    out: Array
    """(9, n)."""


@compiled
def rotate_in(info: Array, row: Array, p: int, memory: float) -> None:
    """The equation `row` = [psi | y], (p + 1,), into `info`; `row` is used up.

    Args:
        info: (p, p + 1) R and z.
        memory: sqrt(lambda), what becomes of all older rows; 1 forgets nothing.
    """
    for i in range(p):
        old, new = info[i, i] * memory, row[i]
        length = hypot(old, new)
        if length == 0.0:
            continue
        c, s = old / length, new / length
        for j in range(i, p + 1):
            above = info[i, j] * memory
            info[i, j] = c * above + s * row[j]
            row[j] = c * row[j] - s * above


@compiled
def solve(info: Array, p: int, x: Array) -> None:
    """The x of R x = z."""
    for i in range(p - 1, -1, -1):
        rest = info[i, p]
        for j in range(i + 1, p):
            rest -= info[i, j] * x[j]
        x[i] = rest / info[i, i]


@compiled
def variance(info: Array, psi: Array, p: int, work: Array) -> float:
    """Psi (R'R)^-1 psi', for noise of variance 1."""
    total = 0.0
    for i in range(p):
        rest = psi[i]
        for j in range(i):
            rest -= info[j, i] * work[j]
        work[i] = rest / info[i, i]
        total += work[i] * work[i]
    return total


@compiled
def place(
    raw: Array, motion: Array, counts: Integers, mode: int, dt: float, q: Array, theta: Array
) -> bool:
    """The newest positions into the window, and the motion that they give.

    Returns:
        Whether they are numbers; where not, nothing is changed.
    """
    n, total = len(q), 0.0
    for i in range(n):
        total += q[i] - q[i]
    for c in range(len(theta)):
        total += theta[c] - theta[c]
    if total != 0.0:  # infinity less itself is no number either
        return False
    for row in range(WINDOW - 1):
        for c in range(raw.shape[1]):
            raw[row, c] = raw[row + 1, c]
    for i in range(n):
        raw[WINDOW - 1, i] = q[i]
    for c in range(len(theta)):
        raw[WINDOW - 1, n + c] = theta[c]
    counts[0] += 1
    for i in range(n):
        if mode == PAPER:
            q0, q1, q2, q3 = raw[1, i], raw[2, i], raw[3, i], raw[4, i]
            motion[0, i] = q0
            motion[1, i] = (q1 - q0) / dt
            motion[2, i] = (q2 - 2.0 * q1 + q0) / dt**2
            motion[3, i] = (q3 - 3.0 * q2 + 3.0 * q1 - q0) / dt**3
        else:
            outer, inner = raw[4, i] - raw[0, i], raw[3, i] - raw[1, i]
            motion[0, i] = raw[2, i]
            motion[1, i] = (8.0 * inner - outer) / (12.0 * dt)
    return True


@compiled
def _power(x: float, n: int) -> float:
    y = 1.0
    for _ in range(n):
        y *= x
    return y


@compiled
def _row(s: State, i: int, at: Array, slope: bool, out: Array) -> None:
    """The torque basis of joint i at positions `at`, or its derivative by the deflection.

    Both are normalised: the derivative is by phi / phi_scale.
    """
    n = len(s.layout)
    adjuster = s.layout[i, 1]
    x = at[n + adjuster] / s.scales[i, 1] if adjuster >= 0 else 1.0
    for t in range(s.layout[i, 0]):
        phi = (at[i] - at[n + s.terms[i, t, 0]]) / s.scales[i, 0]
        j, m = s.terms[i, t, 1], s.terms[i, t, 2]
        out[t] = (j * _power(phi, j - 1) if slope else _power(phi, j)) * _power(x, m)


@compiled
def _paper_row(s: State, i: int, dt: float, out: Array) -> None:
    """The rate of the torque basis: the states of the observer, motors differenced alike."""
    n = len(s.layout)
    adjuster = s.layout[i, 1]
    for t in range(len(out)):
        out[t] = 0.0
    x, dx = 1.0, 0.0
    if adjuster >= 0:
        x = s.raw[1, n + adjuster] / s.scales[i, 1]
        dx = (s.raw[2, n + adjuster] - s.raw[1, n + adjuster]) / (dt * s.scales[i, 1])
    for t in range(s.layout[i, 0]):
        c = n + s.terms[i, t, 0]
        phi = (s.raw[1, i] - s.raw[1, c]) / s.scales[i, 0]
        dphi = (s.raw[2, i] - s.raw[2, c]) / (dt * s.scales[i, 0]) - phi / dt
        j, m = s.terms[i, t, 1], s.terms[i, t, 2]
        out[t] = j * _power(phi, j - 1) * dphi * _power(x, m)
        if m > 0:
            out[t] += _power(phi, j) * m * _power(x, m - 1) * dx


@compiled
def _smoothed(s: State, i: int, kernel: int, column: int) -> float:
    """One column of joint i's history under one kernel."""
    length = s.kernels.shape[1]
    start = s.counts[1] + 1  # the oldest of the L rows that end with the newest
    total = 0.0
    for k in range(length):
        total += s.kernels[kernel, k] * s.history[i, start + k, column]
    return total


@compiled
def _remember(s: State, i: int, momentum: float, rest: float) -> None:
    """The centre's basis and terms into joint i's history, twice."""
    b, length = s.table.shape[2] - 1, s.kernels.shape[1]
    _row(s, i, s.raw[2], False, s.work[0])
    for place_ in (s.counts[1], s.counts[1] + length):
        for t in range(s.layout[i, 0]):
            s.history[i, place_, t] = s.work[0, t]
        s.history[i, place_, b] = s.motion[1, i]
        s.history[i, place_, b + 1] = rest
        s.history[i, place_, b + 2] = momentum


@compiled
def _equation(s: State, o: Options, i: int, row: Array) -> float:
    """Joint i's equation [psi | y] into `row`, normalised; returns the smoothed speed."""
    b, terms, p = s.table.shape[2] - 1, s.layout[i, 0], s.info.shape[1]
    for t in range(p + 1):
        row[t] = 0.0
    for t in range(terms):
        row[t] = _smoothed(s, i, 0, t)
    speed = _smoothed(s, i, 2, b)
    if o.friction == 1:
        row[b] = _smoothed(s, i, 0, b)
        if o.mode == TORQUE:
            row[b + 1] = tanh(speed / o.coulomb_speed)
            row[b + 2] = 1.0
    row[p] = -(_smoothed(s, i, 1, b + 2) + _smoothed(s, i, 0, b + 1)) / s.scales[i, 2]
    return speed


@compiled
def _learn(s: State, o: Options, i: int, speed: float, row: Array) -> int:
    """Gates, then the equation into joint i's least squares; returns the status."""
    p, m = s.info.shape[1], s.memory[i]
    if s.counts[2] == 1 or abs(speed) < o.steady_speed:
        return FROZEN
    error = row[p]
    for t in range(p):
        error -= row[t] * s.parameters[i, t]
    spread = 1.0 + o.window * variance(s.info[i], row, p, s.work[3])
    square = error * error / spread
    if o.gate > 0.0 and m[COUNT] > 10.0 * o.window:
        if square > o.gate * max(m[VARIANCE], o.floor**2) * exp(m[OPENING]):
            m[HOLD] = o.window
        if m[HOLD] > 0.0:
            m[HOLD] -= 1.0
            m[OPENING] += o.dt / o.patience  # what never ends is not a contact
            return REJECTED
        m[OPENING] = max(0.0, m[OPENING] - o.dt / o.patience)
    m[COUNT] += 1.0
    m[VARIANCE] += (square - m[VARIANCE]) / min(m[COUNT], 2000.0)
    m[POWER] += (row[p] ** 2 - m[POWER]) / min(m[COUNT], 2000.0)
    rotate_in(s.info[i], row, p, o.memory)
    if o.memory < 1.0:  # forget towards the prior, one parameter a sample, not towards nothing
        t = int(m[COUNT]) % p
        for k in range(p + 1):
            row[k] = 0.0
        row[t] = sqrt(p * (1.0 - o.memory**2) / o.prior)
        rotate_in(s.info[i], row, p, 1.0)
    solve(s.info[i], p, s.parameters[i])
    return LEARNING


@compiled
def _leverage(s: State, i: int, slope: Array, learned: bool) -> float:
    """Variance of the stiffness for unit noise; keeps the table of training points."""
    p, b = s.info.shape[1], s.table.shape[2] - 1
    here = variance(s.info[i], slope, p, s.work[3])
    if not learned:
        return here
    refreshed = int(s.memory[i, AT])
    s.memory[i, AT] = (refreshed + 1) % TABLE
    psi = s.work[2]
    for t in range(p):
        psi[t] = s.table[i, refreshed, t] if t < b else 0.0
    s.table[i, refreshed, b] = variance(s.info[i], psi, p, s.work[3])
    least = 0
    for k in range(TABLE):
        if s.table[i, k, b] < s.table[i, least, b]:
            least = k
    if here > s.table[i, least, b]:
        for t in range(b):
            s.table[i, least, t] = slope[t]
        s.table[i, least, b] = here
    return here


@compiled
def _estimate(s: State, o: Options, i: int, status: int) -> None:
    """The output of joint i at the newest positions."""
    p, b, terms = s.info.shape[1], s.table.shape[2] - 1, s.layout[i, 0]
    slope, newest, m = s.work[1], s.raw[WINDOW - 1], s.memory[i]
    for t in range(p):
        slope[t] = 0.0
    _row(s, i, newest, True, slope)
    unit = s.scales[i, 2] / s.scales[i, 0]
    sigma = 0.0
    for t in range(terms):
        sigma += unit * slope[t] * s.parameters[i, t]
    here = _leverage(s, i, slope, status == LEARNING)
    most = 0.0
    for k in range(TABLE):
        most = max(most, s.table[i, k, b])
    noise = o.window * here
    std = unit * sqrt(noise * m[VARIANCE])
    at_least = unit * sqrt(noise * max(m[VARIANCE], o.floor**2))
    known = m[COUNT] > 2.0 * o.window and at_least < 0.5 * abs(sigma)
    torque = 0.0
    _row(s, i, newest, False, s.work[0])
    for t in range(terms):
        torque += s.scales[i, 2] * s.work[0, t] * s.parameters[i, t]
    s.out[SIGMA, i] = sigma if known else nan
    s.out[STD, i] = std if known else nan
    s.out[TORQUE_OUT, i] = torque if known else nan
    s.out[ROTATUM_OUT, i] = _rotatum(s, o, i) if known else nan
    s.out[LEVERAGE, i] = here / most if most > 0.0 else nan
    if not known:
        status = WARMING_UP if status == LEARNING else CANNOT_KNOW
    s.out[STATUS, i] = status
    _suspect(s, o, i, known, at_least)


@compiled
def _rotatum(s: State, o: Options, i: int) -> float:
    """Rate of the elastic torque: smoothed like the learning, or the observer's."""
    total = 0.0
    if o.mode == PAPER:
        _paper_row(s, i, o.dt, s.work[0])
    for t in range(s.layout[i, 0]):
        rate = s.work[0, t] if o.mode == PAPER else _smoothed(s, i, 3, t)
        total += s.scales[i, 2] * rate * s.parameters[i, t]
    return total


@compiled
def _suspect(s: State, o: Options, i: int, known: bool, at_least: float) -> None:
    """What the numbers say against the data: flags, skew between encoders, misfit."""
    p, b, m = s.info.shape[1], s.table.shape[2] - 1, s.memory[i]
    flags, sigma = 0, s.out[SIGMA, i]
    s.out[SKEW, i] = 0.0
    s.out[MISFIT_OUT, i] = sqrt(m[VARIANCE] / m[POWER]) if m[POWER] > 0.0 else nan
    if known and m[COUNT] > 50.0 * o.window:
        if s.out[LEVERAGE, i] > o.extrapolated:
            if s.out[STATUS, i] != LEARNING:
                flags |= EXTRAPOLATED
        elif sigma < -3.0 * at_least:
            flags |= NEGATIVE
        if s.out[MISFIT_OUT, i] > o.misfit:
            flags |= MISFIT
        if o.friction == 1 and o.mode != PAPER and s.parameters[i, b] < 0.0 and sigma > 0.0:
            viscous = s.work[2]
            for t in range(p):
                viscous[t] = 1.0 if t == b else 0.0
            noise = o.window * variance(s.info[i], viscous, p, s.work[3])
            late = -s.parameters[i, b] * s.scales[i, 2] / sigma
            deviation = sqrt(noise * max(m[VARIANCE], 1e-2 * o.floor**2))
            if late > o.skew and -s.parameters[i, b] > 5.0 * deviation:
                s.out[SKEW, i] = late
                flags |= SKEWED
    s.out[FLAGS, i] = flags


@compiled
def advance(s: State, o: Options, momentum: Array, rest: Array) -> bool:
    """The terms at the centre into the regression, and the newest estimate into `s.out`.

    Args:
        s: after `place`. o: the options.
        momentum: (n,) M v; in the paper's mode the rate of the elastic torque.
        rest: (n,) G - C^T v.

    Returns:
        Whether any joint is in doubt.
    """
    length, p, doubt = s.kernels.shape[1], s.info.shape[1], False
    enough = WINDOW - 1 if o.mode == PAPER else length + WINDOW - 1
    if o.mode != PAPER:
        s.counts[1] = (s.counts[1] + 1) % length
    for i in range(len(momentum)):
        row, speed = s.work[0], 1e9
        if o.mode != PAPER:
            _remember(s, i, momentum[i], rest[i])
        if s.counts[0] < enough:
            s.out[:, i] = nan
            s.out[STATUS, i], s.out[FLAGS, i] = WARMING_UP, 0.0
            continue
        if o.mode == PAPER:
            _paper_row(s, i, o.dt, row)
            row[p] = momentum[i] / s.scales[i, 2]
        else:
            speed = _equation(s, o, i, row)
        _estimate(s, o, i, _learn(s, o, i, speed, row))
        doubt = doubt or s.out[FLAGS, i] > 0.0
    return doubt


@compiled
def run(
    s: State, o: Options, q: Array, theta: Array, momentum: Array, rest: Array, out: Array
) -> None:
    """`place` and `advance` over whole recordings, (N, …), estimates into `out`, (N, 9, n)."""
    for k in range(len(q)):
        place(s.raw, s.motion, s.counts, o.mode, o.dt, q[k], theta[k])
        if s.counts[0] >= WINDOW:
            advance(s, o, momentum[k], rest[k])
        out[k] = s.out
