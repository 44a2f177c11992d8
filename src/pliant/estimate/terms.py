"""What the core is told of the rigid bodies at each sample, or along a recording.

    torque, rotatum     momentum M v, and G - C^T v
    paper               the rate of the elastic torque, and zero

Dynamics may offer `motion_terms(q, v)` and `motion_rotatum(q, v, a, jerk)`, which give them at once
and for whole recordings, (N, n).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.estimate.core.state import WINDOW
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.settings import Mode

Array = NDArray[np.float64]
Terms = Callable[[Array], tuple[Array, Array | float]]

_DIFFERENCES = ((-1, 1, 0, 0), (1, -2, 1, 0), (-1, 3, -3, 1))
"""Of four samples, oldest first, for speed, acceleration and jerk of the delayed observer."""


def sample_terms(dynamics: Dynamics, mode: Mode) -> Terms:
    """A function of the motion, (4, n): position, speed, acceleration, jerk."""
    at_once: Any = _at_once(dynamics, mode)
    if mode == "paper":
        rate = at_once or dynamics.rotatum
        return lambda motion: (-rate(*motion), 0.0)
    if at_once is not None:
        return lambda motion: at_once(motion[0], motion[1])

    def terms(motion: Array) -> tuple[Array, Array]:
        q, v = motion[0], motion[1]
        return dynamics.mass(q) @ v, dynamics.gravity(q) - dynamics.coriolis(q, v).T @ v

    return terms


def recorded_terms(dynamics: Dynamics, mode: Mode, q: Array, dt: float) -> tuple[Array, Array]:
    """(N, n) the same for every sample of a recording, (N, n); zero before there is a window."""
    out = np.zeros((2, *q.shape))
    motion = _paper_motion(q, dt) if mode == "paper" else _motion(q, dt)
    at_once: Any = _at_once(dynamics, mode)
    if at_once is not None:
        found = (-at_once(*motion), 0.0) if mode == "paper" else at_once(motion[0], motion[1])
        out[0], out[1] = found
        return out[0], out[1]
    terms = sample_terms(dynamics, mode)
    for k in range(WINDOW - 1, len(q)):
        out[0, k], out[1, k] = terms(motion[:, k])
    return out[0], out[1]


def _at_once(dynamics: Dynamics, mode: Mode) -> Any:
    return getattr(dynamics, "motion_rotatum" if mode == "paper" else "motion_terms", None)


def _motion(q: Array, dt: float) -> Array:
    motion = np.zeros((4, *q.shape))
    motion[0, 2:] = q[:-2]
    outer, inner = q[4:] - q[:-4], q[3:-1] - q[1:-3]
    motion[1, 4:] = (8.0 * inner - outer) / (12.0 * dt)
    return motion


def _paper_motion(q: Array, dt: float) -> Array:
    motion = np.zeros((4, *q.shape))
    motion[0, 3:] = q[:-3]
    for order, taps in enumerate(_DIFFERENCES, start=1):
        part = sum(c * q[i : len(q) - 3 + i] for i, c in enumerate(taps))
        motion[order, 3:] = part / dt**order
    return motion
