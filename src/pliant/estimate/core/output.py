"""Stiffness, its deviation, torque, rotatum and leverage of a joint, and what the numbers say against the data.

Motor positions that are s older than those of the link give, to first order in s,

    tau_e = tau_e(phi measured) + s (d tau_e/dt - sigma dq/dt)

a column that is tried beside those that are learned (`learning.motors_rate`). Those hold the speed
of the link, so that a spring of constant stiffness is tested by the rate of its torque alone, which
must then differ from that speed: in fast motion, or far from hanging down. A negative s has no
explanation but a wrong model; a positive one may be a damping of the spring, unless the friction of
the link comes out as negative, which is a second test: the speed of the link takes s sigma from it.
"""

from math import hypot, inf, nan, sqrt

from pliant.arrays import Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.basis import newest_rows, variance
from pliant.estimate.core.learning import paper_row
from pliant.estimate.core.noise import (
    LASTS,
    STRIDE,
    attenuated,
    explained,
    lacking,
    lasting,
    unaveraged,
)
from pliant.estimate.core.state import EstimatorState, Options
from pliant.lower.memory import apart

TURN = 1.0
"""[s] In the published method what lasts is the error of differences, which turns with the motion."""


def estimate(s: EstimatorState, o: Options, i: int, status: int) -> None:
    """The output of joint i at the newest positions."""
    p, terms = s.parameters.shape[1], s.layout[i, core.COUNT_OF_TERMS]
    slope, m = s.slope, s.memory[i]
    newest = s.sample if o.smooth == 1 else s.raw[core.WINDOW - 1]
    for t in range(p):
        slope[t] = 0.0
    coarse = newest_rows(s, i, newest, slope, s.row)
    unit = s.scales[i, core.TAU] / s.scales[i, core.PHI]
    sigma = 0.0
    for t in range(terms):
        sigma += unit * slope[t] * s.parameters[i, t]
    here = _leverage(s, i, slope, status == core.LEARNING)
    most = 0.0
    for k in range(core.TABLE):
        most = max(most, s.trained[i, k])
    noise, cut_short = o.window * here, _cut_short(s, o, i, here)
    blurred = attenuated(s, o, i, here, sigma / unit)
    std = unit * sqrt(noise * m[core.VARIANCE] + cut_short + coarse + blurred**2)
    if o.mode == core.TORQUE:
        s.out[core.CUT, i] = unit * sqrt(cut_short) if explained(s, o, i) else inf
    else:
        std = hypot(std, s.out[core.CUT, i])
    at_least = unit * sqrt(noise * max(m[core.VARIANCE], o.floor**2))
    expected = m[core.COUNT] > 2.0 * o.window and at_least < 0.5 * abs(sigma)
    known = expected and s.out[core.CUT, i] < inf
    torque = 0.0
    for t in range(terms):
        torque += s.scales[i, core.TAU] * s.row[t] * s.parameters[i, t]
    s.out[core.SIGMA, i] = sigma if known else nan
    s.out[core.STD, i] = std if known else nan
    s.out[core.TORQUE_OUT, i] = torque if known else nan
    s.out[core.ROTATUM_OUT, i] = _rotatum(s, o, i) if known else nan
    s.out[core.LEVERAGE, i] = here / most if most > 0.0 else nan
    if not known:
        status = (
            core.WARMING_UP
            if status == core.LEARNING and s.out[core.CUT, i] < inf
            else core.CANNOT_KNOW
        )
    s.out[core.STATUS, i] = status
    suspect(s, o, i, expected, at_least)


def _cut_short(s: EstimatorState, o: Options, i: int, here: float) -> float:
    """Variance of the stiffness by what the basis leaves out, normalised: more samples do not lessen it."""
    if s.counts[core.SEEN] % STRIDE == 0:
        every = s.memory[i, core.COUNT]
        if o.memory < 1.0:
            every = min(every, 1.0 / (1.0 - o.memory**2))
        direct = o.mode == core.PAPER and o.smooth == 0
        count = TURN / o.dt if direct else min(every, LASTS)
        s.memory[i, core.LEFT_OUT] = max(count * unaveraged(s, o, i), every * lacking(s, o, i))
    return here * s.scales[i, core.STEEP] * s.memory[i, core.LEFT_OUT]


def _leverage(s: EstimatorState, i: int, slope: Vector, learned: bool) -> float:
    """Variance of the stiffness for unit noise; keeps the table of training points."""
    p, b = s.parameters.shape[1], s.terms.shape[1]
    here = variance(s.info[i], slope, p, s.solved)
    if not learned:
        return here
    if s.counts[core.SEEN] % STRIDE == 0:
        _refresh(s, i)
    least = 0
    for k in range(core.TABLE):
        if s.trained[i, k] < s.trained[i, least]:
            least = k
    if here > s.trained[i, least]:
        for t in range(b):
            s.table[i, least, t] = slope[t]
        s.trained[i, least] = here
    return here


@apart
def _refresh(s: EstimatorState, i: int) -> None:
    """The leverage of the next training point of the table, by what is known now."""
    p, b, next_one = s.parameters.shape[1], s.terms.shape[1], int(s.memory[i, core.AT])
    s.memory[i, core.AT] = (next_one + 1) % core.TABLE
    for t in range(p):
        s.wider[t] = s.table[i, next_one, t] if t < b else 0.0
    s.trained[i, next_one] = variance(s.info[i], s.wider, p, s.solved)


def _rotatum(s: EstimatorState, o: Options, i: int) -> float:
    """Rate of the elastic torque: smoothed like the learning, or the observer's."""
    total = 0.0
    if o.mode == core.PAPER:
        paper_row(s, o, i, s.rates)
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        total += s.scales[i, core.TAU] * s.rates[t] * s.parameters[i, t]
    return total


SIGNIFICANT = 5.0
"""Standard deviations."""
LONG = 3.0
"""[s] Longest rejection without a warning: few contacts last longer."""
NEGATIVE_FOR = 0.5
"""[s] Shortest time of negative stiffness that is told: the rate of the torque shows a spring that changes, or a
contact, as a blow, which bends what was learned below zero for some hundredths of a second."""
FORGOTTEN = 10.0
"""[s] Over which time of negative stiffness is forgotten while the stiffness is positive."""
LEAST = 0.1
"""Lowest noise assumed, as a fraction of the torque floor."""


def suspect(s: EstimatorState, o: Options, i: int, known: bool, at_least: float) -> None:
    """Flags, skew and misfit of joint i; `at_least` is the deviation of sigma, for the floor.

    Skew and misfit, which come slowly, are looked at every STRIDE samples.
    """
    m, flags, sigma = s.memory[i], 0, s.out[core.SIGMA, i]
    looked = s.counts[core.SEEN] % STRIDE == 0
    if looked:
        s.out[core.SKEW, i] = 0.0
        s.out[core.MISFIT_OUT, i] = _misfit(s, o, i)
    if s.out[core.CHANGE_AGE, i] > 0.0:
        flags |= core.CHANGED if s.out[core.CHANGE, i] != 0.0 else core.REOPENED
    if s.out[core.CUT, i] == inf:
        s.out[core.MISFIT_OUT, i] = sqrt(m[core.VARIANCE] / m[core.POWER])
        flags |= core.MISFIT
    if m[core.REFUSED] > LONG:
        flags |= core.BLOCKED
    if known and m[core.COUNT] > 50.0 * o.window:
        if s.out[core.LEVERAGE, i] > o.extrapolated:
            if s.out[core.STATUS, i] != core.LEARNING:
                flags |= core.EXTRAPOLATED
        elif _lastingly_negative(s, o, i, sigma < -3.0 * at_least):
            flags |= core.NEGATIVE
        if looked and s.out[core.MISFIT_OUT, i] > o.misfit:
            flags |= core.MISFIT
        if looked and o.mode != core.PAPER and sigma > 0.0:
            flags |= _skewed(s, o, i, sigma)
    s.out[core.FLAGS, i] = flags


def _lastingly_negative(s: EstimatorState, o: Options, i: int, now: bool) -> bool:
    """Whether the stiffness is negative `now`, and was for a while in which joint i learned."""
    m = s.memory[i]
    if s.out[core.STATUS, i] == core.LEARNING:
        m[core.BELOW] = m[core.BELOW] + o.dt if now else m[core.BELOW] * (1.0 - o.dt / FORGOTTEN)
    return now and m[core.BELOW] > NEGATIVE_FOR


def _misfit(s: EstimatorState, o: Options, i: int) -> float:
    """The lasting part of the residual as a part of the torque, both as root mean square."""
    m, lasts = s.memory[i], lasting(s, o, i, SIGNIFICANT)
    power = m[core.POWER] - m[core.VARIANCE] + lasts
    return sqrt(lasts / power) if power > 0.0 else nan


def _skewed(s: EstimatorState, o: Options, i: int, sigma: float) -> int:
    """Whether the motors' positions are of another time than the link's."""
    p, noise = (
        s.parameters.shape[1],
        o.window * max(s.memory[i, core.VARIANCE], (LEAST * o.floor) ** 2),
    )
    late, taken = s.trial[i, p, -1] / s.trial[i, p, p], _taken(s, o, i, noise, sigma)
    sure = abs(late) > SIGNIFICANT * sqrt(noise / min(o.window, STRIDE)) / s.trial[i, p, p]
    if not (sure and abs(late) > o.skew):
        late = taken
    s.out[core.SKEW, i] = late
    if late < 0.0:
        return core.NEWER
    return core.OLDER if taken > o.skew else core.DAMPED if late > o.skew else 0


@apart
def _taken(s: EstimatorState, o: Options, i: int, noise: float, sigma: float) -> float:
    """The least delay of the motors [s] that makes the friction of the link negative, or zero."""
    p, b = s.parameters.shape[1], s.terms.shape[1]
    if o.friction == 0 or s.parameters[i, b] >= 0.0:
        return 0.0
    viscous = s.wider
    for t in range(p):
        viscous[t] = 1.0 if t == b else 0.0
    deviation = sqrt(noise * variance(s.info[i], viscous, p, s.solved))
    if -s.parameters[i, b] < SIGNIFICANT * deviation:
        return 0.0
    return -s.parameters[i, b] * s.scales[i, core.TAU] / sigma
