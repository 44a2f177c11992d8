"""What a search notes of its work, so that it need not be done again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the unit cube, its cost, and its error as it is reported."""

    at: Floats
    cost: float
    error: float


@dataclass(frozen=True, eq=False)
class Done:
    """A part of the search that is finished: its best point, and what it took."""

    best: Point
    evaluations: int


class Journal(Protocol):
    """Where work is noted, so that it need not be done again. What stands here forgets it."""

    def finished(self, part: str) -> Done | None:
        """What a part came to, if it was finished."""
        return None

    def finish(self, part: str, done: Done) -> None:
        """A part is finished."""

    def generations(self, part: str) -> Sequence[tuple[Floats, float]]:
        """Costs of the generations of a part that was begun, and the error of each one's best."""
        return ()

    def add(self, part: str, costs: Floats, error: float) -> None:
        """One more generation of a part."""


class NoJournal(Journal):
    """Notes nothing."""
