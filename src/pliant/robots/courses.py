"""A motion that is known beforehand, as a compensator takes it: even in time, with speeds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import smoothed
from pliant.errors import PliantError


@dataclass(frozen=True, eq=False)
class Course:
    """A motion of J joints in N cycles.

    Args:
        joints: names. given: (M,) [s], rising. positions: (M, J) [rad, m]. cycle: [s].

    Attributes:
        time: (N,) [s], a cycle apart. position, speed, acceleration: (N, J) of the smoothed motion.

    Raises:
        PliantError: there are no two rows, a number is not finite, or the time does not rise.
    """

    joints: Sequence[str]
    given: ArrayLike
    positions: ArrayLike
    cycle: float
    time: Floats = field(init=False)
    position: Floats = field(init=False)
    speed: Floats = field(init=False)
    acceleration: Floats = field(init=False)

    def __post_init__(self) -> None:
        given, positions = (
            np.asarray(self.given, np.float64),
            np.asarray(self.positions, np.float64),
        )
        if positions.shape != (len(given), len(self.joints)) or len(given) < 2:
            accepted = f"two rows or more of {', '.join(self.joints)}"
            raise PliantError(
                "has another shape", field="motion", found=positions.shape, accepted=accepted
            )
        if not (np.isfinite(positions).all() and np.isfinite(given).all()):
            raise PliantError("is not finite", field="motion")
        if (np.diff(given) <= 0.0).any():
            raise PliantError("time does not rise", field="motion")
        time: Floats = np.arange(0.0, given[-1] - given[0] + 1e-9, self.cycle)
        lines = [smoothed(given - given[0], line) for line in positions.T]
        for k, name in enumerate(("position", "speed", "acceleration")):
            even = [np.interp(time, given - given[0], line[k]) for line in lines]
            object.__setattr__(self, name, np.column_stack(even))
        object.__setattr__(self, "time", time)

    def __iter__(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        """(J,) position, speed and acceleration of each cycle."""
        return iter(zip(self.position, self.speed, self.acceleration, strict=True))
