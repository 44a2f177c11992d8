"""A search, a choice and their uncertainty as plain values, for the page."""

from dataclasses import dataclass

from pliant.arrays import Floats

__all__ = ["Predicted", "Searched", "Tried"]


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A search on its way.

    Attributes:
        part: of a search that has several. done, planned: candidates. best, newest: errors [rad].
        values: parameter to its best value so far, and the ends of what is searched.
    """

    part: str
    done: int
    planned: int
    best: float
    newest: float
    seconds_left: float
    values: dict[str, tuple[float, float, float]]


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A model that is compared with others.

    Attributes:
        fitted, held_out: errors [rad]; NaN until it is fitted. verdict: on it, once all are compared.
    """

    name: str
    fitted: float
    held_out: float
    verdict: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicted:
    """One joint in one log: measured, simulated, and the band in which 90 % of the samples are expected.

    Attributes:
        name: of the log, and of a robot's joint. time [s], measured, simulated, low, high [rad, m]: (N,).
    """

    name: str
    time: Floats
    measured: Floats
    simulated: Floats
    low: Floats
    high: Floats
