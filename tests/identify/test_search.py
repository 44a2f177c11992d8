"""The search on functions whose minimum is known."""

from dataclasses import replace

import numpy as np
import pytest
from landscapes import CENTRE, TARGET, Floats, Squares, bowl, same, trap

from pliant.identify.search.progress import Countdown, Progress
from pliant.identify.search.search import SearchSettings, distinct, search

QUICK = SearchSettings(
    starts=2, generations=20, polish=3, final_polish=5, rounds=2, final_generations=5
)
ALONE = replace(QUICK, generations=60, polish=0, final_polish=0)
"""The populations, without least squares."""


@pytest.mark.parametrize("settings", [SearchSettings(), QUICK])
def test_it_finds_the_minimum(settings: SearchSettings) -> None:
    found = search(bowl(), CENTRE, settings)
    np.testing.assert_allclose(found.point, TARGET, atol=1e-5)
    assert found.cost == bowl().cost(bowl().residuals(found.point[None]))[0]
    assert found.error == pytest.approx(10.0 * found.cost**0.5)
    assert not found.interrupted


def test_populations_find_it_without_least_squares() -> None:
    found = search(bowl(), CENTRE, replace(ALONE, generations=150))
    np.testing.assert_allclose(found.point, TARGET, atol=0.02)


@pytest.mark.parametrize("settings", [QUICK, ALONE])
def test_it_finds_a_minimum_on_the_rim_of_the_cube(settings: SearchSettings) -> None:
    found = search(Squares(lambda x: x - [1.2, -0.3, 0.5]), np.full(3, 0.5), settings)
    np.testing.assert_allclose(found.point, [1.0, 0.0, 0.5], atol=0.02)


def test_it_searches_one_parameter_alone() -> None:
    found = search(Squares(lambda x: x - 0.3), np.array([0.9]), QUICK)
    assert found.point == pytest.approx(0.3, abs=1e-4)


def test_several_starts_find_what_the_first_misses() -> None:
    start = np.full(4, 0.25)
    one = search(trap(), start, replace(QUICK, starts=1))
    many = search(trap(), start, replace(QUICK, starts=8))
    assert one.cost == pytest.approx(0.1, abs=1e-3)
    assert many.cost < 1e-3
    assert len(many.per_start) == 8
    assert many.per_start == sorted(many.per_start)
    assert many.per_start[-1] == pytest.approx(10.0 * 0.1**0.5, abs=0.01)


def test_every_point_asked_for_lies_in_the_cube_and_the_given_one_comes_first() -> None:
    problem = bowl()
    search(problem, np.array([0.0, 1.0, 0.5, 0.0, 1.0]), QUICK)
    assert (problem.asked[0] == [0.0, 1.0, 0.5, 0.0, 1.0]).all()
    assert all(((x >= 0.0) & (x <= 1.0)).all() for x in problem.asked)


def test_the_given_point_is_kept_where_nothing_is_better() -> None:
    found = search(Squares(lambda x: np.abs(x - 0.5)), CENTRE, QUICK)
    assert (found.point == CENTRE).all()
    assert found.cost == 0.0


def test_least_squares_begins_at_the_given_point_where_its_population_finds_no_better() -> None:
    """One that is good already, in a funnel outside of which all is flat."""
    target = np.linspace(0.15, 0.85, 18)
    given = target + 4e-3
    funnel = Squares(lambda x: np.tanh(50.0 * (x - target)))
    found = search(funnel, given, replace(QUICK, starts=1, generations=1, rounds=0))
    np.testing.assert_allclose(found.point, target, atol=1e-6)
    alone = search(funnel, given, replace(ALONE, starts=1, generations=1, rounds=0))
    assert (alone.point == given).all()
    assert alone.per_start == [alone.error]


def test_a_seed_repeats_exactly_and_another_does_not() -> None:
    once, again, other = (search(bowl(), CENTRE, replace(ALONE, seed=s)) for s in (7, 7, 8))
    assert same(once, again)
    assert not same(once, other)


def test_the_plan_is_the_most_that_is_done() -> None:
    """Populations to the last one; of least squares, what was not needed is taken out."""
    settings = SearchSettings(
        starts=3,
        generations=4,
        polish=2,
        finalists=2,
        final_polish=3,
        lines=1,
        rounds=2,
        final_generations=5,
        population=6,
    )
    said: list[Progress] = []
    search(bowl(), CENTRE, settings, said.append)
    jacobian, steps = 5, 5
    polished = 3 * (1 + 2 * (jacobian + steps)) + (2 + 2) * (1 + 3 * (jacobian + steps))
    assert said[0].planned == 1 + 6 * (3 * 4 + 2 * 5) + polished
    alone = search(bowl(), CENTRE, replace(settings, polish=0, final_polish=0))
    assert alone.evaluations == 1 + 6 * (3 * 4 + 2 * 5)
    assert len(alone.per_start) == 3


def test_each_line_has_rounds_of_its_own() -> None:
    """Two places that are equally good: a line stays at each, and both are among the ends."""

    def apart(x: Floats) -> Floats:
        near = np.minimum(abs(x[:, :1] - 0.25), abs(x[:, :1] - 0.75))
        return np.concatenate([near, x[:, 1:] - 0.5], axis=1)

    two = Squares(apart)
    settings = SearchSettings(starts=6, generations=4, polish=4, lines=2, rounds=3, population=6)
    found = search(two, CENTRE, settings)
    assert len(found.ends) == 6 + 2 * 3
    first, second = distinct(found.ends, 2)
    assert sorted([round(first.at[0], 2), round(second.at[0], 2)]) == [0.25, 0.75]


def test_lines_that_are_one_are_followed_once_and_not_planned_any_more() -> None:
    settings = SearchSettings(starts=4, generations=30, lines=4, rounds=2, population=12)
    four: list[Progress] = []
    one: list[Progress] = []
    found = search(bowl(), CENTRE, settings, four.append)
    search(bowl(), CENTRE, replace(settings, lines=1), one.append)
    assert len(found.ends) == 4 + 2
    assert (four[-1].done, four[-1].planned) == (one[-1].done, one[-1].planned)
    assert four[0].planned > one[0].planned


def test_candidates_that_are_all_lost_do_no_harm() -> None:
    found = search(Squares(lambda x: np.full((len(x), 3), 10.0)), CENTRE, QUICK)
    assert (found.point == CENTRE).all()


class Stopped(Squares):
    """Interrupted at the call after so many."""

    def __init__(self, problem: Squares, calls: int) -> None:
        super().__init__(problem.made)
        self.calls = calls

    def residuals(self, points: Floats) -> Floats:
        if len(self.asked) == self.calls:
            raise KeyboardInterrupt
        return super().residuals(points)


@pytest.mark.parametrize("calls", [2, 9, 24, 30, 52, 60])
def test_an_interrupt_returns_the_best_so_far_and_says_so(calls: int) -> None:
    problem = Stopped(trap(), calls)
    found = search(problem, CENTRE, QUICK)
    seen = np.concatenate(problem.asked)
    costs = problem.cost(problem.made(seen))
    assert found.interrupted
    assert found.cost == costs.min()
    assert (found.point == seen[costs.argmin()]).all()
    assert found.evaluations == len(seen)
    assert 1 <= len(found.per_start) <= 2


def test_an_interrupt_before_anything_was_found_goes_on_up() -> None:
    with pytest.raises(KeyboardInterrupt):
        search(Stopped(bowl(), 0), CENTRE, QUICK)


def test_an_interrupt_while_all_is_lost_goes_on_up() -> None:
    with pytest.raises(KeyboardInterrupt):
        search(Stopped(Squares(lambda x: np.full((len(x), 1), np.inf)), 2), CENTRE, QUICK)


def test_progress_goes_forward_to_the_end() -> None:
    said: list[Progress] = []
    found = search(bowl(), CENTRE, QUICK, said.append)
    done = [p.done for p in said]
    assert done == sorted(set(done))
    assert done[-1] == found.evaluations
    best = [p.best for p in said]
    assert best == sorted(best, reverse=True)
    assert best[-1] == found.error
    assert all(p.seconds_left >= 0.0 for p in said)
    planned = [p.planned for p in said]
    assert planned == sorted(planned, reverse=True)
    assert all(p.done <= p.planned for p in said)
    assert planned[-1] < planned[0]  # a bowl needs fewer Jacobians than it gets


def test_the_time_left_counts_each_kind_of_work_at_its_own_pace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said: list[Progress] = []
    countdown = Countdown({"quick": 100, "slow": 20}, said.append)
    now = 1.0
    countdown.count("quick", 10, 0.5)  # 0.1 s each; the slow ones are not known yet
    assert said[-1] == Progress(10, 120, 0.5, pytest.approx(9.0 + 2.0))
    now = 11.0
    countdown.count("slow", 5, 0.4)  # 2 s each
    assert said[-1] == Progress(15, 120, 0.4, pytest.approx(9.0 + 30.0))
    countdown.count("quick", 60, 0.4, timed=False)  # known already: takes no time, says nothing
    countdown.drop("slow", 10)
    now = 12.0
    countdown.count("quick", 10, 0.3)
    assert said[-1] == Progress(85, 110, 0.3, pytest.approx(2.0 + 10.0))
    assert len(said) == 3
