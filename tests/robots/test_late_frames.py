"""Lateness of frames, from errors whose cause is written out: a parameter, or the times."""

import numpy as np
import pytest

from pliant.robots.recorder_times import LEAST_NOISE, ROUNDS, _Part, _round

FRAMES = 150
TIME = np.arange(FRAMES) / 30.0
SPEED = np.column_stack([1.5 * np.cos(2.3 * TIME), 0.8 * np.sin(1.7 * TIME)])
"""(N, 2) [rad/s] of two joints: by so much a frame that came late moves what was read."""
DELAY = -SPEED.T.ravel()[:, None]
"""(2 N, 1) slopes of a delay that all frames share, as a parameter of the actuators has."""


def found(error: np.ndarray) -> tuple[np.ndarray, float]:
    """(N,) lateness and its standard deviation [s] that the errors (2 N,) [rad] are put down to."""
    times = np.vstack([np.diag(SPEED[:, 0]), np.diag(SPEED[:, 1])])
    part = _Part(0, error, DELAY, times, np.repeat([0, 1], FRAMES))
    jitter, noise = 2e-3, np.full(2, 1e-3)
    late = [np.zeros(FRAMES)]
    for _ in range(ROUNDS):
        late, jitter, noise = _round([part], jitter, noise)
    return late[0], jitter


def test_what_a_parameter_explains_is_no_lateness() -> None:
    """A delay that is 5 ms too long."""
    late, _ = found(DELAY[:, 0] * 5e-3)
    assert np.abs(late).max() < 2e-4


def test_frames_that_came_late_are_found_beside_it() -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(0.0, 3e-3, FRAMES)
    true -= true.mean()
    noise = rng.normal(0.0, 10 * LEAST_NOISE, 2 * FRAMES)
    late, jitter = found(SPEED.T.ravel() * np.tile(true, 2) + DELAY[:, 0] * 5e-3 + noise)
    assert np.std(late - late.mean() - true) < 5e-4
    assert jitter == pytest.approx(3e-3, rel=0.2)
