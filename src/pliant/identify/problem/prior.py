"""Numbers known before the fit, of another unit or an earlier fit, and how far to trust them.

A prior adds to the cost of a candidate, in rad,

    weight * 1 mrad * sum of ((u - u_0) / width)²

u is a parameter's place in the unit cube of the search, u_0 that of the prior's number, `width` its
standard deviation there where the prior's file gives one, else a fifth of its range. So with weight
1, a parameter moves by its width only if that lowers the error by 1 mrad.

What belongs to the bench, and what the prior has no number of (a delay, where it has none), is not
pulled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Number
from pliant.errors import PliantError
from pliant.identify.problem.space import Space, named

WIDTH = 0.2
"""Spread of units of one device where their file does not say, in the unit cube."""
SCALE = 1e-3
"""[rad] Cost of one parameter at its width."""
WEIGHT = 0.3
"""Taken where the logs form one group, and nothing can be held out to choose by."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Numbers that a fit begins at and is pulled to.

    Attributes:
        actuator: where they stand; for a robot, an actuator for each joint that is known.
        weight: [mrad] error reduction required to move a parameter by its width; None: chosen by
            cross-validation within the logs that are fitted.
    """

    actuator: Actuator | Mapping[str, Actuator]
    weight: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.weight is not None and not 0.0 <= self.weight < np.inf:
            raise PliantError(
                "not a weight", field="prior weight", found=self.weight, accepted="0 or more"
            )

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by joint; that of a joint on a bench is ""."""
        return {"": self.actuator} if isinstance(self.actuator, Actuator) else self.actuator

    def start(self, space: Space) -> Space:
        """The same box, begun at the prior's numbers."""
        return space.starting_at({n: x.value for n, x in self.numbers(space).items()})

    def pull(self, space: Space, weight: float) -> "Pull":
        """Towards the prior's numbers."""
        known = self.numbers(space)
        at = tuple(k for k, name in enumerate(space.names) if name in known)
        numbers = [known[space.names[k]] for k in at]
        values = np.tile(space.start, (3, 1))
        for k, number in zip(at, numbers, strict=True):
            std = number.std or 0.0
            values[:, k] = number.value, number.value - std, number.value + std
        middle, low, high = (space.to_cube(row)[list(at)] for row in values)
        spread = 0.5 * (high - low)
        widths = np.where(spread > 0.0, spread, WIDTH)
        return Pull(at, middle, np.minimum(widths, 1.0), weight)

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
    """A prior in the unit cube.

    Attributes:
        at: (K) which parameters. centre, width: (K,) in the cube. weight: of the whole.
    """

    at: tuple[int, ...]
    centre: Floats
    width: Floats
    weight: float

    @classmethod
    def none(cls, count: int) -> "Pull":
        """Nothing pulls at `count` parameters."""
        return cls((), np.zeros(0), np.ones(0), 0.0)

    def deviations(self, points: Floats) -> Floats:
        """(C, K) how many widths points (C, D) are off."""
        return (points[:, list(self.at)] - self.centre) / self.width

    def cost(self, deviations: Floats) -> Floats:
        """(C,) [rad] What they cost."""
        return self.weight * SCALE * np.sum(deviations * deviations, axis=1)

    def weights(self) -> Floats:
        """(K,) [rad] Times a deviation: the slope of the cost."""
        return np.full(len(self.at), 2.0 * self.weight * SCALE)
