"""Check that the motors' reported speeds belong to their reported positions.

Speeds take no part in learning, but drives that report both tell by them when a channel is
exchanged, has another unit or sign, or is on the other side of the gear.
"""

import numpy as np

from pliant.arrays import Floats

SAMPLES = 400
"""Before anything is said."""
SLOW = 0.05
"""[rad/s] Root mean square, below which nothing is said."""
PART = 0.5
"""Tolerated difference, as a fraction of the speed's root mean square."""


class SpeedComparison:
    """Central differences of m motor positions against the speeds reported between them."""

    def __init__(self, motors: int, dt: float) -> None:
        self._dt, self._count = dt, 0
        self._last = np.full((2, motors), np.nan)
        self._speed = np.full(motors, np.nan)
        self._power = np.zeros((2, motors))

    def add(self, theta: Floats, speed: Floats) -> list[int]:
        """The channels whose speeds do not fit, once there is enough to tell; (m,) each."""
        difference = (theta - self._last[0]) / (2.0 * self._dt)
        if np.isfinite(difference).all():
            self._power += difference**2, (self._speed - difference) ** 2
            self._count += 1
        self._last[0], self._last[1], self._speed = self._last[1], theta, speed
        if self._count < SAMPLES:
            return []
        moves = self._power[0] > self._count * SLOW**2
        return np.flatnonzero(moves & (self._power[1] > PART**2 * self._power[0])).tolist()
