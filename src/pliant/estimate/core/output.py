"""Estimates at the newest positions: stiffness, deviation, torque, rotatum, leverage."""

from math import hypot, inf, nan, sqrt

from pliant.arrays import Vector
from pliant.estimate.core.basis import newest_rows, variance
from pliant.estimate.core.learning import paper_row
from pliant.estimate.core.noise import LASTS, STRIDE, attenuated, explained, lacking, unaveraged
from pliant.estimate.core.state import (
    AT,
    CANNOT_KNOW,
    COUNT,
    COUNT_OF_TERMS,
    CUT,
    LEARNING,
    LEFT_OUT,
    LEVERAGE,
    PAPER,
    PHI,
    ROTATUM_OUT,
    SEEN,
    SIGMA,
    STATUS,
    STD,
    STEEP,
    TABLE,
    TAU,
    TORQUE,
    TORQUE_OUT,
    VARIANCE,
    WARMING_UP,
    WINDOW,
    EstimatorState,
    Options,
)
from pliant.estimate.core.suspicion import suspect
from pliant.lower.memory import apart

TURN = 1.0
"""[s] In the published method what lasts is the error of differences, which turns with the motion."""


def estimate(s: EstimatorState, o: Options, i: int, status: int) -> None:
    """The output of joint i at the newest positions."""
    p, terms = s.parameters.shape[1], s.layout[i, COUNT_OF_TERMS]
    slope, m = s.slope, s.memory[i]
    newest = s.sample if o.smooth == 1 else s.raw[WINDOW - 1]
    for t in range(p):
        slope[t] = 0.0
    coarse = newest_rows(s, i, newest, slope, s.row)
    unit = s.scales[i, TAU] / s.scales[i, PHI]
    sigma = 0.0
    for t in range(terms):
        sigma += unit * slope[t] * s.parameters[i, t]
    here = _leverage(s, i, slope, status == LEARNING)
    most = 0.0
    for k in range(TABLE):
        most = max(most, s.trained[i, k])
    noise, cut_short = o.window * here, _cut_short(s, o, i, here)
    blurred = attenuated(s, o, i, here, sigma / unit)
    std = unit * sqrt(noise * m[VARIANCE] + cut_short + coarse + blurred**2)
    if o.mode == TORQUE:
        s.out[CUT, i] = unit * sqrt(cut_short) if explained(s, o, i) else inf
    else:
        std = hypot(std, s.out[CUT, i])
    at_least = unit * sqrt(noise * max(m[VARIANCE], o.floor**2))
    expected = m[COUNT] > 2.0 * o.window and at_least < 0.5 * abs(sigma)
    known = expected and s.out[CUT, i] < inf
    torque = 0.0
    for t in range(terms):
        torque += s.scales[i, TAU] * s.row[t] * s.parameters[i, t]
    s.out[SIGMA, i] = sigma if known else nan
    s.out[STD, i] = std if known else nan
    s.out[TORQUE_OUT, i] = torque if known else nan
    s.out[ROTATUM_OUT, i] = _rotatum(s, o, i) if known else nan
    s.out[LEVERAGE, i] = here / most if most > 0.0 else nan
    if not known:
        status = WARMING_UP if status == LEARNING and s.out[CUT, i] < inf else CANNOT_KNOW
    s.out[STATUS, i] = status
    suspect(s, o, i, expected, at_least)


def _cut_short(s: EstimatorState, o: Options, i: int, here: float) -> float:
    """Variance of the stiffness by what the basis leaves out, normalised: more samples do not lessen it."""
    if s.counts[SEEN] % STRIDE == 0:
        every = s.memory[i, COUNT]
        if o.memory < 1.0:
            every = min(every, 1.0 / (1.0 - o.memory**2))
        direct = o.mode == PAPER and o.smooth == 0
        count = TURN / o.dt if direct else min(every, LASTS)
        s.memory[i, LEFT_OUT] = max(count * unaveraged(s, o, i), every * lacking(s, o, i))
    return here * s.scales[i, STEEP] * s.memory[i, LEFT_OUT]


def _leverage(s: EstimatorState, i: int, slope: Vector, learned: bool) -> float:
    """Variance of the stiffness for unit noise; keeps the table of training points."""
    p, b = s.parameters.shape[1], s.terms.shape[1]
    here = variance(s.info[i], slope, p, s.solved)
    if not learned:
        return here
    if s.counts[SEEN] % STRIDE == 0:
        _refresh(s, i)
    least = 0
    for k in range(TABLE):
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
    p, b, next_one = s.parameters.shape[1], s.terms.shape[1], int(s.memory[i, AT])
    s.memory[i, AT] = (next_one + 1) % TABLE
    for t in range(p):
        s.wider[t] = s.table[i, next_one, t] if t < b else 0.0
    s.trained[i, next_one] = variance(s.info[i], s.wider, p, s.solved)


def _rotatum(s: EstimatorState, o: Options, i: int) -> float:
    """Rate of the elastic torque: smoothed like the learning, or the observer's."""
    total = 0.0
    if o.mode == PAPER:
        paper_row(s, o, i, s.rates)
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        total += s.scales[i, TAU] * s.rates[t] * s.parameters[i, t]
    return total
