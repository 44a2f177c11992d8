"""Simulated minus measured, for any points of the unit cube."""

from collections.abc import Collection, Mapping

import numpy as np
from typing_extensions import TypeVar

from pliant.arrays import Floats
from pliant.identification.problem.simulation import Samples, Simulation
from pliant.identification.problem.space import Space

LOST = 10.0
"""[rad] The most that a sample counts for, so that motion that overflows has an error too."""

_SamplesT = TypeVar("_SamplesT", bound=Samples)


class Residuals:
    """Residuals of candidates on recordings.

    Args:
        simulation: of a joint or robot, with its numbers where nothing is searched.
        samples: the recordings. space: what a point of the unit cube means.

    Attributes:
        steps: integration steps so far. evaluations: candidates so far.
    """

    def __init__(self, simulation: Simulation[_SamplesT], samples: _SamplesT, space: Space) -> None:
        self.samples: Samples = samples
        self.space = space
        self.steps = self.evaluations = 0
        self.base = simulation.values()
        self._columns = [simulation.names.index(name) for name in space.names]

        def positions(candidates: Floats) -> tuple[Floats, int]:
            return simulation.batch(candidates, samples)

        self._positions = positions

    def __call__(self, points: Floats) -> Floats:
        """(C, D) points of the unit cube to (C, M) residuals [rad, m], within ± LOST."""
        candidates = np.repeat(self.base[None], len(points), axis=0)
        candidates[:, self._columns] = self.space.from_cube(points)
        positions, steps = self._positions(candidates)
        self.steps += steps
        self.evaluations += len(points)
        # In place, and in two passes: the arrays are large, and this is done for every candidate.
        residuals = np.subtract(positions, self.samples.measured, out=positions)
        return np.maximum(np.fmin(residuals, LOST, out=residuals), -LOST, out=residuals)

    @property
    def given(self) -> Floats:
        """(D,) the point of the numbers as they were given."""
        return self.space.to_cube(self.base[self._columns])


class Held(Residuals):
    """Residuals in a part of a space, the rest of it held.

    Args:
        whole: in all of the space. names: that are free. at: (D,) point of the whole cube.
    """

    def __init__(self, whole: Residuals, names: Collection[str], at: Floats) -> None:
        self.samples, self.space = whole.samples, whole.space.part(names)
        self.steps = self.evaluations = 0
        self._whole, self._at = whole, at
        self._free = [whole.space.names.index(name) for name in self.space.names]

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        self.evaluations += len(points)
        return self._whole(self.whole(points))

    def whole(self, points: Floats) -> Floats:
        """(C, D) points of the whole cube."""
        every = np.repeat(self._at[None], len(points), axis=0)
        every[:, self._free] = points
        return every


class Scaled(Residuals):
    """Residuals of factors, each of several numbers together.

    Args:
        whole: in these numbers. space: of the factors; one that is no name of `groups` is the number itself.
        groups: factor to the numbers that it multiplies, where they begin.
    """

    def __init__(
        self, whole: Residuals, space: Space, groups: Mapping[str, Collection[str]]
    ) -> None:
        self.samples, self.space = whole.samples, space
        self.steps = self.evaluations = 0
        self._whole = whole
        names = whole.space.names
        owner = {number: factor for factor, own in groups.items() for number in own}
        self._taken = [space.names.index(owner.get(name, name)) for name in names]
        self._times = np.where([name in owner for name in names], whole.space.start, 1.0)

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        self.evaluations += len(points)
        values = self.space.from_cube(points)[:, self._taken] * self._times
        return self._whole(self._whole.space.to_cube(values))
