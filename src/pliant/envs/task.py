"""The task of reaching, for one arm or many at once: what is seen, what is worth what."""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.envs.arms import Arm

FRAME_SKIP = 10
"""Steps of the engine for one action: 50 Hz."""
SPEED = 10.0
"""[rad/s] By what joint speeds are divided in an observation."""
WIDTH = 8
"""Numbers of an observation."""


@dataclass(frozen=True)
class Reach:
    """Bring the tip to a point and hold it there.

    Attributes:
        arm: the arm. near: [m] closer than this counts as there.
        effort: reward lost for an action's change, per unit squared.
    """

    arm: Arm
    near: float = 0.01
    effort: float = 0.02

    def targets(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 2) points [m] that the arm can reach, from angles within its commands."""
        low, high = np.array(self.arm.low[:2]), np.array(self.arm.high[:2])
        return self.arm.tips(random.uniform(0.8 * low, 0.8 * high, (count, 2)))

    def start(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 2) joint angles [rad] at rest to begin from."""
        return random.uniform(-0.3, 0.3, (count, 2))

    def observations(self, q: Floats, v: Floats, target: Floats) -> Floats:
        """(…, 8) angles, speeds, the target, and the way to it, each about 1 in size."""
        scale = sum(self.arm.lengths)
        way = (target - self.arm.tips(q)) / scale
        return np.concatenate([q, v / SPEED, target / scale, way], axis=-1)

    def rewards(self, q: Floats, target: Floats, change: Floats) -> Floats:
        """(…,) minus the distance in arm lengths, and 1 where it is there, less the effort."""
        distance = self.distances(q, target)
        near = (distance < self.near).astype(np.float64)
        effort = self.effort * np.sum(change * change, axis=-1)
        return near - distance / sum(self.arm.lengths) - effort

    def distances(self, q: Floats, target: Floats) -> Floats:
        """(…,) [m] from the tip to the target."""
        return np.linalg.norm(target - self.arm.tips(q), axis=-1)
