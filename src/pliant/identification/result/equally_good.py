"""Set of equally good fits: where the searches of one fit ended, about as low as its best.

Fits that are equally good on the logs differ on others, most where one sticks and another slips. The
median of their motions is less at the mercy of one of them, and its spread says how far to trust it.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Ensemble
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space, named
from pliant.identification.search.checkpoint import Point

GOOD = 3.0
"""Logarithm of how much less likely a fit that is kept may be than the best: a twentieth."""
MOST = 12
"""Fits that are kept."""
APART = 0.02
"""Largest distance in the cube, in every parameter, of two fits that are one."""
DRAWS = 40
"""Draws that a band is made of, where it is calibrated and where it is used; a file keeps these."""


def with_fits(
    rig: Rig[LogT], space: Space, values: Floats, searched: Space, ends: Sequence[Point]
) -> Rig[LogT]:
    """A joint whose actuator carries the fits that are hardly less likely than its own, where there are any.

    Args:
        rig: with the numbers found. space: of the actuator's numbers. values: (D,) found.
        searched: space of `ends`, the best of which became the values.
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
    """The same with draws (R, D) beside the fits, as many as a file should carry.

    Each joint of a robot has those of its own numbers; a row is the same draw in all of them.
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
    """(n, D) of samples (R, D) at even distances: as many of each place that the draws begin at.

    The ends of as many chosen at random are narrower one time and wider another, so that what was
    calibrated with some would not hold with others.
    """
    return samples[np.linspace(0, len(samples) - 1, n).astype(int)]


def _distinct(points: Sequence[Floats]) -> list[Floats]:
    """Points that are not one with an earlier one."""
    kept: list[Floats] = []
    for point in points:
        if all(float(np.max(np.abs(point - other))) > APART for other in kept):
            kept.append(point)
    return kept
