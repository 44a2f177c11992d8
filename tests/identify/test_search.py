"""The search on functions whose minimum is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pliant.identify.search import Found, Progress, SearchSettings, search

Floats = NDArray[np.float64]
QUICK = SearchSettings(starts=2, generations=20, final_generations=30)
TARGET = np.array([0.2, 0.9, 0.5, 0.35, 0.7])
CENTRE = np.full(5, 0.5)


def bowl(points: Floats) -> Floats:
    """Squared distance, ten times as steep in each further direction."""
    return ((points - TARGET) ** 2 * 10.0 ** np.arange(5)).sum(axis=1)


def trap(points: Floats) -> Floats:
    """A wide hollow of depth 0.1 around the start, and a minimum of 0 elsewhere."""
    near = 0.1 + ((points - 0.25) ** 2).sum(axis=1)
    return np.minimum(near, 2.0 * ((points - 0.8) ** 2).sum(axis=1))


def same(a: Found, b: Found) -> bool:
    return bool((a.point == b.point).all()) and (a.cost, a.per_start) == (b.cost, b.per_start)


def test_it_finds_the_minimum() -> None:
    found = search(bowl, CENTRE, SearchSettings())
    np.testing.assert_allclose(found.point, TARGET, atol=1e-5)
    assert found.cost == bowl(found.point[None])[0]
    assert not found.interrupted


def test_it_finds_a_minimum_on_the_rim_of_the_cube() -> None:
    found = search(lambda x: ((x - [1.2, -0.3, 0.5]) ** 2).sum(axis=1), np.full(3, 0.5), QUICK)
    np.testing.assert_allclose(found.point, [1.0, 0.0, 0.5], atol=0.02)


def test_it_searches_one_parameter_alone() -> None:
    found = search(lambda x: (x[:, 0] - 0.3) ** 2, np.array([0.9]), QUICK)
    assert found.point == pytest.approx(0.3, abs=1e-4)


def test_several_starts_find_what_the_first_misses() -> None:
    start = np.full(4, 0.25)
    one = search(trap, start, replace(QUICK, starts=1))
    many = search(trap, start, replace(QUICK, starts=8))
    assert one.cost == pytest.approx(0.1, abs=1e-3)
    assert many.cost < 1e-3
    assert len(many.per_start) == 8
    assert many.per_start == sorted(many.per_start)
    assert many.per_start[-1] == pytest.approx(0.1, abs=0.01)


def test_every_point_asked_for_lies_in_the_cube_and_the_given_one_comes_first() -> None:
    asked: list[Floats] = []

    def cost(points: Floats) -> Floats:
        asked.append(points.copy())
        return bowl(points)

    search(cost, np.array([0.0, 1.0, 0.5, 0.0, 1.0]), QUICK)
    assert (asked[0] == [0.0, 1.0, 0.5, 0.0, 1.0]).all()
    assert all(((x >= 0.0) & (x <= 1.0)).all() for x in asked)


def test_the_given_point_is_kept_where_nothing_is_better() -> None:
    found = search(lambda x: np.abs(x - 0.5).max(axis=1), CENTRE, QUICK)
    assert (found.point == CENTRE).all()
    assert found.cost == 0.0


def test_a_seed_repeats_exactly_and_another_does_not() -> None:
    once, again, other = (search(bowl, CENTRE, replace(QUICK, seed=seed)) for seed in (7, 7, 8))
    assert same(once, again)
    assert not same(once, other)


def test_the_budget_is_kept() -> None:
    """One for the given point, then population times generations."""
    settings = SearchSettings(starts=3, generations=4, finalists=2, final_generations=5,
                              population=6)  # fmt: skip
    assert search(bowl, CENTRE, settings).evaluations == 1 + 6 * (3 * 4 + 2 * 5)
    assert len(search(bowl, CENTRE, settings).per_start) == 3


def test_candidates_that_are_all_lost_do_no_harm() -> None:
    found = search(lambda x: np.full(len(x), 10.0), CENTRE, QUICK)
    assert (found.point == CENTRE).all()


@pytest.mark.parametrize("calls", [2, 9, 30])
def test_an_interrupt_returns_the_best_so_far_and_says_so(calls: int) -> None:
    seen: list[tuple[float, Floats]] = []

    def cost(points: Floats) -> Floats:
        nonlocal calls
        if calls == 0:
            raise KeyboardInterrupt
        calls -= 1
        costs = bowl(points)
        seen.extend(zip(costs.tolist(), points.copy(), strict=True))
        return costs

    found = search(cost, CENTRE, QUICK)
    best, point = min(seen, key=lambda pair: pair[0])
    assert found.interrupted
    assert found.cost == best
    assert (found.point == point).all()
    assert found.evaluations == len(seen)


def test_an_interrupt_before_anything_was_found_goes_on_up() -> None:
    def cost(points: Floats) -> Floats:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(cost, CENTRE, QUICK)


def test_an_interrupt_while_all_is_lost_goes_on_up() -> None:
    calls = iter([True, True, False])

    def cost(points: Floats) -> Floats:
        if next(calls):
            return np.full(len(points), np.inf)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(cost, CENTRE, QUICK)


def test_progress_goes_forward_to_the_end() -> None:
    said: list[Progress] = []
    found = search(bowl, CENTRE, QUICK, said.append)
    done = [p.done for p in said]
    assert done == sorted(set(done))
    assert done[-1] == found.evaluations == said[-1].planned
    best = [p.best for p in said]
    assert best == sorted(best, reverse=True)
    assert best[-1] == found.cost
    assert all(p.seconds_left >= 0.0 for p in said)
    assert said[-1].seconds_left == 0.0
    assert {p.planned for p in said} == {said[0].planned}
