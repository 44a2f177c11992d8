"""Derivatives of a sampled position: the delayed observer of the paper, and what it competes with.

The observer (Trumić et al. 2022, eq. 13) carries three states and, with b = q[k] - x1,

    u  = b/T^3 - 3 x2/T^2 - 3 x3/T
    x1 += T x2,   x2 += T x3,   x3 = b/T^2 - 3 x2/T - 2 x3.

Its error dynamics are nilpotent (deadbeat): after three samples nothing of the initial state is
left, and it *is* four-sample differencing,

    x1 = q[k-3]                              x2 = (q[k-2] - q[k-3]) / T
    x3 = (q[k-1] - 2 q[k-2] + q[k-3]) / T^2  u  = (q[k] - 3 q[k-1] + 3 q[k-2] - q[k-3]) / T^3,

to rounding. So it amplifies noise s of a position to sqrt(20) s / T^3 in the jerk: with the
quantisation of encoders it is of no use (stiffness estimation: section 4). The four are nominally
"at k-3", but differences of T, and so centred at k-3, k-2.5, k-2 and k-1.5.
"""

from math import factorial
from typing import NamedTuple

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module


class Derivatives(NamedTuple):
    """A motion and its derivatives, each of the shape of the positions given.

    Samples without enough history are NaN.
    """

    position: Floats
    velocity: Floats
    acceleration: Floats
    jerk: Floats


def delayed_uio(q: Floats, dt: float) -> Derivatives:
    """The delayed unknown-input observer of Trumić et al. 2022, run from zero.

    Entry k holds the estimates made with q[k], which belong to the sample k - 3. The first three
    entries are the transient of the start and are NaN; from then on the result equals the finite
    differences of the module's docstring to rounding.

    Args:
        q: (N, …) positions [rad]. dt: [s].

    Raises:
        PliantError: dt is not above 0, or there are fewer than four samples.
    """
    _check(q, dt, 4)
    out = np.full((4, *q.shape), np.nan)
    x1, x2, x3 = (np.zeros(q.shape[1:]) for _ in range(3))
    for k in range(len(q)):
        b = q[k] - x1
        u = b / dt**3 - 3.0 * x2 / dt**2 - 3.0 * x3 / dt
        if k >= 3:
            out[:, k] = x1, x2, x3, u
        x1, x2, x3 = x1 + dt * x2, x2 + dt * x3, b / dt**2 - 3.0 * x2 / dt - 2.0 * x3
    return Derivatives(*out)


def savitzky_golay(q: Floats, dt: float, *, half_width: int = 50, degree: int = 5) -> Derivatives:
    """Least-squares polynomials over 2 `half_width` + 1 samples, evaluated in their middle.

    Entry k belongs to sample k; it needs `half_width` samples on either side, and is NaN without.

    Args:
        q: (N, …) positions [rad]. dt: [s].
        half_width: samples on either side. degree: of the polynomial, from 3.

    Raises:
        PliantError: the window is too narrow for the degree, or the recording too short or not finite.
    """
    signal = extra_module("scipy.signal", "identify")

    width = 2 * half_width + 1
    _check(q, dt, width)
    if not 3 <= degree < width:
        raise PliantError("not a degree", found=degree, accepted=f"3 to {width - 1}")
    out = np.full((4, *q.shape), np.nan)
    for order in range(4):
        full: Floats = signal.savgol_filter(q, width, degree, deriv=order, delta=dt, axis=0)
        out[order, half_width : len(q) - half_width] = full[half_width : len(q) - half_width]
    return Derivatives(*out)


def kalman_jerk(
    q: Floats, dt: float, *, noise: float, jerk_walk: float, smooth: bool = False
) -> Derivatives:
    """A Kalman filter for which the jerk is a random walk.

    Entry k belongs to sample k, from q[0..k], or with `smooth` from the whole recording
    (Rauch-Tung-Striebel).

    Args:
        q: (N, …) positions [rad]. dt: [s].
        noise: standard deviation of a position [rad]; for an encoder, step / sqrt(12).
        jerk_walk: spectral density of the rate of the jerk [rad^2/s^7].
        smooth: use what comes after, too.

    Raises:
        PliantError: a number is not positive, or the recording too short or not finite.
    """
    _check(q, dt, 4)
    if not (noise > 0.0 and jerk_walk > 0.0):
        raise PliantError(
            "not a filter", found=f"noise {noise}, jerk_walk {jerk_walk}", accepted="above 0"
        )
    F, Q = _jerk_model(dt, jerk_walk)
    y = q.reshape(len(q), -1)
    x = np.zeros((len(q), 4, y.shape[1]))
    P, ahead = np.empty((len(q), 4, 4)), np.empty((len(q), 4, 4))
    state, cov = np.zeros((4, y.shape[1])), 1e6 * np.eye(4)
    state[0] = y[0]
    for k in range(len(q)):
        if k:
            state, cov = F @ state, F @ cov @ F.T + Q
        ahead[k] = cov
        gain = cov[:, :1] / (cov[0, 0] + noise**2)
        state = state + gain * (y[k] - state[0])
        keep = np.eye(4)
        keep[:, :1] -= gain
        cov = keep @ cov @ keep.T + noise**2 * gain @ gain.T
        x[k], P[k] = state, cov
    for k in range(len(q) - 2, -1, -1) if smooth else ():
        gains = np.asarray(np.linalg.inv(ahead[k + 1]) @ F @ P[k], np.float64)
        x[k] += gains.T @ (x[k + 1] - F @ x[k])
    return Derivatives(*np.moveaxis(x, 1, 0).reshape(4, *q.shape))


def _jerk_model(dt: float, jerk_walk: float) -> tuple[Floats, Floats]:
    """Transition and noise of position to jerk when white noise drives the jerk's rate."""
    F = np.zeros((4, 4))
    for i in range(4):
        for j in range(i, 4):
            F[i, j] = dt ** (j - i) / factorial(j - i)
    late = F[:, 3]  # Q_ij = integral of the answers of i and j to noise at one time of the step
    order = np.array([3, 2, 1, 0])
    return F, jerk_walk * np.outer(late, late) * dt / (order[:, None] + order + 1)


def _check(q: Floats, dt: float, samples: int) -> None:
    if not dt > 0.0:
        raise PliantError("not a time step", field="dt", found=dt, accepted="above 0 [s]")
    if len(q) < samples:
        raise PliantError("too short", field="q", found=len(q), accepted=f"from {samples} samples")
    if not np.isfinite(q).all():
        raise PliantError(
            "is not a number everywhere", field="q", accepted="finite positions [rad]"
        )
