"""One equation per sample and joint, and whether it is learned."""

from math import nan, sqrt, tanh

from pliant.arrays import Matrix, Vector
from pliant.estimate.core.basis import published_row, rotate_in, solve, variance
from pliant.estimate.core.change import renew, watch
from pliant.estimate.core.noise import LONGEST, SETTLED, STRIDE, explained, note_residual
from pliant.estimate.core.resize import again, gather
from pliant.estimate.core.state import (
    BASIS,
    CHANGE,
    CHANGE_AGE,
    COUNT,
    COUNT_OF_TERMS,
    FROZEN,
    GATHERED,
    HELD_RATE,
    HOLD,
    LACKED,
    LEARNING,
    LEFT_A,
    LEFT_B,
    LEFT_OUT,
    MEAN,
    MOMENTA,
    MOMENTUM,
    PART_A,
    PART_B,
    POWER,
    REFUSED,
    REJECTED,
    REST,
    ROW_RATES,
    ROWS,
    SPEED,
    STOPPED,
    TAU,
    TORQUE,
    TRIAL_PRIOR,
    TRIED,
    VARIANCE,
    EstimatorState,
    Options,
)
from pliant.estimate.core.window import smoothed, smoothed_with_rate
from pliant.lower.memory import apart

NARROWEST = 20.0
"""Samples that a window counts for at least: a narrow one is over long before the start is."""
WATCHED = 0.3
"""Part of the speed below which nothing is learned, down to which changes are still watched for: a spring that changes as
the link turns would not be told before the next swing. Slower, steps of encoders and dry friction are no noise."""
GIVEN_UP = 1.0
"""Windows of samples that all of the old counts for, once the gate is opened."""


def equation(s: EstimatorState, o: Options, i: int, row: Vector) -> float:
    """Joint i's equation [psi | y] into `row`, normalised; returns the smoothed speed."""
    b, p = s.terms.shape[1], s.parameters.shape[1]
    for t in range(p + 1):
        row[t] = 0.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        row[t], s.rates[t] = smoothed_with_rate(s, i, BASIS + t)
    speed = smoothed(s, i, MEAN, SPEED)
    if o.friction == 1:
        row[b] = smoothed(s, i, ROWS, SPEED)
        if o.mode == TORQUE:
            row[b + 1] = tanh(speed / o.coulomb_speed)
            row[b + 2] = 1.0
    row[p] = -(smoothed(s, i, MOMENTA, MOMENTUM) + smoothed(s, i, ROWS, REST)) / s.scales[i, TAU]
    return speed


def paper_equation(s: EstimatorState, o: Options, i: int, rate: float, row: Vector) -> None:
    """Joint i's equation in mode "paper", of its torque's `rate`, into `row`, normalised."""
    paper_row(s, o, i, row)
    if o.friction == 1:
        row[s.terms.shape[1]] = s.motion[2, i]  # viscous friction, its rate
    row[s.parameters.shape[1]] = rate / s.scales[i, TAU]


def paper_row(s: EstimatorState, o: Options, i: int, out: Vector) -> None:
    """The rate of the torque basis: as published, or of the basis smoothed.

    Smoothed is the basis, not what it is a function of: a stiffening spring would be bent by that.
    """
    if o.smooth == 0:
        published_row(s, i, o.dt, out)
        return
    for t in range(len(out)):
        out[t] = 0.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        out[t] = smoothed(s, i, ROW_RATES, BASIS + t)


def motors_rate(s: EstimatorState, i: int) -> float:
    """The part of the torque's rate that the motors' motion makes: what their delay multiplies.

    d tau/dt less sigma dq/dt, by what is known now; normalised.
    """
    total = 0.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        total += s.rates[t] * s.parameters[i, t]
    return total - smoothed(s, i, ROWS, HELD_RATE)


def learn(s: EstimatorState, o: Options, i: int, speed: float, row: Vector) -> int:
    """Gates, then the equation into joint i's least squares; returns the status."""
    p, m = s.parameters.shape[1], s.memory[i]
    if s.counts[STOPPED] == 1 or abs(speed) < WATCHED * o.steady_speed:
        note_residual(s, i, nan)
        return FROZEN
    error = float(row[p])
    for t in range(p):
        error -= row[t] * s.parameters[i, t]
    spread = 1.0 + o.window * variance(s.info[i], row, p, s.solved)
    square: float = error * error / spread
    settled = m[COUNT] > SETTLED * max(o.window, NARROWEST)
    if o.mode == TORQUE and settled and explained(s, o, i):
        beyond = (spread - 1.0) / o.window * m[LEFT_OUT] + _rounded_friction(s, o, i, row)
        beyond /= max(m[VARIANCE], o.floor**2)
        watch(s, o, i, row, error, spread + beyond, speed)
        if s.out[CHANGE, i] != 0.0:
            return LEARNING
    if abs(speed) < o.steady_speed:
        note_residual(s, i, nan)
        return FROZEN
    if o.gate > 0.0 and m[COUNT] > 10.0 * o.window and _refused(s, o, i, square):
        note_residual(s, i, nan)
        return REJECTED
    note_residual(s, i, error)
    m[COUNT] += 1.0
    m[VARIANCE] += (square - m[VARIANCE]) / min(m[COUNT], LONGEST)
    m[POWER] += (row[p] ** 2 - m[POWER]) / min(m[COUNT], LONGEST)
    if o.mode == TORQUE and m[COUNT] > SETTLED * o.window and int(m[COUNT]) % STRIDE == 0:
        _try(s, o, i, row)
    if s.sizes[i, GATHERED] > 0.0 and int(m[COUNT]) % STRIDE == 0:
        gather(s, i, s.fresh[i], row, 1.0)
        s.sizes[i, GATHERED] += 1.0
    rotate_in(s.info[i], row, o.memory)
    if o.memory < 1.0:
        t = int(m[COUNT]) % p
        _forget(s.info[i], t, sqrt(p * (1.0 - o.memory**2) / o.prior), row)
    if o.mode == TORQUE and s.sizes[i, GATHERED] > 0.0 and again(s, o, i):
        s.out[LEFT_A, i], s.out[LEFT_B, i] = s.sizes[i, PART_A], s.sizes[i, PART_B]
    else:
        solve(s.info[i], p, s.parameters[i])
    return LEARNING


def _rounded_friction(s: EstimatorState, o: Options, i: int, row: Vector) -> float:
    """Square of the part of Coulomb friction that the rounding of its sign leaves out at this speed."""
    if o.friction == 0:
        return 0.0
    coulomb = s.terms.shape[1] + 1
    return (s.parameters[i, coulomb] * (1.0 - abs(row[coulomb]))) ** 2


def _refused(s: EstimatorState, o: Options, i: int, square: float) -> bool:
    """Whether the sample is held back as a contact.

    No contact lasts for ever: rejected time ages what was learned, and after `patience` of it nearly
    all of it is given up.
    """
    m = s.memory[i]
    if square > o.gate * max(m[VARIANCE], o.floor**2):
        m[HOLD] = o.window
    if m[HOLD] <= 0.0:
        m[REFUSED] = max(0.0, m[REFUSED] - o.dt)
        return False
    m[HOLD] -= 1.0
    m[REFUSED] += o.dt
    if o.memory < 1.0:
        for r in range(s.info.shape[1]):
            for c in range(s.info.shape[2]):
                s.info[i, r, c] *= o.memory
    if m[REFUSED] < o.patience:
        return True
    renew(s, o, i, GIVEN_UP)
    s.out[CHANGE_AGE, i] = m[REFUSED]
    m[REFUSED] = m[HOLD] = m[LACKED] = 0.0
    return False


@apart
def _try(s: EstimatorState, o: Options, i: int, row: Vector) -> None:
    """The equation with further unknowns, [psi | skew | what is lacked | y], into its own triangle.

    No unknown changes what is found of those before it.
    """
    p, wider, memory = s.parameters.shape[1], s.wider, o.memory**STRIDE
    width = s.trial.shape[1]
    for t in range(p):
        wider[t] = row[t]
    wider[p], wider[width] = motors_rate(s, i), row[p]
    for t in range(s.lacked.shape[1]):
        wider[p + 1 + t] = smoothed(s, i, ROWS, BASIS + s.terms.shape[1] + t)
    rotate_in(s.trial[i], wider, memory)
    s.memory[i, TRIED] = memory**2 * s.memory[i, TRIED] + 1.0
    if o.memory < 1.0:
        t = int(s.memory[i, COUNT]) // STRIDE % width
        weight = TRIAL_PRIOR * sqrt(width * (1.0 - memory**2) / o.prior)
        _forget(s.trial[i], t, weight, wider)


@apart
def _forget(info: Matrix, t: int, weight: float, row: Vector) -> None:
    """Towards the prior, one unknown at a time, not towards nothing."""
    for k in range(len(row)):
        row[k] = 0.0
    row[t] = weight
    rotate_in(info, row, 1.0)
