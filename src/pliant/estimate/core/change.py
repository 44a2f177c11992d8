"""Detection of a changed spring, as opposed to noise and contacts, and adaptation of the estimate.

While the residual is larger than noise (Page's statistic is above zero) it is tested against possible
causes, each with one unknown size:

    both springs, or one of them, softer or stiffer     e = part * torque of the spring, as learned
    a contact, or the friction of the link              e = size * 1, speed, or sign of the speed

A change is detected once one of the first explains the residual, by the same part for a while, and none
of the others does. The form of the springs is then kept; their sizes are re-estimated (`resize`).

Only the torque is watched: its rate is too rough (`pliant.estimate.estimator`).
"""

from math import sqrt

from pliant.arrays import Matrix, Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.basis import stiffness, variance
from pliant.estimate.core.noise import ALIKE, LASTS, STRIDE, lacking
from pliant.estimate.core.resize import SMALLEST, begin, gather, take
from pliant.estimate.core.state import (
    AA,
    AB,
    BB,
    EA,
    EB,
    EE,
    ES,
    EV,
    SS,
    VV,
    A,
    B,
    E,
    EstimatorState,
    N,
    Options,
    S,
    V,
)
from pliant.lower.memory import apart

ORDINARY = 2.0
"""Drift of Page's statistic, a squared residual over its variance; noise has 1."""
MOST = 6.0
"""Most that one sample adds to the doubt: a change shows by lasting, not by size."""
MEMORY = 0.5
"""[s] of ordinary residuals, after which a doubt is dropped, however strong it was."""
BEYOND = 20.0
"""Squared residual over its variance, which noise never has: what was summed before is dropped."""
EVIDENCE = 0.4
"""[s] Shortest evidence of a change; a knock is over by then."""
STEADY = 0.4
"""[s] Shortest time for which a change must have had the same size: what a push that swings seems to
be changes as it swings."""
AGREE = 0.2
"""Part of its size by which a change may seem to grow or fall while it counts as the same."""
FADE = 2.0
"""[s] Over which evidence fades: what began as something else may be a change by now."""
SIGNIFICANT = 4.0
"""Significance of a change [standard deviations]."""
UNEXPLAINED = 0.003
"""Largest fraction of the residual beyond noise that a change leaves. A push that swings looks like a
softer spring for a while, and leaves a hundredth and more."""
CHANCE = 1.5
"""Standard deviations of the noise's own energy, which may be left beside it."""
SWINGING = 0.01
"""Least fraction of the residual that a change explains without a constant torque."""
BETTER = 3.0
"""Factor by which a change must explain the residual better than a contact does."""
PADDED = 3
"""Samples by which kernels are longer than their boxes. The paper's mode, which has no kernel of its own,
keeps as much of the old as the others."""
KEPT = 500.0
"""Weight of all old samples after a change, in windows. A change is told only where the old form still fits:
less of it lets noise bend the form before new samples hold it."""


def watch(
    s: EstimatorState, o: Options, i: int, row: Vector, error: float, spread: float, speed: float
) -> None:
    """Add one equation to the sums; where they show a change, note it in the output and adapt.

    Seven parameters: one equation is all of them.
    """
    x = s.sums[i]
    x[core.TICK] += 1.0
    if x[core.TICK] < STRIDE:
        return
    x[core.TICK] = 0.0
    ref = max(s.memory[i, core.VARIANCE], o.floor**2)
    x[core.DOUBT] += min(error * error / (spread * ref), MOST) - ORDINARY
    if x[core.DOUBT] <= 0.0:
        for k in range(len(x)):
            x[k] = 0.0
        s.pending[i] = 0.0
        keep(s, i, s.before[i])
        return
    x[core.DOUBT] = min(x[core.DOUBT], MEMORY / (STRIDE * o.dt))
    x[core.AGE] += STRIDE * o.dt
    if x[core.STRONG] == 0.0 and error * error > BEYOND * spread * ref:  # the news begins here
        x[core.STRONG], x[core.SKIPPED], x[core.AGE], x[core.SINCE] = 1.0, 0.0, STRIDE * o.dt, 0.0
        keep(s, i, s.before[i])
        for k in range(N, len(x)):
            x[k] = 0.0
        s.pending[i] = 0.0
    if x[core.SKIPPED] * STRIDE < s.kernels.shape[1]:  # the kernel still holds both springs
        x[core.SKIPPED] += 1.0
        x[core.STARTED] = x[core.AGE]
        return
    _sum(s, o, i, row, error, 1.0 / spread, speed)
    gather(s, i, s.pending[i], row, sqrt(1.0 - STRIDE * o.dt / FADE))
    _judge(s, o, i, ref, x[core.AGE] - x[core.STARTED] > EVIDENCE)


def _sum(
    s: EstimatorState, o: Options, i: int, row: Vector, error: float, weight: float, speed: float
) -> None:
    a, b = 0.0, 0.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        if s.terms[i, t, core.MOTOR] == s.terms[i, 0, core.MOTOR]:
            a += row[t] * s.parameters[i, t]
        else:
            b += row[t] * s.parameters[i, t]
    x = s.sums[i]
    sign = 1.0 if speed > 0.0 else -1.0 if speed < 0.0 else 0.0
    for k in range(N, len(x)):
        x[k] *= 1.0 - STRIDE * o.dt / FADE
    x[N] += weight
    x[E] += weight * error
    x[A] += weight * a
    x[B] += weight * b
    x[V] += weight * speed
    x[S] += weight * sign
    x[EE] += weight * error * error
    x[EA] += weight * error * a
    x[EB] += weight * error * b
    x[EV] += weight * error * speed
    x[ES] += weight * error * sign
    x[AA] += weight * a * a
    x[AB] += weight * a * b
    x[BB] += weight * b * b
    x[VV] += weight * speed * speed
    x[SS] += weight * sign * sign


@apart
def _left(x: Vector, shared: float, power: float) -> float:
    """Sum of squares left in the residual after fitting one column."""
    return x[EE] - shared * shared / power if power > 0.0 else x[EE]


@apart
def _plainly(x: Vector) -> float:
    """Residual that the best change of springs leaves, means included."""
    left = _left(x, x[EA] + x[EB], x[AA] + 2.0 * x[AB] + x[BB])
    if x[BB] > 0.0:
        left = min(left, _left(x, x[EA], x[AA]), _left(x, x[EB], x[BB]))
    return left


@apart
def _centre(x: Vector) -> None:
    """Sums of products about the means."""
    x[EE] -= x[E] * x[E] / x[N]
    x[EA] -= x[E] * x[A] / x[N]
    x[EB] -= x[E] * x[B] / x[N]
    x[EV] -= x[E] * x[V] / x[N]
    x[ES] -= x[E] * x[S] / x[N]
    x[AA] -= x[A] * x[A] / x[N]
    x[AB] -= x[A] * x[B] / x[N]
    x[BB] -= x[B] * x[B] / x[N]
    x[VV] -= x[V] * x[V] / x[N]
    x[SS] -= x[S] * x[S] / x[N]


@apart
def _judge(s: EstimatorState, o: Options, i: int, ref: float, enough: bool) -> None:
    """Tell a change, where the sums show one and there are `enough` of them."""
    x, a, b = s.judged, 1.0, 1.0
    for k in range(len(x)):
        x[k] = s.sums[i, k]
    alone, whole, plain = _left(x, x[E], x[N]), x[EE], _plainly(x)
    centred = x[BB] > 0.0 and o.friction == 1  # two springs share the constant torque in any way
    if centred:
        _centre(x)
    power, shared = x[AA] + 2.0 * x[AB] + x[BB], x[EA] + x[EB]
    left = _left(x, shared, power)
    if x[BB] > 0.0:
        only_a, only_b = _left(x, x[EA], x[AA]), _left(x, x[EB], x[BB])
        if BETTER * only_a < left and only_a < only_b:
            b, left, power, shared = 0.0, only_a, x[AA], x[EA]
        elif BETTER * only_b < left:
            a, left, power, shared = 0.0, only_b, x[BB], x[EB]
    if power <= 0.0:
        return
    other = min(alone, _left(x, x[EV], x[VV]), _left(x, x[ES], x[SS]))
    noise = ref * ALIKE * o.window / STRIDE  # of what one independent equation has
    part, deviation = shared / power, sqrt(noise / power)
    steady = _steady(s, i, 2.0 * a + b, part, deviation)
    usual = x[N] * ref
    explained = left - usual < UNEXPLAINED * (x[EE] - usual) + CHANCE * sqrt(2.0 * usual * noise)
    better = (
        other - usual > BETTER * max(left - usual, 0.0) and other - left > SIGNIFICANT**2 * noise
    )
    least = max(o.change, SIGNIFICANT * deviation)
    # A push that does not swing is a contact, unless a spring tells its mean too.
    told = alone - usual > BETTER * max(plain - usual, 0.0)
    swings = x[EE] - left > SWINGING * whole or told
    if enough and steady and abs(part) > least and explained and better and swings:
        _tell(s, o, i, part * a, part * b)


def _steady(s: EstimatorState, i: int, which: float, part: float, deviation: float) -> bool:
    """Whether the same springs have explained the residual by the same part for a while."""
    x = s.sums[i]
    if which != x[core.WHICH] or abs(part - x[core.PART]) > AGREE * abs(part) + 2.0 * deviation:
        x[core.WHICH], x[core.PART], x[core.SINCE] = which, part, x[core.AGE]
    return x[core.AGE] - x[core.SINCE] > STEADY


@apart
def _tell(s: EstimatorState, o: Options, i: int, a: float, b: float) -> None:
    """A change by the parts a and b of both springs, into the output; then it is made."""
    p, x = s.parameters.shape[1], s.sizes[i]
    age, before = s.sums[i, core.AGE], stiffness(s, i, s.raw[core.CENTRE])
    count = (age - s.sums[i, core.STARTED]) / (STRIDE * o.dt)
    _recall(s, o, i)
    for r in range(p + 1):
        for c in range(p + 1):
            s.fresh[i, r, c] = s.pending[i, r, c]
    begin(s, o, i, max(1.0 + a, SMALLEST), max(1.0 + b, SMALLEST), count)
    s.out[core.LEFT_A, i], s.out[core.LEFT_B, i] = x[core.PART_A], x[core.PART_B]
    s.out[core.CHANGE, i] = stiffness(s, i, s.raw[core.CENTRE]) / before - 1.0
    s.out[core.CHANGE_AGE, i] = age
    for t in range(s.layout[i, core.COUNT_OF_TERMS], p):
        s.slope[t] = 0.0
    noise = o.window * max(s.memory[i, core.VARIANCE], o.floor**2)
    here = variance(s.info[i], s.slope, p, s.solved)
    s.out[core.CHANGE_STD, i] = sqrt(noise * here) / abs(before)


@apart
def keep(s: EstimatorState, i: int, before: Matrix) -> None:
    """Keep what is learned now, as known before news that may follow."""
    p = s.parameters.shape[1]
    for r in range(p):
        for c in range(p + 1):
            before[r, c] = s.info[i, r, c]
        before[p, r] = s.parameters[i, r]
    before[p, p] = s.memory[i, core.VARIANCE]


def keep_old(s: EstimatorState, i: int) -> None:
    """Keep what was learned up to a kernel ago or two, in a mode that is told of changes.

    A rate shows a sudden change as a blow, before the watch of the torque doubts anything.
    """
    x = s.sizes[i]
    x[core.WAITED] += 1.0
    if x[core.WAITED] < s.kernels.shape[1]:
        return
    x[core.WAITED] = 0.0
    whole = s.before.shape[1]
    for r in range(whole):
        for c in range(whole):
            s.before[i, r, c] = s.recent[i, r, c]
    keep(s, i, s.recent[i])


@apart
def scale_springs(s: EstimatorState, o: Options, i: int, a: float, b: float) -> None:
    """Both springs of before the news multiplied by a and b, in a mode that is told so.

    What was learned since belongs to neither: a second of it spoils the form for a long time.
    """
    _recall(s, o, i)
    take(s, o, i, a, b)


@apart
def _recall(s: EstimatorState, o: Options, i: int) -> None:
    """Take what was known before the news as the old springs, with no equation since."""
    p, before = s.parameters.shape[1], s.before[i]
    for r in range(p):
        for c in range(p + 1):
            s.info[i, r, c] = before[r, c]
        s.parameters[i, r] = before[p, r]
    s.memory[i, core.VARIANCE] = before[p, p]
    renew(s, o, i, KEPT)
    for r in range(p + 1):
        for c in range(p + 1):
            s.fresh[i, r, c] = 0.0
            if r < p:
                s.old[i, r, c] = s.info[i, r, c]
    s.sizes[i, core.GATHERED] = 1.0


@apart
def renew(s: EstimatorState, o: Options, i: int, windows: float) -> None:
    """All that was learned counts for some windows of samples, at most."""
    p, m = s.parameters.shape[1], s.memory[i]
    kept = windows * max(o.window, s.kernels.shape[1] - PADDED)
    weight = sqrt(min(kept / max(min(m[core.COUNT], LASTS), 1.0), 1.0))
    for r in range(p):
        for c in range(r, p + 1):
            s.info[i, r, c] *= weight
    s.sizes[i, core.GATHERED] = 0.0
    m[core.LACKED], m[core.TRIED] = lacking(s, o, i), 0.0
    for r in range(s.trial.shape[1]):
        for c in range(s.trial.shape[2]):
            s.trial[i, r, c] = core.TRIAL_PRIOR / sqrt(o.prior) if r == c else 0.0
    for k in range(s.sums.shape[1]):
        s.sums[i, k] = 0.0
    m[core.COUNT] = max(min(kept, m[core.COUNT]), 10.0 * o.window + 1.0)
    m[core.HOLD] = m[core.REFUSED] = 0.0
    for k in range(s.trained.shape[1]):
        for t in range(p):
            s.wider[t] = s.table[i, k, t] if t < s.table.shape[2] else 0.0
        s.trained[i, k] = variance(s.info[i], s.wider, p, s.solved)
