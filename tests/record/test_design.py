"""Designs: against all others, counted one by one."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from pliant.record.design import LOSS, SHARPNESS, Choice

PARAMETERS, RUNS, BUDGET = 4, 7, 24.0


def choice(seed: int) -> Choice:
    """Random information of random runs, for two guesses; the first three runs are the reference."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(2, RUNS, PARAMETERS, 2)) * rng.uniform(0.1, 3.0, (2, RUNS, 1, 1))
    seconds = rng.choice([6.0, 8.0, 12.0], RUNS)
    seconds[:3] = 8.0
    return Choice(
        factors @ factors.swapaxes(-1, -2),
        12.0 * np.eye(PARAMETERS),
        rng.uniform(0.01, 0.1, PARAMETERS),
        seconds,
        np.array([1, 1, 1, 0, 0, 0, 0]),
        seconds,
        BUDGET,
    )


def score(given: Choice, runs: tuple[int, ...]) -> float:
    """The score in the words of the module, one guess and one parameter after the other."""
    time = sum(given.seconds[k] for k in runs)
    soft, still_open, losses = [], [], [0.0]
    for rates in given.rates:
        plan = given.known + sum(given.seconds[k] * rates[k] for k in runs)
        usual = given.known + time * sum(rates[:3]) / 3.0
        v, u = (np.linalg.inv(m).diagonal() for m in (plan, usual))
        gains = [np.log(b / a) for a, b in zip(v, u, strict=True)]
        soft.append(-np.log(np.mean([np.exp(-SHARPNESS * g) for g in gains])) / SHARPNESS)
        ratios = zip(v, given.settled, strict=True)
        still_open.append(sum(max(0.0, np.log(a / b)) / 2 for a, b in ratios))
        losses += [-g for g in gains]
    return float(np.mean(soft) - np.mean(still_open) - LOSS * max(losses))


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_designs_is_found(seed: int) -> None:
    given = choice(seed)
    every = [
        runs
        for count in range(1, 5)
        for runs in combinations_with_replacement(range(RUNS), count)
        if 0.0 <= BUDGET - sum(given.seconds[k] for k in runs) < given.seconds.min()
    ]
    found = given.best()
    runs = tuple(np.repeat(np.arange(RUNS), found).tolist())
    assert score(given, runs) == pytest.approx(float(given.scores(found[None])[0]))
    assert score(given, runs) == pytest.approx(max(score(given, one) for one in every))
    assert sorted(given.order(found)) == sorted(runs)
