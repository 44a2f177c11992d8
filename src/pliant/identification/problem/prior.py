"""Numbers known before the fit: of another unit or an earlier fit, or where an actuator's file begins.

Each number is expected at some place in the unit cube of the search, with a standard deviation: that
of the prior's file where it gives one, else a fifth of the range. What no prior has a number of is
expected where it begins, with the standard deviation of an even distribution over its range.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Number
from pliant.identification.problem.space import Space, named

WIDTH = 0.2
"""Spread of units of one device where their file does not say, in the unit cube."""
RANGE = 12.0**-0.5
"""Standard deviation of an even distribution over the unit cube."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Numbers that a fit begins at and is pulled to.

    Attributes:
        actuator: where they stand; for a robot, an actuator for each joint that is known.
    """

    actuator: Actuator | Mapping[str, Actuator]

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by joint; that of a joint on a bench is ""."""
        return {"": self.actuator} if isinstance(self.actuator, Actuator) else self.actuator

    def start(self, space: Space) -> Space:
        """The same box, begun at the prior's numbers."""
        return space.starting_at({n: x.value for n, x in self.numbers(space).items()})

    def numbers(self, space: Space) -> Mapping[str, Number]:
        """The numbers it has of the parameters searched."""
        known = {
            named(joint, name): number
            for joint, actuator in self.actuators.items()
            for name, number in actuator.numbers.items()
            if not _unknown(number)
        }
        return {name: known[name] for name in space.names if name in known}


def _unknown(number: Number) -> bool:
    """Whether a number only stands there because its law needs one."""
    return number.how == "assumed" and number.std is None


@dataclass(frozen=True, eq=False)
class Pull:
    """Expectation of the numbers that are searched, in the unit cube.

    Attributes:
        centre, width: (D,) mean and standard deviation.
    """

    centre: Floats
    width: Floats

    def deviations(self, points: Floats) -> Floats:
        """(C, D) how many widths points (C, D) are off."""
        return (points - self.centre) / self.width


def expected(space: Space, prior: Prior | None = None) -> Pull:
    """The expectation of numbers: those of a prior, else where they begin."""
    known: Mapping[str, Number] = prior.numbers(space) if prior else {}
    values = np.tile(space.start, (3, 1))
    for name, number in known.items():
        std = number.std or 0.0
        values[:, space.names.index(name)] = number.value, number.value - std, number.value + std
    middle, low, high = (space.to_cube(row) for row in values)
    spread = 0.5 * (high - low)
    usual = np.array([WIDTH if name in known else RANGE for name in space.names])
    return Pull(middle, np.minimum(np.where(spread > 0.0, spread, usual), RANGE))


@dataclass(frozen=True)
class Moved:
    """One parameter, before and after.

    Attributes:
        name: of the parameter. before, after: in its unit.
        widths: how far in standard deviations of the prior, up or down.
    """

    name: str
    before: float
    after: float
    widths: float


def moved(prior: Prior, space: Space, values: Mapping[str, float]) -> tuple[Moved, ...]:
    """Change of each parameter that the prior knows, the largest first."""
    known = prior.numbers(space)
    point = space.to_cube(np.array([values[name] for name in space.names]))
    far = expected(space, prior).deviations(point[None])[0]
    every = [
        Moved(name, known[name].value, values[name], float(widths))
        for name, widths in zip(space.names, far, strict=True)
        if name in known
    ]
    return tuple(sorted(every, key=lambda one: -abs(one.widths)))
