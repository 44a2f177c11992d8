"""Bands that cover: draws widened until they hold the logs of each group held out in turn.

Draws of one fit do not see the model's error. Groups of logs that had no part in a fit do:

    1. for each group a fit to the others, from the best point on
    2. the draws, moved to it and pulled apart by one factor, are simulated on the group; the smallest
       factor is taken with which 90 % of its samples lie inside the middle 90 % of the draws
    3. what is still outside is a margin on both sides: the largest over the groups of the margin that
       holds 90 % of one group's samples, and likewise of its whole logs

Groups, not samples, are exchangeable: the next group is like one of them, so that the margin is one
that would have done for each (split conformal prediction over groups; Dunn, Wasserman and Ramdas,
JASA 2023). The coverage reported is that of each group with factor and margin of the others alone.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.result.identification import Identification
from pliant.identify.search.least_squares import polish
from pliant.identify.uncertainty.bootstrap import LEVELS, Coverage, Uncertainty

FACTORS = (1.0, 1.5, 2.0, 3.0, 4.5)
"""Factors tried on the draws, about the point they were drawn around."""
DRAWS = 40
"""Draws simulated for each factor and group."""
WITHIN = LEVELS[1] - LEVELS[0]


@dataclass(frozen=True, eq=False)
class _Group:
    """Scores (S,) [rad] of a group with each factor: how far its samples are outside the band."""

    name: str
    scores: list[list[Floats]]

    def share(self, factor: int, margin: float = 0.0) -> float:
        return float(np.mean(np.concatenate(self.scores[factor]) <= margin))

    def margin(self, factor: int) -> float:
        return max(0.0, float(np.quantile(np.concatenate(self.scores[factor]), WITHIN)))

    def whole(self, factor: int) -> Floats:
        return np.array([float(one.max()) for one in self.scores[factor]])


def coverage(found: Identification[LogT], sure: Uncertainty) -> Coverage | None:
    """Widening that the draws of a fit need, from groups of its logs; None with one group."""
    rig = found.rig.seeing(found.space)
    logs = list(dict.fromkeys(entry.log for entry in found.fitted.entries))
    names = [rig.interval_group(log) for log in logs]
    if len(set(names)) < 2:
        return None
    groups = [_scored(found, rig, sure, logs, names, one) for one in dict.fromkeys(names)]
    taken = _factor(groups)
    held, whole = dict[str, float](), list[float]()
    for one in groups:
        others = [group for group in groups if group is not one]
        factor = _factor(others)
        held[one.name] = one.share(factor, _margin(others, factor))
        whole.append(float(np.mean(one.whole(factor) <= _margin_of_logs(others, factor))))
    return Coverage(
        groups=held,
        samples=float(np.mean([*held.values()])),
        logs=float(np.mean(whole)),
        before=float(np.mean([one.share(0) for one in groups])),
        factor=FACTORS[taken],
        margin=_margin(groups, taken),
        margin_of_logs=_margin_of_logs(groups, taken),
    )


def covering(sure: Uncertainty, wide: Coverage) -> Uncertainty:
    """The same with draws and margin that cover."""
    cube = _spread(sure, sure.space.to_cube(sure.best), sure.samples, wide.factor)
    samples = sure.space.from_cube(cube)
    return dataclasses.replace(sure, samples=samples, margin=wide.margin)


def _spread(sure: Uncertainty, about: Floats, samples: Floats, factor: float) -> Floats:
    """(R, D) draws in the cube, moved to a point and pulled apart."""
    moved = sure.space.to_cube(samples) - sure.space.to_cube(sure.best)
    return np.clip(about + factor * moved, 0.0, 1.0)


# Six arguments: a fit and its draws, the logs and their groups, and which of them is left out.
def _scored(
    found: Identification[LogT],
    rig: Rig[LogT],
    sure: Uncertainty,
    logs: Sequence[LogT],
    names: Sequence[str],
    out: str,
) -> _Group:
    kept = [log for log, name in zip(logs, names, strict=True) if name != out]
    left = [log for log, name in zip(logs, names, strict=True) if name == out]
    goal = Objective(rig.residuals(kept, found.space), found.task.objective)
    begin = found.space.to_cube(found.point)
    point = polish(goal, begin, rig.weighing_jacobians)
    residuals = rig.residuals(left, found.space)
    few = sure.samples[np.linspace(0, len(sure.samples) - 1, DRAWS).astype(int)]
    scores: list[list[Floats]] = []
    for factor in FACTORS:
        runs = residuals(_spread(sure, point, few, factor))
        low, high = np.quantile(runs, LEVELS, axis=0)
        scores.append(residuals.samples.per_block(np.maximum(low, -high)))
    return _Group(out, scores)


def _factor(groups: Sequence[_Group]) -> int:
    """Place of the smallest factor that covers; of the one that covers most, if none does."""
    shares = [float(np.mean([one.share(k) for one in groups])) for k in range(len(FACTORS))]
    enough = [k for k, share in enumerate(shares) if share >= WITHIN]
    return enough[0] if enough else int(np.argmax(shares))


def _margin(groups: Sequence[_Group], factor: int) -> float:
    return max(one.margin(factor) for one in groups)


def _margin_of_logs(groups: Sequence[_Group], factor: int) -> float:
    return max(0.0, *(float(np.quantile(one.whole(factor), WITHIN)) for one in groups))
