"""One equation per sample and joint, and whether it is learned."""

from math import exp, sqrt, tanh

from pliant.estimate.core.state import (
    COUNT,
    FROZEN,
    HOLD,
    LEARNING,
    OPENING,
    POWER,
    REJECTED,
    TORQUE,
    VARIANCE,
    Array,
    Options,
    State,
    compiled,
)
from pliant.estimate.core.triangle import rotate_in, solve, variance
from pliant.estimate.core.window import smoothed

LONGEST = 2000.0
"""Samples over which the residual's variance is taken."""
SETTLED = 50.0
"""Windows of accepted samples, from which on the parameters are good enough to test the data."""


@compiled
def equation(s: State, o: Options, i: int, row: Array) -> float:
    """Joint i's equation [psi | skew | y] into `row`, normalised; returns the smoothed speed."""
    b, terms, p = s.table.shape[2] - 1, s.layout[i, 0], s.parameters.shape[1]
    for t in range(p + 2):
        row[t] = 0.0
    for t in range(terms):
        row[t] = smoothed(s, i, 0, t)
    speed = smoothed(s, i, 2, b)
    if o.friction == 1:
        row[b] = smoothed(s, i, 0, b)
        if o.mode == TORQUE:
            row[b + 1] = tanh(speed / o.coulomb_speed)
            row[b + 2] = 1.0
    if o.mode == TORQUE and s.memory[i, COUNT] > SETTLED * o.window:
        row[p] = motors_rate(s, i)
    row[p + 1] = -(smoothed(s, i, 1, b + 2) + smoothed(s, i, 0, b + 1)) / s.scales[i, 2]
    return speed


@compiled
def motors_rate(s: State, i: int) -> float:
    """The part of the torque's rate that the motors' motion makes: what their delay multiplies.

    d tau/dt less sigma dq/dt, by what is known now, but for a mean sigma times dq/dt, which the
    column of viscous friction takes; normalised.
    """
    total = 0.0
    for t in range(s.layout[i, 0]):
        total += smoothed(s, i, 3, t) * s.parameters[i, t]
    return total - smoothed(s, i, 0, s.table.shape[2] + 2)


@compiled
def learn(s: State, o: Options, i: int, speed: float, row: Array) -> int:
    """Gates, then the equation into joint i's least squares; returns the status."""
    p, m = s.parameters.shape[1], s.memory[i]
    if s.counts[2] == 1 or abs(speed) < o.steady_speed:
        return FROZEN
    error = row[p + 1]
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
    m[VARIANCE] += (square - m[VARIANCE]) / min(m[COUNT], LONGEST)
    m[POWER] += (row[p + 1] ** 2 - m[POWER]) / min(m[COUNT], LONGEST)
    rotate_in(s.info[i], row, o.memory)
    if o.memory < 1.0:
        _forget(s, o, i, row)
    solve(s.info[i], p, s.parameters[i])
    return LEARNING


@compiled
def _forget(s: State, o: Options, i: int, row: Array) -> None:
    """Towards the prior, one parameter a sample, not towards nothing."""
    p = s.parameters.shape[1]
    t = int(s.memory[i, COUNT]) % p
    for k in range(p + 2):
        row[k] = 0.0
    row[t] = sqrt(p * (1.0 - o.memory**2) / o.prior)
    rotate_in(s.info[i], row, 1.0)
