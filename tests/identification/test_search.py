"""The search on functions whose minimum is known."""

from dataclasses import replace

import numpy as np
import pytest
from landscapes import CENTRE, DEEPEST, SHARP, TARGET, Floats, Squares, bowl, same, trap, waves

from pliant.errors import PliantError
from pliant.identification.search.search import (
    Countdown,
    Progress,
    SearchSettings,
    search,
)

QUICK = SearchSettings(starts=2, jacobians=8)


@pytest.mark.parametrize("settings", [SearchSettings(), QUICK])
def test_it_finds_the_minimum(settings: SearchSettings) -> None:
    found = search(bowl(), CENTRE, settings)
    np.testing.assert_allclose(found.point, TARGET, atol=1e-5)
    assert found.cost == bowl().cost(bowl().residuals(found.point[None]))[0]
    assert found.error == pytest.approx(10.0 * (found.cost / SHARP) ** 0.5)
    assert not found.interrupted


def test_it_finds_a_minimum_on_the_rim_of_the_cube() -> None:
    found = search(Squares(lambda x: x - [1.2, -0.3, 0.5]), np.full(3, 0.5), QUICK)
    np.testing.assert_allclose(found.point, [1.0, 0.0, 0.5], atol=1e-4)


def test_it_searches_one_parameter_alone() -> None:
    found = search(Squares(lambda x: x - 0.3), np.array([0.9]), QUICK)
    assert found.point == pytest.approx(0.3, abs=1e-4)


def test_several_starts_find_what_the_first_misses() -> None:
    start = np.full(3, 0.4)
    one = search(trap(), start, replace(QUICK, starts=1))
    many = search(trap(), start, replace(QUICK, starts=20))
    assert one.cost == pytest.approx(0.1 * SHARP, rel=1e-3)
    assert many.cost < 1e-3 * SHARP
    assert len(many.per_start) == 20
    assert many.per_start == sorted(many.per_start)
    assert many.per_start[-1] == pytest.approx(10.0 * 0.1**0.5, abs=0.01)


def test_pieces_lead_into_the_basin_that_the_whole_hides() -> None:
    """Without ripples all of them see where the deepest of sixteen basins is."""
    smooth = Squares(lambda x: x - DEEPEST)
    settings = SearchSettings(starts=5, jacobians=20)
    plain = search(waves(), CENTRE[:2], settings)
    eased = search(waves(), CENTRE[:2], settings, eased=[smooth])
    at_it = [np.abs(end.at - DEEPEST).max() < 1e-3 for end in eased.ends]
    assert sum(at_it) == 4  # all but the first, which begins at the numbers given
    assert sum(np.abs(end.at - DEEPEST).max() < 1e-3 for end in plain.ends) < 2
    assert eased.cost < 1e-6 and eased.evaluations > plain.evaluations - 5 * 40


def test_every_point_asked_for_lies_in_the_cube_and_the_given_one_comes_first() -> None:
    problem = bowl()
    search(problem, np.array([0.0, 1.0, 0.5, 0.0, 1.0]), QUICK)
    assert (problem.asked[0] == [0.0, 1.0, 0.5, 0.0, 1.0]).all()
    assert all(((x >= 0.0) & (x <= 1.0)).all() for x in problem.asked)


def test_the_given_point_is_kept_where_nothing_is_better() -> None:
    found = search(Squares(lambda x: np.abs(x - 0.5)), CENTRE, QUICK)
    assert (found.point == CENTRE).all()
    assert found.cost == 0.0


def test_the_best_of_many_basins_is_found_and_the_next_ones_stand_beside_it() -> None:
    """By a grid: the places of the basins, and their order."""
    side = np.linspace(0.0, 1.0, 801)
    grid = np.array(np.meshgrid(side, side)).reshape(2, -1).T
    costs = waves().cost(waves().made(grid)).reshape(801, 801)
    inner = costs[1:-1, 1:-1]
    around = [costs[1 + j : 800 + j, 1 + k : 800 + k] for j in (-1, 0, 1) for k in (-1, 0, 1)]
    low = np.argwhere(inner <= np.min(around, axis=0)) + 1
    basins = sorted((costs[j, k], side[k], side[j]) for j, k in low)
    found = search(waves(), CENTRE[:2], SearchSettings(starts=60, jacobians=20))
    np.testing.assert_allclose(found.point, basins[0][1:], atol=2e-3)
    assert len(basins) > 8 and basins[1][0] > 1000.0
    ends = found.ends[:5]
    assert [end.cost for end in ends] == sorted(end.cost for end in ends)
    for end in ends:
        assert min(np.hypot(x - end.at[0], y - end.at[1]) for _, x, y in basins) < 3e-3


def test_a_seed_repeats_exactly_and_another_does_not() -> None:
    once, again, other = (search(waves(), CENTRE[:2], replace(QUICK, seed=s)) for s in (7, 7, 8))
    assert same(once, again)
    assert not same(once, other)


def test_the_plan_is_the_most_that_is_done() -> None:
    """A Jacobian of 5 numbers takes 5 candidates, its steps 4; what a descent needs not is taken out."""
    said: list[Progress] = []
    found = search(bowl(), CENTRE, SearchSettings(starts=3, jacobians=4), said.append)
    assert said[0].planned == 3 * (1 + 4 * (5 + 4))
    assert found.evaluations == said[-1].done < said[0].planned


def test_every_start_in_one_basin_ends_at_one_point() -> None:
    found = search(bowl(), CENTRE, SearchSettings(starts=6, jacobians=10))
    assert len(found.ends) == len(found.per_start) == 6
    assert all(np.abs(end.at - found.point).max() < 0.02 for end in found.ends)


@pytest.mark.parametrize("name", ["starts", "jacobians"])
def test_a_search_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(PliantError, match=f"{name}: out of range; found 0; accepted: 1 or more"):
        SearchSettings(**{name: 0})


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


@pytest.mark.parametrize("calls", [2, 3, 5, 7, 9])
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
    class Lost(Stopped):
        def cost(self, residuals: Floats) -> Floats:
            return np.full(len(residuals), np.inf)

    with pytest.raises(KeyboardInterrupt):
        search(Lost(bowl(), 2), CENTRE, QUICK)


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


def test_the_time_left_is_that_of_the_candidates_that_were_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said: list[Progress] = []
    countdown = Countdown(120, said.append)
    now = 1.0
    countdown.count(10, 0.5)  # 0.1 s each
    assert said[-1] == Progress(10, 120, 0.5, pytest.approx(11.0))
    countdown.count(60, 0.4, timed=False)  # known already: takes no time, says nothing
    countdown.drop(10)
    now = 4.0
    countdown.count(10, 0.3)  # 0.2 s each, with those before
    assert said[-1] == Progress(80, 110, 0.3, pytest.approx(6.0))
    assert len(said) == 2
