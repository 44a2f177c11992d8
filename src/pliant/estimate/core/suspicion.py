"""Checks of the data by the estimator's own numbers: flags, skew between encoders, misfit.

Motor positions that are s older than those of the link give, to first order in s,

    tau_e = tau_e(phi measured) + s (d tau_e/dt - sigma dq/dt)

a column that is tried beside those that are learned (`learning.motors_rate`). Those hold the speed
of the link, so that a spring of constant stiffness is tested by the rate of its torque alone, which
must then differ from that speed: in fast motion, or far from hanging down. A negative s has no
explanation but a wrong model; a positive one may be a damping of the spring, unless the friction of
the link comes out as negative, which is a second test: the speed of the link takes s sigma from it.
"""

from math import inf, nan, sqrt

from pliant.estimate.core.basis import variance
from pliant.estimate.core.noise import STRIDE, lasting
from pliant.estimate.core.state import (
    BELOW,
    BLOCKED,
    CHANGE,
    CHANGE_AGE,
    CHANGED,
    COUNT,
    CUT,
    DAMPED,
    EXTRAPOLATED,
    FLAGS,
    LEARNING,
    LEVERAGE,
    MISFIT,
    MISFIT_OUT,
    NEGATIVE,
    NEWER,
    OLDER,
    PAPER,
    POWER,
    REFUSED,
    REOPENED,
    SEEN,
    SIGMA,
    SKEW,
    STATUS,
    TAU,
    VARIANCE,
    EstimatorState,
    Options,
)
from pliant.lower.memory import apart

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
    m, flags, sigma = s.memory[i], 0, s.out[SIGMA, i]
    looked = s.counts[SEEN] % STRIDE == 0
    if looked:
        s.out[SKEW, i] = 0.0
        s.out[MISFIT_OUT, i] = _misfit(s, o, i)
    if s.out[CHANGE_AGE, i] > 0.0:
        flags |= CHANGED if s.out[CHANGE, i] != 0.0 else REOPENED
    if s.out[CUT, i] == inf:
        s.out[MISFIT_OUT, i] = sqrt(m[VARIANCE] / m[POWER])
        flags |= MISFIT
    if m[REFUSED] > LONG:
        flags |= BLOCKED
    if known and m[COUNT] > 50.0 * o.window:
        if s.out[LEVERAGE, i] > o.extrapolated:
            if s.out[STATUS, i] != LEARNING:
                flags |= EXTRAPOLATED
        elif _lastingly_negative(s, o, i, sigma < -3.0 * at_least):
            flags |= NEGATIVE
        if looked and s.out[MISFIT_OUT, i] > o.misfit:
            flags |= MISFIT
        if looked and o.mode != PAPER and sigma > 0.0:
            flags |= _skewed(s, o, i, sigma)
    s.out[FLAGS, i] = flags


def _lastingly_negative(s: EstimatorState, o: Options, i: int, now: bool) -> bool:
    """Whether the stiffness is negative `now`, and was for a while in which joint i learned."""
    m = s.memory[i]
    if s.out[STATUS, i] == LEARNING:
        m[BELOW] = m[BELOW] + o.dt if now else m[BELOW] * (1.0 - o.dt / FORGOTTEN)
    return now and m[BELOW] > NEGATIVE_FOR


def _misfit(s: EstimatorState, o: Options, i: int) -> float:
    """The lasting part of the residual as a part of the torque, both as root mean square."""
    m, lasts = s.memory[i], lasting(s, o, i, SIGNIFICANT)
    power = m[POWER] - m[VARIANCE] + lasts
    return sqrt(lasts / power) if power > 0.0 else nan


def _skewed(s: EstimatorState, o: Options, i: int, sigma: float) -> int:
    """Whether the motors' positions are of another time than the link's."""
    p, noise = s.parameters.shape[1], o.window * max(s.memory[i, VARIANCE], (LEAST * o.floor) ** 2)
    late, taken = s.trial[i, p, -1] / s.trial[i, p, p], _taken(s, o, i, noise, sigma)
    sure = abs(late) > SIGNIFICANT * sqrt(noise / min(o.window, STRIDE)) / s.trial[i, p, p]
    if not (sure and abs(late) > o.skew):
        late = taken
    s.out[SKEW, i] = late
    if late < 0.0:
        return NEWER
    return OLDER if taken > o.skew else DAMPED if late > o.skew else 0


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
    return -s.parameters[i, b] * s.scales[i, TAU] / sigma
