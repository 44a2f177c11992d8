"""Bounded least squares on functions whose minimum is known."""

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from landscapes import CENTRE, TARGET, Floats, Squares, bowl, valley

from pliant.identification.search.least_squares import TRIALS, DescentState, polish


def cost(problem: Squares, point: Floats) -> float:
    return float(problem.cost(problem.made(point[None]))[0])


def test_linear_residuals_are_solved_at_once() -> None:
    np.testing.assert_allclose(polish(bowl(), CENTRE, 3), TARGET, atol=1e-6)


def test_it_follows_a_bent_valley() -> None:
    np.testing.assert_allclose(polish(valley(), np.array([0.2, 0.9]), 30), 0.75, atol=1e-4)


@pytest.mark.parametrize("target", [[1.2, 0.4], [-0.3, 0.4], [1.2, -0.3]])
def test_the_minimum_within_the_bounds_where_parameters_pull_at_each_other(
    target: list[float],
) -> None:
    """Not the free one, cut off: the others make good what a bound takes."""
    A = np.array([[1.0, 0.8], [0.0, 0.5], [0.3, 0.1]])
    problem = Squares(lambda x: (x - target) @ A.T)
    grid = np.array(np.meshgrid(*[np.linspace(0, 1, 401)] * 2)).reshape(2, -1).T
    best = grid[problem.cost(problem.made(grid)).argmin()]
    np.testing.assert_allclose(polish(problem, np.full(2, 0.5), 10), best, atol=4e-3)


def test_it_leaves_a_bound_on_which_it_begins() -> None:
    np.testing.assert_allclose(polish(bowl(), np.array([0.0, 1, 0, 1, 0]), 5), TARGET, atol=1e-6)


def test_weights_say_what_a_residual_counts_for() -> None:
    """Two wishes for one parameter: the weighted mean."""

    class Weighted(Squares):
        def weights(self, residuals: Floats) -> Floats:
            return np.array([3.0, 1.0])

        def cost(self, residuals: Floats) -> Floats:
            return (residuals**2 * [3.0, 1.0]).sum(axis=1)

    assert polish(Weighted(lambda x: x - [0.2, 0.6]), np.array([0.9]), 9) == pytest.approx(0.3)


def test_the_cost_decides_and_never_rises() -> None:
    """A cost that the residuals do not tell of: no step is taken that it does not like."""

    class Other(Squares):
        def cost(self, residuals: Floats) -> Floats:
            return -(residuals**2).sum(axis=1)

    problem = Other(bowl().made)
    start = CENTRE + 0.1
    assert cost(problem, polish(problem, start, 5)) <= cost(problem, start)


@pytest.mark.parametrize("jacobians", [0, 1, 2, 7])
def test_it_asks_for_no_more_than_it_says(jacobians: int) -> None:
    problem = valley()
    polish(problem, np.array([0.2, 0.9]), jacobians)
    sizes = [len(points) for points in problem.asked]
    assert sum(sizes) == (1 + jacobians * (2 + len(TRIALS)) if jacobians else 0)
    assert sizes[1:3] == ([2, len(TRIALS)] if jacobians else [])
    assert all(((x >= 0.0) & (x <= 1.0)).all() for x in problem.asked)


def test_nothing_to_follow_is_left_at_once() -> None:
    problem = Squares(lambda x: np.full((len(x), 3), 10.0))
    assert (polish(problem, CENTRE, 50) == CENTRE).all()
    assert len(problem.asked) == 2


def test_at_a_minimum_it_stops() -> None:
    problem = bowl()
    polish(problem, TARGET + 0.0, 50)
    assert len(problem.asked) < 8


def rough() -> Squares:
    """So bent that steps go too far: no step is better until they are damped much more."""
    return Squares(lambda x: np.arctan(200.0 * (x - [0.5, 0.8])))


@pytest.mark.parametrize(("made", "start"), [(valley, [0.2, 0.9]), (rough, [0.6, 0.9])])
def test_from_wherever_it_noted_it_goes_on_to_the_same_point(
    made: Callable[[], Squares], start: list[float]
) -> None:
    """And asks only once more for where it stood."""
    stages: list[DescentState] = []
    asked: list[int] = []
    whole, begin = made(), np.array(start)

    def note(stage: DescentState) -> None:
        stages.append(stage)
        asked.append(sum(map(len, whole.asked)))

    end = polish(whole, begin, 12, note=note)
    total = sum(map(len, whole.asked))
    assert len(stages) > 2
    for stage, before in zip(stages, asked, strict=True):
        rest = made()
        assert (polish(rest, begin, 12, stage=stage) == end).all()
        again = sum(map(len, rest.asked)) + before - total
        assert again <= stage.again


def test_it_notes_where_no_step_was_better() -> None:
    stages: list[DescentState] = []
    polish(rough(), np.array([0.6, 0.9]), 12, note=stages.append)
    assert {stage.stuck for stage in stages} == {True, False}


def test_the_result_does_not_hang_on_threads() -> None:
    """Large enough for BLAS to share it out, if it were asked."""
    program = (
        "import numpy as np; from pliant.identification.search.least_squares import polish\n"
        "class P:\n"
        "  M = np.random.default_rng(1).normal(size=(20000, 18))\n"
        "  cost = lambda s, r: np.abs(r).mean(1)\n"
        "  weights = lambda s, r: 1 / np.sqrt(0.01 + r * r)\n"
        "  def residuals(s, x): return np.array([np.tanh((s.M * (u - 0.3)).sum(1)) for u in x])\n"
        "print(polish(P(), np.full(18, 0.5), 3).tobytes().hex())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(said) == 1
