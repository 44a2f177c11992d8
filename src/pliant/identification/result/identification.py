"""Identification: the result of a fit, its doubts, and the equally good fits.

Equally good fits are the end points of a fit's searches whose cost is about as low as the best. They differ on other
logs, most where one sticks and another slips. The median of their motions depends less on any one of them, and their
spread shows how far to trust it.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Ensemble
from pliant.errors import PliantError
from pliant.exports import shown_by
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.problem.nuisances import Nuisance
from pliant.identification.problem.posterior import Moved, Posterior
from pliant.identification.problem.recorder_parameters import Apart
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space, named
from pliant.identification.problem.task import FitTask
from pliant.identification.search.checkpoint import Point
from pliant.identification.search.least_squares import polish
from pliant.identification.search.search import SearchResult
from pliant.words import mrad

JACOBIANS = 8
"""Jacobians of a descent on some of the logs, from the end of the fit to all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Identification(Generic[LogT]):
    """The result of a fit.

    Attributes:
        task: definition of the fit. rig: with the numbers found, and the commands' convention.
        space: parameters searched. values: parameter to the value found, in its unit.
        fitted, held_out: errors of `rig`, from a new simulation.
        searches: result of each stage of the search; a joint's only stage is "".
        seconds, steps: time [s] and integration steps in total.
        before: doubts that hold for any fit to these logs. doubts: these, and those about the result.
        moved: how far the numbers of a prior moved, the farthest first; empty without a prior.
        zeros: mounting to its zero [rad], if the bench was remounted in between. They are applied to
            the logs of `fitted` and `held_out`; `space` and `values` do not contain them.
        recorders: age, supply, temperature of groups of logs from other recorders; applied to the logs
            of `fitted`.
        united: its actuator with equally good fits of other models; None: there are none.
        zeros_judged: zeros found for mountings that were held out whole, with all else fixed.
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
    zeros: Mapping[str, float] = field(default_factory=dict[str, float])
    zeros_judged: tuple[Nuisance, ...] = ()
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
        """The only actuator as written to a file, with all equally good fits.

        Raises:
            PliantError: there are several.
        """
        return self.united or self.actuator

    @property
    def logs(self) -> list[LogT]:
        """Recordings of `fitted` and `held_out`, each once."""
        return [*self.fitted.logs, *(self.held_out.logs if self.held_out else ())]

    @property
    def point(self) -> Floats:
        """(D,) the values in the order of `space.names`."""
        return np.array([self.values[name] for name in self.space.names])

    def goal(self, logs: Sequence[LogT]) -> Posterior:
        """The task's objective on some of its logs, by the cheapest simulation that covers all its parameters."""
        rig = self.rig.seeing(self.space)
        return self.task.goal(rig, rig.residuals(logs, self.space))

    def refitted(self, logs: Sequence[LogT]) -> tuple[Posterior, Floats]:
        """The same, and its minimum (D,) in the unit cube, by a descent from the fit to all logs."""
        goal = self.goal(logs)
        return goal, polish(goal, self.space.to_cube(self.point), JACOBIANS)

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


GOOD = 3.0
"""Largest log-posterior difference to the best of a fit that is kept: a factor of twenty."""
MOST = 12
"""Fits that are kept."""
APART = 0.02
"""Distance in the cube, in every parameter, below which two fits count as the same."""
DRAWS = 40
"""Number of draws in a band, both when it is calibrated and when it is used; a file keeps these."""


def with_fits(
    rig: Rig[LogT], space: Space, values: Floats, searched: Space, ends: Sequence[Point]
) -> Rig[LogT]:
    """A joint whose actuator carries the equally good fits, if there are any.

    Args:
        rig: with the numbers found. space: of the actuator's numbers. values: (D,) found.
        searched: space of `ends`; the best of these became the values.
    """
    if [*rig.actuators] != [""] or not ends:
        return rig
    columns = [searched.names.index(name) for name in space.names]
    good = [one for one in ends if one.cost <= ends[0].cost + GOOD]
    points = _distinct([space.to_cube(values), *(one.at[columns] for one in good[1:])])
    if len(points) < 2:
        return rig
    rows = space.from_cube(np.array(points[1:MOST]))
    every = np.concatenate([values[None], rows])
    made = dataclasses.replace(rig.actuators[""], ensemble=Ensemble(space.names, every, len(every)))
    return rig.with_actuators({"": made})


def with_draws(rig: Rig[LogT], space: Space, best: Floats, samples: Floats) -> Rig[LogT]:
    """The same with posterior draws (R, D) beside the fits, as many as a file should carry.

    Each joint of a robot gets its own parameters' columns; a row is the same draw in all joints.
    """
    few = evenly(samples, min(DRAWS, len(samples)))
    short = [rig.parameter(name) for name in space.names]
    made = dict[str, Actuator]()
    for joint, actuator in rig.actuators.items():
        own = [
            k
            for k, (name, full) in enumerate(zip(short, space.names, strict=True))
            if named(joint, name) == full and name in actuator.all_fields
        ]
        if not own:
            continue
        known = actuator.ensemble
        fits = best[None, own] if known is None else known.of_fits()
        rows = np.concatenate([fits, few[:, own]])
        carried = Ensemble(tuple(short[k] for k in own), rows, len(fits))
        made[joint] = dataclasses.replace(actuator, ensemble=carried)
    return rig.with_actuators({**rig.actuators, **made})


def evenly(samples: Floats, n: int) -> Floats:
    """(n, D) of samples (R, D) at even distances, so that each end point of the search keeps its share.

    Random subsets would have narrower or wider bands from one choice to the next, and a margin
    calibrated with one would not hold for another.
    """
    return samples[np.linspace(0, len(samples) - 1, n).astype(int)]


def _distinct(points: Sequence[Floats]) -> list[Floats]:
    """Points that do not coincide with an earlier one."""
    kept: list[Floats] = []
    for point in points:
        if all(float(np.max(np.abs(point - other))) > APART for other in kept):
            kept.append(point)
    return kept
