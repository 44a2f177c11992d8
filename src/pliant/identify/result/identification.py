"""What came out of a fit, and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pliant.assemble import Actuator
from pliant.identify.problem.evaluation import Evaluation
from pliant.identify.problem.space import Space
from pliant.identify.search.prior_weight import Moved, Weighing
from pliant.identify.search.search import SearchResult
from pliant.identify.search.timing_first import TimingFit


@dataclass(frozen=True, eq=False)
class Identification:
    """What came out, and how sure it is.

    Attributes:
        actuator: with the numbers found. space: which were searched, in which bounds.
        fitted, held_out: errors on the logs that were fitted, and on those that were not.
        search: how it went, start by start. seconds: it took.
    """

    actuator: Actuator
    space: Space
    fitted: Evaluation
    held_out: Evaluation | None
    search: SearchResult
    seconds: float
    steps: int
    """Integration steps of the whole search."""
    weighing: Weighing | None = None
    """How strongly a prior pulled; None: there was none."""
    moved: tuple[Moved, ...] = ()
    """How far the prior's numbers moved, the farthest first."""
    mismatches: tuple[str, ...] = ()
    """Where logs, prior and actuator are of different devices, voltages or firmware, in words."""
    samplings: Mapping[str, float] = field(default_factory=dict[str, float])
    """Error [rad] of a quick search with each convention, where the best was asked for."""
    look: TimingFit | None = None
    """Timing and supply by themselves, before all parameters were searched."""
    before: tuple[str, ...] = ()
    """What no fit to these logs can tell, in words."""

    @property
    def warnings(self) -> list[str]:
        """What the data or the search leave open, in words."""
        values = np.array([_value(self.actuator, name) for name in self.space.names])
        words = [*self.mismatches, *self.before, *self.space.at_bounds(values)]
        if self.search.interrupted:
            words.append("the search was interrupted; this is the best until then")
        return words


def _value(actuator: Actuator, name: str) -> float:
    if name.startswith("plant."):
        return actuator.bench[name.removeprefix("plant.")].value
    return actuator.numbers[name].value
