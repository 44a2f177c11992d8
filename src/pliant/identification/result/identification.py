"""Identification: the result of a fit, and what it leaves open."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.exports import shown_by
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.problem.posterior import Moved
from pliant.identification.problem.recorded_apart import Apart
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.problem.task import FitTask
from pliant.identification.problem.zero import ZeroFound
from pliant.identification.search.search import SearchResult
from pliant.words import mrad


@dataclass(frozen=True, kw_only=True, eq=False)
class Identification(Generic[LogT]):
    """The result of a fit.

    Attributes:
        task: what was asked. rig: with the numbers found, and the commands' convention.
        space: what was searched. values: parameter to the value found, in its unit.
        fitted, held_out: errors of `rig`, simulated anew.
        searches: what each stage of the search came to; a joint's only stage is "".
        seconds, steps: time [s] and integration steps of all of it.
        before: what no fit to these logs can determine. doubts: these, and what the result leaves open.
        moved: how far the numbers of a prior moved, the farthest first; empty without one.
        samplings: error [rad] of a quick search with each convention, where the best was asked for.
        zeros: mounting to its zero [rad], where the bench was mounted anew in between. The logs of
            `fitted` and `held_out` have them; `space` and `values` do not.
        recorders: age, supply, temperature of groups of logs that were recorded otherwise; the logs of
            `fitted` have them.
        united: its actuator with the fits of other models that are as good; None: there are none.
        zeros_judged: zeros found in mountings that were held out whole, all else as it is.
    """

    task: FitTask[LogT]
    rig: Rig[LogT]
    space: Space
    values: Mapping[str, float]
    fitted: Evaluation[LogT]
    held_out: Evaluation[LogT] | None
    searches: Mapping[str, SearchResult]
    seconds: float
    steps: int
    before: tuple[Doubt, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    moved: tuple[Moved, ...] = ()
    samplings: Mapping[str, float] = field(default_factory=dict[str, float])
    zeros: Mapping[str, float] = field(default_factory=dict[str, float])
    zeros_judged: tuple[ZeroFound, ...] = ()
    recorders: tuple[Apart, ...] = ()
    united: Actuator | None = None

    _repr_html_ = shown_by("pliant.report.notebook", "identification_html")

    def __repr__(self) -> str:
        names = ", ".join(actuator.name for actuator in self.actuators.values())
        held = "" if self.held_out is None else f", held out {mrad(self.held_out.mae)}"
        return f"<Identification of {names}: {mrad(self.fitted.mae)} mrad{held}>"

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Joint to its actuator with the numbers found; that of a joint on a bench is ""."""
        return self.rig.actuators

    @property
    def actuator(self) -> Actuator:
        """The only actuator.

        Raises:
            PliantError: there are several.
        """
        if len(self.actuators) != 1:
            raise PliantError(
                "a robot has several actuators", field="actuators", accepted=self.actuators
            )
        return next(iter(self.actuators.values()))

    @property
    def carrying(self) -> Actuator:
        """The only actuator as a file has it, with every fit that is as good.

        Raises:
            PliantError: there are several.
        """
        return self.united or self.actuator

    @property
    def logs(self) -> list[LogT]:
        """Recordings of `fitted` and `held_out`, each once."""
        every = [*self.fitted.entries, *(self.held_out.entries if self.held_out else ())]
        return list({id(entry.log): entry.log for entry in every}.values())

    @property
    def point(self) -> Floats:
        """(D,) the values in the order of `space.names`."""
        return np.array([self.values[name] for name in self.space.names])

    @property
    def search(self) -> SearchResult:
        """The last search."""
        return [*self.searches.values()][-1]

    @property
    def evaluations(self) -> int:
        """Candidates simulated in all searches."""
        return sum(one.evaluations for one in self.searches.values())

    @property
    def interrupted(self) -> bool:
        """Whether a search ended early."""
        return any(one.interrupted for one in self.searches.values())

    @property
    def warnings(self) -> list[str]:
        """The doubts as sentences."""
        return [doubt.text for doubt in self.doubts]
