"""The parts of a search, a population and a descent, and what they share."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.identify.search.journal import Journal, PartResult, Point
from pliant.identify.search.least_squares import TRIALS, DescentState, SearchProblem, polish
from pliant.identify.search.progress import Countdown, Progress

GIVEN, ANYWHERE = 0.15, 0.25
"""Width of a population in the unit cube: around the given values, a random point."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Size of a search: starts, generations, refinement.

    Attributes:
        starts: independent searches; the first begins at the given values, the others at random.
        generations: of each start while exploring.
        polish: Jacobians that each start gets then, at most.
        finalists: how many starts are polished further.
        final_polish: Jacobians of each finalist, and in each round, at most.
        lines: of how many ends, the best ones that differ, the rounds go on.
        rounds: small populations around the best of each line, one after the other.
        final_generations: of each round; 0 leaves them out.
        population: candidates in a generation; None takes 4 + 3 ln(D), rounded up to even.
        seed: of the random numbers.
    """

    starts: int = 20
    generations: int = 20
    polish: int = 10
    finalists: int = 10
    final_polish: int = 12
    lines: int = 10
    rounds: int = 2
    final_generations: int = 10
    population: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise PliantError(
                "out of range", field="starts", found=self.starts, accepted="1 or more"
            )

    def planned(self, d: int) -> dict[str, int]:
        """Candidates of d numbers at most: those of the populations, and of the descents."""
        rounds = min(self.lines, self.starts) * self.rounds if self.final_generations else 0
        ends = min(self.finalists, self.starts) + rounds
        jacobians = self.starts * self.polish + ends * self.final_polish
        generations = self.starts * self.generations + rounds * self.final_generations
        return {
            "population": self.size(d) * generations,
            "polish": descent(d) * jacobians + self.starts + ends,
        }

    def size(self, d: int) -> int:
        """Candidates in a generation."""
        return self.population or 2 * ((5 + int(3 * np.log(d))) // 2)


def descent(d: int) -> int:
    """Candidates for one Jacobian and the steps tried with it."""
    return d + len(TRIALS)


@dataclass
class SearchResult:
    """The best point, and how the starts ended (their spread says how multimodal it is)."""

    point: Floats
    cost: float
    """Value of the objective at the point."""
    error: float
    """Mean absolute error [rad], whatever was minimised."""
    per_start: list[float] = field(default_factory=list[float])
    """Error of each start, polished once; the smallest first."""
    evaluations: int = 0
    interrupted: bool = False
    ends: list[Point] = field(default_factory=list[Point])
    """Ends of all starts and rounds, the best first: fits of their own."""

    def __repr__(self) -> str:
        return f"<SearchResult: {1e3 * self.error:.1f} mrad, {self.evaluations} evaluations>"


class SearchRun:
    """Shared state of a search's parts: the best so far, the countdown, the random numbers."""

    def __init__(
        self,
        problem: SearchProblem,
        start: Floats,
        settings: SearchSettings,
        report: Callable[[Progress], None] | None,
        journal: Journal,
    ) -> None:
        self.problem, self.journal, self.settings = problem, journal, settings
        s, d = settings, len(start)
        self.size = s.size(d)
        self.lines = min(s.lines, s.starts)
        self.rounds = s.rounds if s.final_generations else 0
        rounds = self.lines * self.rounds
        random = np.random.default_rng(s.seed)
        others = random.uniform(0.1, 0.9, (s.starts - 1, d))
        self.means = [(start, GIVEN), *((mean, ANYWHERE) for mean in others)]
        self.seeds = [int(k) for k in random.integers(1, 2**31 - 1, s.starts + rounds)]
        self.countdown = Countdown({"given": 1, **s.planned(d)}, report)
        self.of_start: int | None = None
        self.per_start: dict[int, float] = {}
        self.ends: list[Point] = []
        residuals = problem.residuals(start[None])
        self.given = Point(
            start, float(problem.cost(residuals)[0]), float(problem.error(residuals)[0])
        )
        self.best = self.given
        self.countdown.count("given", 1, self.given.error, timed=False)

    def skip(self, lines: int) -> None:
        """So many lines less will be followed than were planned."""
        s, rounds = self.settings, lines * self.rounds
        candidates = descent(len(self.given.at)) * s.final_polish + 1
        self.countdown.drop("population", rounds * self.size * s.final_generations)
        self.countdown.drop("polish", rounds * candidates)

    def explore(
        self,
        part: str,
        mean: Floats,
        sigma: float,
        generations: int,
        seed: int,
        begin: Point | None,
    ) -> Point:
        """The best of `begin` and a population's generations (CMA-ES)."""
        watch = _Watch(self, "population", self.size * generations, begin)
        done = self.journal.finished(part)
        if done is not None:
            return watch.restore(done)
        cma = extra_module("cmaes", "identify").CMA(
            mean=np.clip(mean, 0.01, 0.99),
            sigma=sigma,
            seed=seed,
            population_size=self.size,
            bounds=np.column_stack([np.zeros_like(mean), np.ones_like(mean)]),
            n_max_resampling=5,
        )
        known = self.journal.generations(part)
        for k in range(generations):
            if cma.should_stop():
                break
            points = np.array([cma.ask() for _ in range(self.size)])
            if k < len(known):
                costs, error = known[k]
                watch.take(points, costs, error, timed=False)
            else:
                costs = self.problem.cost(watch.residuals(points))
                error = watch.last
                self.journal.add(part, costs, error)
            cma.tell([(x, float(c)) for x, c in zip(points, costs, strict=True)])
        return watch.end(part)

    def polish(self, part: str, point: Point, jacobians: int) -> Point:
        """The best on the way down from `point`."""
        watch = _Watch(self, "polish", descent(len(point.at)) * jacobians + 1, point)
        done = self.journal.finished(part)
        if done is not None:
            return watch.restore(done)
        begun = self.journal.stage(part)

        def note(stage: DescentState) -> None:
            self.journal.note(part, stage, PartResult(watch.best, watch.done))

        polish(watch, point.at, jacobians, stage=watch.resume(begun), note=note)
        return watch.end(part)

    def result(self, *, interrupted: bool) -> SearchResult:
        """Best of all parts."""
        best, errors = self.best, sorted(self.per_start.values())
        ends = sorted(self.ends, key=lambda point: point.cost)
        return SearchResult(
            best.at, best.cost, best.error, errors, self.countdown.done, interrupted, ends
        )


class _Watch:
    """The best of one part of a search, and how much of what was planned for it is done."""

    def __init__(self, run: SearchRun, kind: str, planned: int, begin: Point | None) -> None:
        self.run, self.kind, self.planned, self.done = run, kind, planned, 0
        self._again = 0
        self.best = begin or Point(run.given.at, np.inf, np.inf)

    def residuals(self, points: Floats) -> Floats:
        """Residuals of `points`, each of which becomes a candidate."""
        residuals = self.run.problem.residuals(points)
        costs = self.cost(residuals)
        self.last = float(self.run.problem.error(residuals[[int(np.argmin(costs))]])[0])
        self.take(points, costs, self.last)
        return residuals

    def cost(self, residuals: Floats) -> Floats:
        return self.run.problem.cost(residuals)

    def weights(self, residuals: Floats) -> Floats:
        return self.run.problem.weights(residuals)

    def take(self, points: Floats, costs: Floats, error: float, *, timed: bool = True) -> None:
        """Candidates, their costs, and the error of the best of them."""
        k = int(np.argmin(costs))
        self._keep(Point(points[k].copy(), float(costs[k]), error), len(points), timed=timed)

    def restore(self, done: PartResult) -> Point:
        """Take over a part that was finished in an earlier run."""
        self._keep(done.best, done.evaluations, timed=False)
        self.run.countdown.drop(self.kind, self.planned - self.done)
        return self.best

    def resume(self, begun: tuple[DescentState, PartResult] | None) -> DescentState | None:
        """Take over a part that was begun in an earlier run."""
        if begun is None:
            return None
        stage, done = begun
        self._keep(done.best, done.evaluations, timed=False)
        self._again = stage.again
        return stage

    def end(self, part: str) -> Point:
        """The part is finished."""
        self.run.journal.finish(part, PartResult(self.best, self.done))
        self.run.countdown.drop(self.kind, self.planned - self.done)
        return self.best

    def _keep(self, point: Point, candidates: int, *, timed: bool) -> None:
        run = self.run
        known = min(self._again, candidates)  # counted in the run before
        self._again -= known
        candidates -= known
        self.done += candidates
        self.best = min(self.best, point, key=lambda p: p.cost)
        run.best = min(run.best, point, key=lambda p: p.cost)
        if run.of_start is not None and np.isfinite(self.best.cost):
            run.per_start[run.of_start] = self.best.error
        run.countdown.count(
            self.kind,
            candidates,
            run.best.error,
            timed=timed,
            newest=point.error,
            at=run.best.at,
        )
