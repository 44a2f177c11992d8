"""Population search with several starts over the multimodal landscape of open-loop errors.

    1. every start explores, from the given values and from random points
    2. the best ones continue until the budget is spent
    3. the best point of all is kept

Deterministic for a seed: threads only share out the rollouts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cost = Callable[[Floats], Floats]
"""(C, D) points of the unit cube to (C,) costs."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How long and how widely to search.

    Attributes:
        starts: independent searches; the first begins at the given values, the others at random.
        generations: of each start while exploring.
        finalists: how many starts continue.
        final_generations: of each finalist.
        population: candidates in a generation; None takes 4 + 3 ln(D), rounded up to even.
        seed: of the random numbers.
    """

    starts: int = 4
    generations: int = 100
    finalists: int = 1
    final_generations: int = 400
    population: int | None = None
    seed: int = 1


@dataclass(frozen=True)
class Progress:
    """Where the search is: candidates done and planned, the best cost, the seconds left."""

    done: int
    planned: int
    best: float
    seconds_left: float


@dataclass
class Found:
    """The best point, and how the starts ended (their spread says how multimodal it is)."""

    point: Floats
    cost: float
    per_start: list[float] = field(default_factory=list[float])
    evaluations: int = 0
    interrupted: bool = False


def search(
    cost: Cost,
    start: Floats,
    settings: SearchSettings,
    report: Callable[[Progress], None] | None = None,
) -> Found:
    """Minimise `cost` over the unit cube.

    Ctrl-C ends the search early; what was found so far is returned, and marked.
    """
    run = _Run(cost, start, settings, report)
    try:
        for optimiser in run.optimisers:
            run.advance(optimiser, settings.generations)
        ranked = sorted(run.optimisers, key=lambda o: o.best)
        for optimiser in ranked[: settings.finalists]:
            run.advance(optimiser, settings.final_generations)
    except KeyboardInterrupt:
        if not np.isfinite(run.found.cost):
            raise
        run.found.interrupted = True
    run.found.per_start = sorted(o.best for o in run.optimisers if np.isfinite(o.best))
    return run.found


class _Start:
    """One CMA-ES run and its best cost."""

    def __init__(self, mean: Floats, sigma: float, population: int, seed: int) -> None:
        bounds = np.column_stack([np.zeros_like(mean), np.ones_like(mean)])
        self.cma = CMA(
            mean=np.clip(mean, 0.01, 0.99), sigma=sigma, bounds=bounds, seed=seed,
            population_size=population, n_max_resampling=5,
        )  # fmt: skip
        self.best = np.inf


class _Run:
    def __init__(
        self,
        cost: Cost,
        start: Floats,
        settings: SearchSettings,
        report: Callable[[Progress], None] | None,
    ) -> None:
        self.cost = cost
        self.report = report
        size = settings.population or 2 * ((5 + int(3 * np.log(len(start)))) // 2)
        random = np.random.default_rng(settings.seed)
        means = [start, *(random.uniform(0.1, 0.9, len(start)) for _ in range(settings.starts - 1))]
        seeds = random.integers(1, 2**31 - 1, settings.starts)
        self.optimisers = [
            _Start(mean, 0.15 if k == 0 else 0.25, size, int(seed))
            for k, (mean, seed) in enumerate(zip(means, seeds, strict=True))
        ]
        self.planned = 1 + size * (
            settings.starts * settings.generations
            + min(settings.finalists, settings.starts) * settings.final_generations
        )
        self.found = Found(start, float(cost(start[None])[0]), evaluations=1)
        self.began = time.monotonic()

    def advance(self, start: _Start, generations: int) -> None:
        for _ in range(generations):
            if start.cma.should_stop():
                return
            points = np.array([start.cma.ask() for _ in range(start.cma.population_size)])
            costs = self.cost(points)
            start.cma.tell([(x, float(c)) for x, c in zip(points, costs, strict=True)])
            k = int(np.argmin(costs))
            start.best = min(start.best, float(costs[k]))
            if costs[k] < self.found.cost:
                self.found.point, self.found.cost = points[k].copy(), float(costs[k])
            self.found.evaluations += len(points)
            if self.report is not None:
                done = self.found.evaluations
                spent = time.monotonic() - self.began
                left = spent / done * max(self.planned - done, 0)
                self.report(Progress(done, self.planned, self.found.cost, left))
