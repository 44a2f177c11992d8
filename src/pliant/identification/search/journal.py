"""Journal of a search's finished work, so that it need not be done again."""

from dataclasses import dataclass
from typing import Protocol

from pliant.arrays import Floats
from pliant.identification.search.least_squares import DescentState


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the unit cube, its cost, and its error as it is reported."""

    at: Floats
    cost: float
    error: float


@dataclass(frozen=True, eq=False)
class PartResult:
    """A part of the search that is finished: its best point, and what it took."""

    best: Point
    evaluations: int


class Journal(Protocol):
    """Journal of finished work, so that it need not be done again. This one keeps nothing."""

    def finished(self, part: str) -> PartResult | None:
        """Result of a part, if it was finished."""
        return None

    def finish(self, part: str, done: PartResult) -> None:
        """A part is finished."""

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """Latest stage of a descent, with its result so far."""
        return None

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """A descent is here."""


class NoJournal(Journal):
    """Notes nothing."""


class Chapter(Journal):
    """A part of a journal: what stands here has `name` before it.

    A search that consists of searches gives each its own.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal, self._name = journal, name

    def finished(self, part: str) -> PartResult | None:
        """See `Journal`."""
        return self._journal.finished(f"{self._name}: {part}")

    def finish(self, part: str, done: PartResult) -> None:
        """See `Journal`."""
        self._journal.finish(f"{self._name}: {part}", done)

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """See `Journal`."""
        return self._journal.stage(f"{self._name}: {part}")

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """See `Journal`."""
        self._journal.note(f"{self._name}: {part}", stage, done)
