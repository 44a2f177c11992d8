"""Draws from the posterior of a fit: parameter sets that the logs and the prior also allow.

1. around each equally good end of the search, compute the Jacobian and from it the curvature H of the cost.
   If the cost along one parameter alone rises faster than H predicts, as at a bound, H is raised to that
2. draw directions from a normal distribution with covariance 1/H, in number proportional to the end's likelihood
3. bend each direction until the residuals change, along their slopes, as the linear model predicts: ridges are
   curved (randomize-then-optimize, Bardsley et al., SIAM J. Sci. Comput. 2014, with the Jacobian kept)
4. follow each until the true cost has risen by as much as H predicts: a joint that starts to stick responds
   with a jump
5. redraw parameters that the prior determines better than the logs from the prior, accepted as the logs allow: a draw
   has one length in step 4, which holds these parameters too close when others bend
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.space import Space
from pliant.identification.problem.torque_response import times_usual
from pliant.identification.result.identification import evenly
from pliant.identification.search.least_squares import curvature

LEVELS = (0.05, 0.95)
ALONG = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Distances tried along each direction, in its own lengths."""
BENDS = 2
"""Gauss-Newton steps that bend each direction."""
STRONG = 0.95
"""Correlation from which two parameters are called inseparable."""
MOST = 0.5
"""Share of the search range from which an interval is uninformative."""


@dataclass(frozen=True, kw_only=True)
class UncertaintySettings:
    """Number of draws, and the seed of their random numbers."""

    draws: int = 240
    seed: int = 1


@dataclass(frozen=True)
class Coverage:
    """Widening of one joint's bands of draws, and their coverage of held-out logs.

    Attributes:
        by: property that defines the groups: "gain", or the first of "load", "trajectory", "log" in which
            the logs differ; "recording" of a robot.
        groups: held out in turn, to the share of their samples within the widened band, with factor
            and margins from the others.
        samples, logs: mean share over the groups of samples within the band, and of logs that lie
            within the wider one from beginning to end.
        before: mean share of samples within the draws before widening.
        factor: by which the draws were spread.
        alone: mean share within the draws as written, without a margin.
        spread, spread_holds: factor by which the written draws must be spread to cover 90 % without a margin,
            or the largest tried, and their coverage then.
        margin, margin_of_logs: [rad] to add on both sides to cover 90 % of the samples, and 90 % of the logs
            as a whole, for a log that a motor a tenth stronger moves by `response`.
        response: [rad] mean of that over the logs of the fit; both margins are proportional to it. None for
            a robot.
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
    response: float | None = None
    held_out: float | None = None

    def margin_for(self, response: float | None) -> float:
        """[rad] Margin for a log with this response [rad] to a motor a tenth stronger; None: not known."""
        return self.margin * times_usual(self.response, response)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Uncertainty of D parameters, in SI units, in the order of `space.names`.

    Attributes:
        best: (D,) values. low, high: (D,) ends of the 90 % intervals.
        correlation: (D, D) of the draws, on the scale of the search.
        samples: (R, D) posterior draws.
        doubts: parameters that the data do not determine.
        coverage: joint to the coverage of the draws, with the margin to add on both sides of their
            band; "" is the joint of a bench. Empty: there was only one group of logs, so model error could
            not be estimated.
    """

    space: Space
    best: Floats
    low: Floats
    high: Floats
    correlation: Floats
    samples: Floats
    doubts: tuple[Doubt, ...]
    coverage: Mapping[str, Coverage] = field(default_factory=dict[str, Coverage])

    def draws(self, n: int, seed: int) -> Floats:
        """(n, D) parameter sets in SI units, for domain randomisation."""
        return np.random.default_rng(seed).choice(self.samples, n, axis=0)

    def spread(self, n: int) -> Floats:
        """(n, D) draws at even distances, used for bands; see `evenly`."""
        return evenly(self.samples, n)

    def interval(self, name: str) -> tuple[float, float]:
        """5 % and 95 % quantiles of one parameter."""
        k = self.space.names.index(name)
        return float(self.low[k]), float(self.high[k])


def uncertainty(
    goal: Posterior, ends: Sequence[Floats], settings: UncertaintySettings
) -> Uncertainty:
    """Intervals, posterior draws and doubts around the ends of a search.

    Args:
        goal: the cost minimised. ends: (D,) points of the unit cube, the best first.
        settings: how many draws.
    """
    space, rng = goal.misfit.space, np.random.default_rng(settings.seed)
    costs = goal(np.array(ends))
    likely = np.exp(np.minimum(costs[0] - costs, 0.0))
    places = np.searchsorted(
        np.cumsum(likely) / likely.sum(), (np.arange(settings.draws) + 0.5) / settings.draws
    )
    parts = [
        _around(goal, end, float(cost), int((places == k).sum()), rng)
        for k, (end, cost) in enumerate(zip(ends, costs, strict=True))
    ]
    drawn = np.concatenate(parts)
    low, high = np.quantile(np.concatenate([drawn, ends[:1]]), LEVELS, axis=0)
    low, high = np.minimum(low, ends[0]), np.maximum(high, ends[0])
    correlation = _correlation(drawn)
    doubts = [
        *_unseen(space, _shares(space, high) - _shares(space, low), correlation),
        *space.at_bounds(space.from_cube(ends[0])),
    ]
    return Uncertainty(
        space,
        space.from_cube(ends[0]),
        space.from_cube(low),
        space.from_cube(high),
        correlation,
        space.from_cube(drawn),
        tuple(doubts),
    )


def _around(
    goal: Posterior, at: Floats, cost: float, count: int, rng: np.random.Generator
) -> Floats:
    """(count, D) draws around one end, which has this cost."""
    if not count:
        return np.empty((0, len(at)))
    # 1. curvature
    here, slopes, seen_by_slopes = curvature(goal, at)
    alone = _missing(goal, at, cost, np.diag(seen_by_slopes))
    H = seen_by_slopes + np.diag(alone)
    # 2. directions
    root = np.linalg.cholesky(H)
    ways = np.linalg.solve(root.T, rng.normal(size=(len(at), count))).T
    wanted = 0.5 * np.einsum("ri,ij,rj->r", ways, H, ways)
    # 3. bent
    straight = (np.array(ALONG)[:, None, None] * ways).reshape(-1, len(at))
    points = np.clip(at + straight, 0.0, 1.0)
    for _ in range(BENDS):
        change: Floats = np.einsum(
            "rm,im->ri", goal.residuals(points) - here, slopes * goal.weights(here)
        )
        seen = np.linalg.solve(H, (change + alone * (points - at)).T).T
        points = np.clip(points + straight - seen, 0.0, 1.0)
    # 4. as far as the cost says
    rises = goal(points).reshape(len(ALONG), count) - cost
    far = _crossing(np.maximum.accumulate(np.maximum(rises, 0.0), axis=0), wanted)
    bent: Floats = np.concatenate(
        [np.tile(at, (1, count, 1)), points.reshape(len(ALONG), count, -1)]
    )
    drawn = np.empty((count, len(at)))
    for r, i in np.ndindex(drawn.shape):
        drawn[r, i] = np.interp(far[r], [0.0, *ALONG], bent[:, r, i])
    # 5. unseen
    unseen = np.diag(H) < 2.0 / goal.pull.width**2 if goal.pull else np.zeros(len(at), bool)
    return _from_prior(goal, drawn, np.flatnonzero(unseen), rng) if unseen.any() else drawn


def _from_prior(
    goal: Posterior, drawn: Floats, unseen: NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    """Draws (R, D) whose poorly determined parameters are redrawn from the prior (a Metropolis step)."""
    assert goal.pull is not None
    centre, width = goal.pull.centre[unseen], goal.pull.width[unseen]
    other = drawn.copy()
    other[:, unseen] = rng.normal(centre, width, (len(drawn), len(unseen)))
    inside = ((other >= 0.0) & (other <= 1.0)).all(axis=1)
    likelier = goal.likelihood(np.clip(other, 0.0, 1.0)) - goal.likelihood(drawn)
    taken = inside & (np.log(rng.random(len(drawn))) < likelier)
    return np.where(taken[:, None], other, drawn)


def _missing(goal: Posterior, at: Floats, cost: float, seen: Floats) -> Floats:
    """(D,) extra curvature along each parameter beyond `seen` (D,), the curvature from the slopes."""
    far = np.minimum(1.0 / np.sqrt(seen), 0.5)
    rises = goal(at + np.diag(np.where(at < 0.5, far, -far))) - cost
    return np.maximum(2.0 * rises / far**2 - seen, 0.0)


def _crossing(rises: Floats, wanted: Floats) -> Floats:
    """(R,) distances at which monotone rises (A, R), sampled at `ALONG`, reach `wanted` (R,)."""
    along = np.array([0.0, *ALONG])
    rises = np.concatenate([np.zeros((1, rises.shape[1])), rises])
    far = np.empty(len(wanted))
    for k, rise in enumerate(rises.T):
        far[k] = np.interp(wanted[k], rise, along)
    return far


def _correlation(drawn: Floats) -> Floats:
    """(D, D) Correlation of draws; 0 if a parameter does not vary."""
    centred = drawn - drawn.mean(axis=0)
    size = np.sqrt(np.sum(centred**2, axis=0))
    scaled = centred / np.where(size > 0.0, size, 1.0)
    correlation = scaled.T @ scaled
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _shares(space: Space, cube: Floats) -> Floats:
    """(D,) A point of the cube; parameters that start at zero as a share of the range, not of its root."""
    return np.where(space.low == 0, space.from_cube(cube) / space.high, cube)


def _unseen(space: Space, shares: Floats, correlation: Floats) -> list[Doubt]:
    """Doubts about parameters whose interval (D,) spans too much of their range, and inseparable pairs."""
    names = space.names
    found = [
        Doubt(
            "not seen",
            (names[k],),
            f"{names[k]} is barely determined by these logs: its interval is {100 * shares[k]:.0f} % of its range",
        )
        for k in map(int, np.flatnonzero(shares > MOST))
    ]
    for pair in np.argwhere(np.triu(np.abs(correlation) > STRONG, 1)):
        i, j = int(pair[0]), int(pair[1])
        r = float(correlation[i, j])
        text = f"{names[i]} and {names[j]} can hardly be separated (correlation {r:.2f})"
        found.append(Doubt("correlated", (names[i], names[j]), text))
    return found
