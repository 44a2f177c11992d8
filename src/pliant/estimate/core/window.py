"""Newest positions, the motion at their centre, and histories smoothed by kernels."""

from pliant.arrays import Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.basis import (
    basis_and_stiffness,
    basis_row,
    lacked,
    middle,
    middle_rate,
)
from pliant.estimate.core.state import EstimatorState
from pliant.lower.memory import any_order, apart

NOISE_SAMPLES = 500.0
"""Samples over which the noise of an encoder is taken; one starts at zero and is known by then."""


@apart
def place_sample(
    s: EstimatorState, mode: int, dt: float, smooth: int, q: Vector, theta: Vector
) -> bool:
    """The newest positions into the window, smoothed before where `smooth` is 1, and their motion.

    Returns:
        Whether they are numbers; where not, nothing is changed.
    """
    n, total, raw = len(q), 0.0, s.raw
    for i in range(n):
        total += q[i] - q[i]
    for c in range(len(theta)):
        total += theta[c] - theta[c]
    if total != 0.0:  # infinity less itself is no number either
        return False
    for row in range(core.WINDOW - 1):
        for c in range(raw.shape[1]):
            raw[row, c] = raw[row + 1, c]
    for i in range(n):
        raw[core.WINDOW - 1, i] = q[i]
    for c in range(len(theta)):
        raw[core.WINDOW - 1, n + c] = theta[c]
    s.counts[core.SEEN] += 1
    if smooth == 1:
        _smooth_newest(s)
    elif s.counts[core.SEEN] >= core.WINDOW:
        for c in range(raw.shape[1]):
            _encoder_noise(s, c, raw[:, c])
    for i in range(n):
        _motion(s, i, mode, dt, smooth)
    return True


def _smooth_newest(s: EstimatorState) -> None:
    """The newest positions of the window, all channels, smoothed; those unsmoothed go to `sample`."""
    length, newest = s.kernels.shape[1], s.raw[core.WINDOW - 1]
    s.counts[core.PLACE] = (s.counts[core.PLACE] + 1) % length
    for c in range(len(newest)):
        i, column = c // core.BASIS, c % core.BASIS
        s.sample[c] = newest[c]
        for place in (s.counts[core.PLACE], s.counts[core.PLACE] + length):
            s.history[i, column, place] = newest[c]
        newest[c] = smoothed(s, i, core.MEAN, column)
        if s.counts[core.SEEN] >= core.WINDOW:
            end = s.counts[core.PLACE] + length + 1
            _encoder_noise(s, c, s.history[i, column, end - core.WINDOW : end])
    for i in range(len(s.layout)):
        basis_row(s, i, s.sample, False, s.row)
        _remember_row(s, i)


def _remember_row(s: EstimatorState, i: int) -> None:
    """The basis of joint i, in `row`, into its history, twice."""
    for place in (s.counts[core.PLACE], s.counts[core.PLACE] + s.kernels.shape[1]):
        for t in range(s.layout[i, core.COUNT_OF_TERMS]):
            s.history[i, core.BASIS + t, place] = s.row[t]


def _encoder_noise(s: EstimatorState, c: int, line: Vector) -> None:
    """The variance of a channel's noise, from fourth differences of its five newest positions.

    They hold next to nothing of a smooth motion, and of white noise 70 times its variance. An
    encoder that stands on one step says nothing, and is not counted.
    """
    newest = line[4]
    if line[0] == newest and line[1] == newest and line[2] == newest and line[3] == newest:
        return
    rough = newest - 4.0 * (line[3] + line[1]) + 6.0 * line[2] + line[0]
    s.encoder[c] += (rough * rough / 70.0 - s.encoder[c]) / NOISE_SAMPLES


def _motion(s: EstimatorState, i: int, mode: int, dt: float, smooth: int) -> None:
    """Position to jerk: by the observer, as published; smoothed positions by centred differences of its four."""
    raw, motion = s.raw, s.motion
    if mode == core.PAPER and smooth == 1:
        motion[0, i] = middle(raw, i)
        motion[1, i] = middle_rate(raw, i) / dt
        motion[2, i] = (raw[4, i] - raw[3, i] - raw[2, i] + raw[1, i]) / (2.0 * dt**2)
        motion[3, i] = (raw[4, i] - 3.0 * raw[3, i] + 3.0 * raw[2, i] - raw[1, i]) / dt**3
    elif mode == core.PAPER:
        q0, q1, q2, q3 = raw[1, i], raw[2, i], raw[3, i], raw[4, i]
        motion[0, i] = q0
        motion[1, i] = (q1 - q0) / dt
        motion[2, i] = (q2 - 2.0 * q1 + q0) / dt**2
        motion[3, i] = (q3 - 3.0 * q2 + 3.0 * q1 - q0) / dt**3
    else:
        outer, inner = raw[4, i] - raw[0, i], raw[3, i] - raw[1, i]
        motion[0, i] = raw[core.CENTRE, i]
        motion[1, i] = (8.0 * inner - outer) / (12.0 * dt)


@any_order
def smoothed(s: EstimatorState, i: int, kernel: int, column: int) -> float:
    """One column of joint i's history under one kernel."""
    length = s.kernels.shape[1]
    start = s.counts[core.PLACE] + 1  # the oldest of the L samples that end with the newest
    weights, line = s.kernels[kernel], s.history[i, column, start : start + length]
    total = 0.0
    for k in range(length):
        total += weights[k] * line[k]
    return total


@any_order
def smoothed_with_rate(s: EstimatorState, i: int, column: int) -> tuple[float, float]:
    """The same under the kernels of the equation's rows and of the basis' rate, at once."""
    length = s.kernels.shape[1]
    start = s.counts[core.PLACE] + 1
    weights, slopes = s.kernels[core.ROWS], s.kernels[core.ROW_RATES]
    line = s.history[i, column, start : start + length]
    value = rate = 0.0
    for k in range(length):
        value += weights[k] * line[k]
        rate += slopes[k] * line[k]
    return value, rate


def remember(s: EstimatorState, i: int, momentum: float, rest: float) -> None:
    """The centre's basis and terms into joint i's history, twice."""
    length, speed = s.kernels.shape[1], s.motion[1, i]
    held = basis_and_stiffness(s, i, s.raw[core.CENTRE], s.row) * speed / s.scales[i, core.PHI]
    _remember_row(s, i)
    m = s.memory[i]
    m[core.PUSHED] += (momentum * momentum - m[core.PUSHED]) / NOISE_SAMPLES
    m[core.MOVED] += (speed * speed - m[core.MOVED]) / NOISE_SAMPLES
    for place in (s.counts[core.PLACE], s.counts[core.PLACE] + length):
        s.history[i, core.SPEED, place] = speed
        s.history[i, core.REST, place] = rest
        s.history[i, core.MOMENTUM, place] = momentum
        s.history[i, core.HELD_RATE, place] = held
    for t in range(s.lacked.shape[1]):
        value = lacked(s, i, t, s.raw[core.CENTRE])
        for place in (s.counts[core.PLACE], s.counts[core.PLACE] + length):
            s.history[i, core.BASIS + s.terms.shape[1] + t, place] = value
