"""Simulated minus measured, for any points of the unit cube."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from typing_extensions import TypeVar

from pliant.arrays import Floats
from pliant.identification.problem.simulation import Samples, Simulation
from pliant.identification.problem.space import Space

LOST = 10.0
"""[rad] Largest residual of a sample, so that motion that overflows has a finite error."""

_SamplesT = TypeVar("_SamplesT", bound=Samples)


class Residuals:
    """Residuals of candidates on recordings.

    Args:
        simulation: of a joint or robot; numbers that are not searched keep its values.
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
        # In place, and in two passes: the arrays are large, and this runs for every candidate.
        residuals = np.subtract(positions, self.samples.measured, out=positions)
        return np.maximum(np.fmin(residuals, LOST, out=residuals), -LOST, out=residuals)

    @property
    def given(self) -> Floats:
        """(D,) the point of the numbers as they were given."""
        return self.space.to_cube(self.base[self._columns])


class Grouped(Residuals):
    """Residuals of candidates in which groups of recordings have parameters of their own, such as a zero.

    Args:
        samples: of all recordings. space: with the parameters of all groups.
        parts: the groups. Each maps the names of its own parameters in `space` to names in its residuals, lists
            the indices of its blocks, and builds residuals from its space.
    """

    def __init__(self, samples: Samples, space: Space, parts: Iterable["Group"]) -> None:
        self.samples, self.space = samples, space
        self.steps = self.evaluations = 0
        groups = list(parts)
        known = {name for group in groups for name in group.numbers}
        shared = [name for name in space.names if name not in known]
        self._parts: list[tuple[list[int], Sequence[int], Residuals]] = []
        for group in groups:
            part = space.part([*shared, *group.numbers])
            names = tuple(group.numbers.get(name, name) for name in part.names)
            columns = [space.names.index(name) for name in part.names]
            self._parts.append((columns, group.blocks, group.of(replace(part, names=names))))

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        out = np.empty((len(points), len(self.samples.measured)))
        begins, ends = self.samples.starts[:-1], self.samples.starts[1:]
        for columns, blocks, part in self._parts:
            found = part.samples.per_block(part(points[:, columns]))
            for k, samples in zip(blocks, found, strict=True):
                out[:, begins[k] : ends[k]] = samples
        self.steps = sum(part.steps for _, _, part in self._parts)
        self.evaluations += len(points)
        return out


@dataclass(frozen=True, eq=False)
class Group:
    """A group of recordings, see `Grouped`."""

    numbers: Mapping[str, str]
    blocks: Sequence[int]
    of: Callable[[Space], Residuals]


class Held(Residuals):
    """Residuals in a part of a space, with the rest held fixed.

    Args:
        whole: in all of the space. names: free parameters. at: (D,) point of the whole cube.
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
    """Residuals as a function of factors, each of which scales several parameters together.

    Args:
        whole: in these parameters. space: of the factors; a name not in `groups` is the parameter itself.
        groups: factor to the parameters that it scales, with their starting values.
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
