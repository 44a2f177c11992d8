"""One equation per sample and joint, and whether it is learned."""

from math import exp, sqrt, tanh

from pliant.estimate.core.state import (
    BASIS,
    COUNT,
    COUNT_OF_TERMS,
    FROZEN,
    HELD_RATE,
    HOLD,
    LEARNING,
    MEAN,
    MOMENTA,
    MOMENTUM,
    OPENING,
    POWER,
    REJECTED,
    REST,
    ROW_RATES,
    ROWS,
    SPEED,
    STOPPED,
    TAU,
    TORQUE,
    TRIAL_PRIOR,
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
STRIDE = 4
"""Samples from one equation that is tested to the next; those between are much like them."""


@compiled
def equation(s: State, o: Options, i: int, row: Array) -> float:
    """Joint i's equation [psi | y] into `row`, normalised; returns the smoothed speed."""
    b, p = s.terms.shape[1], s.parameters.shape[1]
    for t in range(p + 1):
        row[t] = 0.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        row[t] = smoothed(s, i, ROWS, BASIS + t)
        s.rates[t] = smoothed(s, i, ROW_RATES, BASIS + t)
    speed = smoothed(s, i, MEAN, SPEED)
    if o.friction == 1:
        row[b] = smoothed(s, i, ROWS, SPEED)
        if o.mode == TORQUE:
            row[b + 1] = tanh(speed / o.coulomb_speed)
            row[b + 2] = 1.0
    row[p] = -(smoothed(s, i, MOMENTA, MOMENTUM) + smoothed(s, i, ROWS, REST)) / s.scales[i, TAU]
    return speed


@compiled
def motors_rate(s: State, i: int) -> float:
    """The part of the torque's rate that the motors' motion makes: what their delay multiplies.

    d tau/dt less sigma dq/dt, by what is known now; normalised.
    """
    total = 0.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        total += s.rates[t] * s.parameters[i, t]
    return total - smoothed(s, i, ROWS, HELD_RATE)


@compiled
def learn(s: State, o: Options, i: int, speed: float, row: Array) -> int:
    """Gates, then the equation into joint i's least squares; returns the status."""
    p, m = s.parameters.shape[1], s.memory[i]
    if s.counts[STOPPED] == 1 or abs(speed) < o.steady_speed:
        return FROZEN
    error = row[p]
    for t in range(p):
        error -= row[t] * s.parameters[i, t]
    spread = 1.0 + o.window * variance(s.info[i], row, p, s.solved)
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
    m[POWER] += (row[p] ** 2 - m[POWER]) / min(m[COUNT], LONGEST)
    if o.mode == TORQUE and m[COUNT] > SETTLED * o.window and int(m[COUNT]) % STRIDE == 0:
        _try_skew(s, o, i, row)
    rotate_in(s.info[i], row, o.memory)
    if o.memory < 1.0:
        t = int(m[COUNT]) % p
        _forget(s.info[i], t, sqrt(p * (1.0 - o.memory**2) / o.prior), row)
    solve(s.info[i], p, s.parameters[i])
    return LEARNING


@compiled
def _try_skew(s: State, o: Options, i: int, row: Array) -> None:
    """The equation with the skew as a further unknown, [psi | skew | y], into its own triangle."""
    p, wider, memory = s.parameters.shape[1], s.wider, o.memory**STRIDE
    for t in range(p):
        wider[t] = row[t]
    wider[p], wider[p + 1] = motors_rate(s, i), row[p]
    rotate_in(s.trial[i], wider, memory)
    if o.memory < 1.0:
        t = int(s.memory[i, COUNT]) // STRIDE % (p + 1)
        weight = TRIAL_PRIOR * sqrt((p + 1) * (1.0 - memory**2) / o.prior)
        _forget(s.trial[i], t, weight, wider)


@compiled
def _forget(info: Array, t: int, weight: float, row: Array) -> None:
    """Towards the prior, one unknown at a time, not towards nothing."""
    for k in range(len(row)):
        row[k] = 0.0
    row[t] = weight
    rotate_in(info, row, 1.0)
