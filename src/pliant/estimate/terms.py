"""Rigid-body terms that the core takes at each sample, or along a recording.

    torque, rotatum     momentum M v, and G - C^T v
    paper               the rate of the elastic torque, and zero

Dynamics may offer `motion_terms(q, v)` and `motion_rotatum(q, v, a, jerk)`, which give them at once
and for whole recordings, (N, n), and `place_terms(motion, out)` and `place_rotatum(motion, out)`,
which write those of one sample where they belong.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.estimate.core.state import WINDOW
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.settings import Mode

Terms = Callable[[Floats, Floats], None]

_OBSERVER = ((1, 0, 0, 0), (-1, 1, 0, 0), (1, -2, 1, 0), (-1, 3, -3, 1))
"""Weights of four samples, oldest first, for position to jerk of the delayed observer.

That observer (Trumić et al. 2022, eq. 13) is deadbeat: after three samples nothing is left of where it
began, and it is these differences, to rounding. Noise s of a position becomes sqrt(20) s / T^3 in the jerk."""
_CENTRED = (
    (-1 / 16, 9 / 16, 9 / 16, -1 / 16),
    (-1 / 12, -9 / 12, 9 / 12, 1 / 12),
    (0.5, -0.5, -0.5, 0.5),
    (-1, 3, -3, 1),
)
"""The same for the middle of the four, which all of them belong to: for positions smoothed before. Speed and jerk are
too low by the same part (`filters.MIDDLE_RATE`)."""


def sample_terms(dynamics: Dynamics, mode: Mode) -> Terms:
    """A function of the motion, (4, n): position, speed, acceleration, jerk; it fills (2, n)."""
    paper = mode == "paper"
    placed: Any = getattr(dynamics, "place_rotatum" if paper else "place_terms", None)
    if placed is not None:
        return placed
    at_once: Any = _at_once(dynamics, mode)
    rate = at_once or dynamics.rotatum

    def rotatum(motion: Floats, out: Floats) -> None:
        out[0], out[1] = rate(*motion), 0.0
        out[0] *= -1.0

    def both(motion: Floats, out: Floats) -> None:
        out[0], out[1] = at_once(motion[0], motion[1])

    def each(motion: Floats, out: Floats) -> None:
        q, v = motion[0], motion[1]
        out[0] = dynamics.mass(q) @ v
        out[1] = dynamics.gravity(q) - dynamics.coriolis(q, v).T @ v

    return rotatum if paper else each if at_once is None else both


def recorded_terms(
    dynamics: Dynamics, mode: Mode, q: Floats, dt: float, *, smoothed: bool = False
) -> tuple[Floats, Floats]:
    """(N, n) the same for every sample of a recording, (N, n); zero before there is a window.

    Args:
        smoothed: mode "paper" takes centred differences, as of positions smoothed before.
    """
    out = np.zeros((2, *q.shape))
    taps = _CENTRED if smoothed else _OBSERVER
    motion = _paper_motion(q, dt, taps) if mode == "paper" else _motion(q, dt)
    at_once: Any = _at_once(dynamics, mode)
    if at_once is not None:
        found = (-at_once(*motion), 0.0) if mode == "paper" else at_once(motion[0], motion[1])
        out[0], out[1] = found
        return out[0], out[1]
    terms = sample_terms(dynamics, mode)
    for k in range(WINDOW - 1, len(q)):
        terms(motion[:, k], out[:, k])
    return out[0], out[1]


def _at_once(dynamics: Dynamics, mode: Mode) -> Any:
    return getattr(dynamics, "motion_rotatum" if mode == "paper" else "motion_terms", None)


def _motion(q: Floats, dt: float) -> Floats:
    motion = np.zeros((4, *q.shape))
    motion[0, 2:] = q[:-2]
    outer, inner = q[4:] - q[:-4], q[3:-1] - q[1:-3]
    motion[1, 4:] = (8.0 * inner - outer) / (12.0 * dt)
    return motion


def _paper_motion(q: Floats, dt: float, taps: tuple[tuple[float, ...], ...]) -> Floats:
    motion = np.zeros((4, *q.shape))
    for order, weights in enumerate(taps):
        part = sum(c * q[i : len(q) - 3 + i] for i, c in enumerate(weights))
        motion[order, 3:] = part / dt**order
    return motion
