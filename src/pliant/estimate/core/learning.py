"""One equation per sample and joint, and whether it is learned."""

from math import nan, sqrt, tanh

from pliant.arrays import Matrix, Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.basis import published_row, rotate_in, solve, variance
from pliant.estimate.core.change import renew, watch
from pliant.estimate.core.noise import LONGEST, SETTLED, STRIDE, explained, note_residual
from pliant.estimate.core.resize import again, gather
from pliant.estimate.core.state import EstimatorState, Options
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
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        row[t], s.rates[t] = smoothed_with_rate(s, i, core.BASIS + t)
    speed = smoothed(s, i, core.MEAN, core.SPEED)
    if o.friction == 1:
        row[b] = smoothed(s, i, core.ROWS, core.SPEED)
        if o.mode == core.TORQUE:
            row[b + 1] = tanh(speed / o.coulomb_speed)
            row[b + 2] = 1.0
    row[p] = (
        -(smoothed(s, i, core.MOMENTA, core.MOMENTUM) + smoothed(s, i, core.ROWS, core.REST))
        / s.scales[i, core.TAU]
    )
    return speed


def paper_equation(s: EstimatorState, o: Options, i: int, rate: float, row: Vector) -> None:
    """Joint i's equation in mode "paper", of its torque's `rate`, into `row`, normalised."""
    paper_row(s, o, i, row)
    if o.friction == 1:
        row[s.terms.shape[1]] = s.motion[2, i]  # viscous friction, its rate
    row[s.parameters.shape[1]] = rate / s.scales[i, core.TAU]


def paper_row(s: EstimatorState, o: Options, i: int, out: Vector) -> None:
    """The rate of the torque basis: as published, or of the basis smoothed.

    Smoothed is the basis, not what it is a function of: a stiffening spring would be bent by that.
    """
    if o.smooth == 0:
        published_row(s, i, o.dt, out)
        return
    for t in range(len(out)):
        out[t] = 0.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        out[t] = smoothed(s, i, core.ROW_RATES, core.BASIS + t)


def motors_rate(s: EstimatorState, i: int) -> float:
    """The part of the torque's rate that the motors' motion makes: what their delay multiplies.

    d tau/dt less sigma dq/dt, by what is known now; normalised.
    """
    total = 0.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        total += s.rates[t] * s.parameters[i, t]
    return total - smoothed(s, i, core.ROWS, core.HELD_RATE)


def learn(s: EstimatorState, o: Options, i: int, speed: float, row: Vector) -> int:
    """Gates, then the equation into joint i's least squares; returns the status."""
    p, m = s.parameters.shape[1], s.memory[i]
    if s.counts[core.STOPPED] == 1 or abs(speed) < WATCHED * o.steady_speed:
        note_residual(s, i, nan)
        return core.FROZEN
    error = float(row[p])
    for t in range(p):
        error -= row[t] * s.parameters[i, t]
    spread = 1.0 + o.window * variance(s.info[i], row, p, s.solved)
    square: float = error * error / spread
    settled = m[core.COUNT] > SETTLED * max(o.window, NARROWEST)
    if o.mode == core.TORQUE and settled and explained(s, o, i):
        beyond = (spread - 1.0) / o.window * m[core.LEFT_OUT] + _rounded_friction(s, o, i, row)
        beyond /= max(m[core.VARIANCE], o.floor**2)
        watch(s, o, i, row, error, spread + beyond, speed)
        if s.out[core.CHANGE, i] != 0.0:
            return core.LEARNING
    if abs(speed) < o.steady_speed:
        note_residual(s, i, nan)
        return core.FROZEN
    if o.gate > 0.0 and m[core.COUNT] > 10.0 * o.window and _refused(s, o, i, square):
        note_residual(s, i, nan)
        return core.REJECTED
    note_residual(s, i, error)
    m[core.COUNT] += 1.0
    m[core.VARIANCE] += (square - m[core.VARIANCE]) / min(m[core.COUNT], LONGEST)
    m[core.POWER] += (row[p] ** 2 - m[core.POWER]) / min(m[core.COUNT], LONGEST)
    if (
        o.mode == core.TORQUE
        and m[core.COUNT] > SETTLED * o.window
        and int(m[core.COUNT]) % STRIDE == 0
    ):
        _try(s, o, i, row)
    if s.sizes[i, core.GATHERED] > 0.0 and int(m[core.COUNT]) % STRIDE == 0:
        gather(s, i, s.fresh[i], row, 1.0)
        s.sizes[i, core.GATHERED] += 1.0
    rotate_in(s.info[i], row, o.memory)
    if o.memory < 1.0:
        t = int(m[core.COUNT]) % p
        _forget(s.info[i], t, sqrt(p * (1.0 - o.memory**2) / o.prior), row)
    if o.mode == core.TORQUE and s.sizes[i, core.GATHERED] > 0.0 and again(s, o, i):
        s.out[core.LEFT_A, i], s.out[core.LEFT_B, i] = (
            s.sizes[i, core.PART_A],
            s.sizes[i, core.PART_B],
        )
    else:
        solve(s.info[i], p, s.parameters[i])
    return core.LEARNING


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
    if square > o.gate * max(m[core.VARIANCE], o.floor**2):
        m[core.HOLD] = o.window
    if m[core.HOLD] <= 0.0:
        m[core.REFUSED] = max(0.0, m[core.REFUSED] - o.dt)
        return False
    m[core.HOLD] -= 1.0
    m[core.REFUSED] += o.dt
    if o.memory < 1.0:
        for r in range(s.info.shape[1]):
            for c in range(s.info.shape[2]):
                s.info[i, r, c] *= o.memory
    if m[core.REFUSED] < o.patience:
        return True
    s.out[core.CHANGE_AGE, i] = m[core.REFUSED]
    renew(s, o, i, GIVEN_UP)
    m[core.LACKED] = 0.0
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
        wider[p + 1 + t] = smoothed(s, i, core.ROWS, core.BASIS + s.terms.shape[1] + t)
    rotate_in(s.trial[i], wider, memory)
    s.memory[i, core.TRIED] = memory**2 * s.memory[i, core.TRIED] + 1.0
    if o.memory < 1.0:
        t = int(s.memory[i, core.COUNT]) // STRIDE % width
        weight = core.TRIAL_PRIOR * sqrt(width * (1.0 - memory**2) / o.prior)
        _forget(s.trial[i], t, weight, wider)


@apart
def _forget(info: Matrix, t: int, weight: float, row: Vector) -> None:
    """Towards the prior, one unknown at a time, not towards nothing."""
    for k in range(len(row)):
        row[k] = 0.0
    row[t] = weight
    rotate_in(info, row, 1.0)
