"""Bootstrap over blocks of the logs: uncertainty of the parameters and of predictions.

    1. slopes at the best point; what the data leave open is followed to its ends
    2. blocks of the logs are weighted at random, and fitted again with real rollouts
    3. a few of these fits look again from where they ended: what straight slopes missed
    4. every group of logs is predicted by a fit to the others: what no parameter explains

Ordinary intervals count every sample as news. These survive residuals that are a wrong model's more
than noise: the parameters as far as the model goes, the predictions also where it is wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pliant.identify.problem.doubt import Doubt
from pliant.identify.problem.space import Space
from pliant.identify.result.equally_good import DRAWS, evenly
from pliant.identify.uncertainty.draws import (
    BlockProblem,
    blocks_of,
    leverage,
    refits,
    robust_weights,
)
from pliant.identify.uncertainty.identifiability import unseen
from pliant.identify.uncertainty.ridge import ridge
from pliant.identify.uncertainty.sensitivity import (
    Chart,
    Floats,
    ResidualFunction,
    sensitivity,
    slopes,
)

LEVELS = (0.05, 0.95)
WIDEST = 5.0
"""Beyond this, few fits or blocks say that a direction is open, not how far it is."""


@dataclass(frozen=True, kw_only=True)
class UncertaintySettings:
    """Size of a bootstrap: replicates, blocks, walks.

    Attributes:
        replicates: bootstrap fits. rounds: Gauss–Newton steps of each, one rollout a step.
        block: [s] longer than residuals remember: the joint's own motion dies within it. Shorter,
            down to a quarter, where there would be fewer than four blocks for each parameter.
        strides: longest walk along what the data leave open.
        checks: fits that are repeated with slopes of their own.
        places: along open directions, from which replicates begin.
        seed: of the random numbers.
    """

    replicates: int = 240
    rounds: int = 4
    block: float = 1.0
    strides: int = 10
    checks: int = 6
    places: int = 16
    seed: int = 1


@dataclass(frozen=True)
class Coverage:
    """Widening of one joint's bands of draws, and what they hold of logs that had no part in a fit.

    Attributes:
        by: what groups of logs differ in: "gain", or "load", "trajectory", "log" where that is the first
            in which there are two; "recording" of a robot.
        groups: held out in turn, to the share of their samples within the widened band, with factor
            and margins of the others.
        samples, logs: mean share over the groups of samples within the band, and of logs that lie
            within the wider one from beginning to end.
        before: mean share of samples within the draws as they were.
        factor: by which the draws were pulled apart.
        alone: the same within the draws as they are written, without a margin.
        spread, spread_holds: factor by which those are to be pulled apart to hold 90 % without a margin,
            or the most that was found, and what they hold then.
        margin, margin_of_logs: [rad] what to add on both sides for 90 % of the samples, and for 90 %
            of the logs as a whole; times what `by_gain` says at the gain of a log.
        by_gain: P-gain to the factor on both margins there; empty of a robot's.
        held_out: mean share over the logs held out of the fit itself; None: there are none.
    """

    by: str
    groups: Mapping[str, float]
    samples: float
    logs: float
    before: float
    factor: float
    margin: float
    margin_of_logs: float
    alone: float
    spread: float
    spread_holds: float
    by_gain: Mapping[float, float] = field(default_factory=dict[float, float])
    held_out: float | None = None


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Uncertainty of D parameters, in SI units, in the order of `space.names`.

    Attributes:
        best: (D,) values. low, high: (D,) ends of the 90 % intervals.
        correlation: (D, D) of the draws, on the scale of the search.
        samples: (R, D) parameter sets that the data would also have allowed.
        model_error: [rad] what 90 % of the samples of a log that was not fitted stay within, beyond
            what the parameters explain. NaN with a single group of logs.
        widened: (D,) factors by which the intervals were widened for what straight slopes and few
            blocks hide.
        doubts: what the data leave open.
        coverage: joint to the coverage of the draws, with the margin to add on both sides of their
            band; "" is the joint of a bench. Empty: not measured, `model_error` stands for it.
    """

    space: Space
    best: Floats
    low: Floats
    high: Floats
    correlation: Floats
    samples: Floats
    model_error: float
    widened: Floats
    doubts: tuple[Doubt, ...]
    coverage: Mapping[str, Coverage] = field(default_factory=dict[str, Coverage])

    def draws(self, n: int, seed: int) -> Floats:
        """(n, D) parameter sets in SI units, for domain randomisation."""
        return np.random.default_rng(seed).choice(self.samples, n, axis=0)

    def spread(self, n: int) -> Floats:
        """(n, D) draws at even distances, those that bands are made of; see `evenly`."""
        return evenly(self.samples, n)

    def interval(self, name: str) -> tuple[float, float]:
        """5 and 95 % of one parameter."""
        k = self.space.names.index(name)
        return float(self.low[k]), float(self.high[k])


# Many arguments and lines: the four steps of the docstring, one after the other, on the same numbers.
def uncertainty(
    residuals: ResidualFunction,
    point: Floats,
    space: Space,
    log_of: NDArray[np.int64],
    time: Floats,
    *,
    groups: NDArray[np.int64] | None = None,
    settings: UncertaintySettings | None = None,
    pulled: bool = False,
) -> Uncertainty:
    """Intervals, draws and words around the best point of a search.

    Args:
        residuals: (C, D) points of the unit cube to (C, M) simulated - measured [rad].
        point: (D,) the best point of the unit cube.
        space: names, bounds and scales of the parameters.
        log_of: (M,) which log each sample is of, one log after the other. time: (M,) [s].
        groups: (M,) logs that are left out together to measure the model's error; by default each.
        settings: how many fits, to which blocks.
        pulled: a prior pulled the point away from the best of these logs: draws are put around it,
            for the logs alone would put them elsewhere.
    """
    s = settings or UncertaintySettings()
    rng = np.random.default_rng(s.seed)
    chart = Chart(space)
    # 1. slopes, and what is left open
    near = sensitivity(residuals, chart.from_cube(point), chart)
    block = blocks_of(log_of, time, s.block, 4 * len(point))
    problem = BlockProblem(residuals, chart, near, robust_weights(near.residual), block)
    places = ridge(problem, s.strides, rng)
    # 2. other weights of the blocks
    starts = _spread(places, s.places)
    fits = [_replicates(place, -(-s.replicates // len(starts)), s.rounds, rng) for place in starts]
    from_best, shares = fits[0]
    # 3. what straight slopes and few blocks hide
    checked = _again(problem, from_best[: s.checks], shares[: s.checks], s.rounds)
    widened = np.minimum(leverage(problem), WIDEST) * _longer(
        checked - near.at, from_best[: s.checks] - near.at
    )
    moved = [x - place.near.at for (x, _), place in zip(fits, starts, strict=True)]
    at = np.array([place.near.at for place in places])
    below, above = np.quantile(np.concatenate(moved), LEVELS, axis=0) * widened
    low = np.clip(at.min(axis=0) + np.minimum(below, 0.0), 0.0, 1.0)
    high = np.clip(at.max(axis=0) + np.maximum(above, 0.0), 0.0, 1.0)
    if pulled:
        starts, moved = [problem], [moved[0] - np.median(moved[0], axis=0)]
    drawn = _draws(starts, moved, widened)
    correlation = _correlation(drawn)
    # 4. what no parameter explains
    error = _model_error(problem, log_of if groups is None else groups, drawn, s)
    return Uncertainty(
        space,
        chart.values(near.at),
        chart.values(low),
        chart.values(high),
        correlation,
        chart.values(drawn),
        error,
        widened,
        tuple(unseen(problem, low, high, correlation)),
    )


def _draws(starts: list[BlockProblem], moved: list[Floats], widened: Floats) -> Floats:
    """(R, D) points of all replicates, by one factor: parameters that move together still do."""
    whole = np.median(widened)
    drawn = [place.near.at + whole * d for place, d in zip(starts, moved, strict=True)]
    return np.clip(np.concatenate(drawn), 0.0, 1.0)


def _spread(places: list[BlockProblem], most: int) -> list[BlockProblem]:
    """At most so many of them, the first always."""
    return [places[k] for k in np.unique(np.linspace(0, len(places) - 1, most).astype(int))]


def _replicates(
    place: BlockProblem, count: int, rounds: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(R, D) fits to weighted blocks, and (R, B) the weights."""
    shares = rng.exponential(size=(count, len(place.starts)))
    shares /= shares.mean(axis=1, keepdims=True)
    return refits(place, shares, rounds), shares


def _again(problem: BlockProblem, at: Floats, shares: Floats, rounds: int) -> Floats:
    """(K, D) fits that go on from where they ended, with the slopes found there."""
    there = slopes(problem.residuals, at, problem.near.steps, problem.chart)
    return np.concatenate(
        [
            refits(replace(problem, near=near), share[None], rounds)
            for near, share in zip(there, shares, strict=True)
        ]
    )


def _longer(moved: Floats, straight: Floats) -> Floats:
    """(D,) By what factor displacements (K, D) are longer, from 1 to WIDEST."""
    size = np.sqrt(np.mean(straight**2, axis=0))
    ratio = np.sqrt(np.mean(moved**2, axis=0)) / np.where(size > 1e-6, size, 1.0)
    return np.clip(ratio, 1.0, WIDEST)


def _correlation(drawn: Floats) -> Floats:
    """(D, D) 0 where a parameter does not vary."""
    centred = drawn - drawn.mean(axis=0)
    size = np.sqrt(np.sum(centred**2, axis=0))
    scaled = centred / np.where(size > 0.0, size, 1.0)
    correlation = scaled.T @ scaled
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _model_error(
    problem: BlockProblem, groups: NDArray[np.int64], drawn: Floats, s: UncertaintySettings
) -> float:
    """[rad] Error of groups of logs that were left out, beyond the spread of the draws."""
    names = np.unique(groups)
    if len(names) < 2:
        return float("nan")
    of_block = groups[problem.starts]
    shares = np.array([of_block != name for name in names], dtype=float)
    runs = problem.run(refits(problem, shares, 2 * s.rounds))
    left_out = (runs * (groups == names[:, None])).sum(axis=0)
    few = evenly(drawn, DRAWS)
    low, high = np.quantile(problem.run(few), LEVELS, axis=0)
    beyond = left_out**2 - (0.5 * (high - low)) ** 2
    return float(np.sqrt(np.quantile(np.maximum(beyond, 0.0), LEVELS[1] - LEVELS[0])))
