"""Intervals that hold: against autocorrelated residuals, flat directions, bounds."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identify.problem.space import Space, search_space
from pliant.identify.uncertainty.bands import band
from pliant.identify.uncertainty.draws import (
    Uncertainty,
    UncertaintySettings,
    blocks_of,
    bounded_step,
    uncertainty,
)
from pliant.io.log import Log

LOGS, SAMPLES = 8, 300
TIME = np.tile(np.linspace(0.0, 6.0, SAMPLES), LOGS)
LOG_OF = np.repeat(np.arange(LOGS), SAMPLES)
QUICK = UncertaintySettings(draws=120)


def box(*names: str) -> Space:
    ones = np.ones(len(names))
    return Space(names, -ones, ones, 0.0 * ones)


def found(
    model: Callable[[Floats], Floats], measured: Floats, best: Floats, space: Space
) -> Uncertainty:
    """Uncertainty of a model, (C, D) values to (C, M) positions, around (D,) values."""
    return uncertainty(
        lambda points: model(space.from_cube(points)) - measured,
        space.to_cube(best),
        space,
        LOG_OF,
        TIME,
        settings=QUICK,
    )


@cache
def regressors() -> Floats:
    """(3, M) smooth, different in each log."""
    rng = np.random.default_rng(3)
    speeds, phases = rng.uniform(1.0, 6.0, (3, LOGS)), rng.uniform(0.0, 6.0, (3, LOGS))
    return np.sin(speeds[:, LOG_OF] * TIME + phases[:, LOG_OF])


def remembering_noise(rng: np.random.Generator) -> Floats:
    """(M,) AR(1) that forgets in 10 samples, 20 mrad."""
    news = 0.02 * np.sqrt(1.0 - 0.9**2) * rng.normal(size=(LOGS, SAMPLES))
    noise = np.zeros_like(news)
    noise[:, 0] = 0.02 * rng.normal(size=LOGS)
    for k in range(1, SAMPLES):
        noise[:, k] = 0.9 * noise[:, k - 1] + news[:, k]
    return noise.ravel()


def test_intervals_hold_where_residuals_remember_and_ordinary_ones_do_not() -> None:
    """A linear model of 3 parameters: nine in ten inside ours, less than half inside the others."""
    X, truth = regressors(), np.array([0.3, -0.2, 0.1])
    ours, ordinary = [], []
    for seed in range(24):
        measured = truth @ X + remembering_noise(np.random.default_rng(seed))
        best = np.linalg.lstsq(X.T, measured, rcond=None)[0]
        one = found(lambda values: values @ X, measured, best, box("a", "b", "c"))
        ours.append((one.low <= truth) & (truth <= one.high))
        variance = np.mean((best @ X - measured) ** 2)
        size = 1.645 * np.sqrt(variance * np.diag(np.linalg.inv(X @ X.T)))
        ordinary.append(np.abs(best - truth) <= size)
        assert (one.high - one.low < 20.0 * size).all()
    assert np.mean(ordinary) < 0.5
    assert 0.82 <= np.mean(ours) <= 0.99


def test_predictions_hold_where_the_model_is_wrong() -> None:
    """The third regressor acts, and the model does not know it."""
    X = regressors()
    rng = np.random.default_rng(5)
    measured = np.array([0.3, -0.2, 0.1]) @ X + 0.001 * rng.normal(size=X.shape[1])
    best = np.linalg.lstsq(X[:2].T, measured, rcond=None)[0]
    one = found(lambda values: values @ X[:2], measured, best, box("a", "b"))
    # other logs: each regressor from another one
    other = np.stack([np.roll(x, k * SAMPLES) for k, x in enumerate(X)])
    unseen = np.array([0.3, -0.2, 0.1]) @ other
    seen = band(one, lambda values: values @ other[:2])
    assert seen.share(unseen) >= 0.8
    assert (seen.high - seen.low).max() < 0.4
    assert np.mean(np.abs(one.best @ other[:2] - unseen) < 0.01) < 0.3


def product(values: Floats) -> Floats:
    """Only a b is seen, besides c; d does nothing."""
    X = regressors()
    return (values[:, :1] * values[:, 1:2]) * X[0] + values[:, 2:3] * X[1]


def test_a_product_is_followed_along_its_curve_and_told() -> None:
    space = Space(
        ("a", "b", "c"),
        np.array([0.2, 0.2, -1.0]),
        np.array([1.5, 1.5, 1.0]),
        np.array([0.6, 0.5, 0.1]),
    )
    measured = product(space.start[None])[0] + remembering_noise(np.random.default_rng(2))
    best = np.array([0.6, 0.5, 0.1])
    one = found(product, measured, best, space)
    assert one.interval("a")[0] < 0.25 and one.interval("a")[1] > 1.4
    assert one.interval("b")[0] < 0.25 and one.interval("b")[1] > 1.4
    assert np.ptp(one.interval("c")) < 0.1
    np.testing.assert_allclose(np.prod(one.samples[:, :2], axis=1), 0.3, atol=0.06)
    told = "these logs determine only a combination of a, b: where a rises, b falls"
    assert told in map(str, one.doubts)


def test_what_does_nothing_is_said_not_to_be_seen() -> None:
    X, space = regressors(), box("a", "idle")
    measured = 0.3 * X[0] + 0.01 * np.random.default_rng(1).normal(size=X.shape[1])
    one = found(lambda v: v[:, :1] * X[0] + 0.0 * v[:, 1:], measured, np.array([0.3, 0.2]), space)
    assert one.interval("idle") == (-1.0, 1.0)
    assert any(text.startswith("idle has no effect on these logs") for text in map(str, one.doubts))
    assert not any(text.startswith("a ") for text in map(str, one.doubts))


def test_the_same_seed_the_same_draws_and_none_beyond_a_bound() -> None:
    """The best point lies at a bound, and noise pulls it out."""
    X = regressors()
    space = Space(("a", "b"), np.array([0.0, -1.0]), np.array([0.5, 1.0]), np.zeros(2))
    measured = -0.2 * X[1] + remembering_noise(np.random.default_rng(4))
    first, second = (
        found(lambda values: values @ X[:2], measured, np.array([0.0, -0.2]), space)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.samples, second.samples)
    np.testing.assert_array_equal(first.draws(50, 7), second.draws(50, 7))
    assert not np.array_equal(first.draws(50, 7), first.draws(50, 8))
    assert first.draws(50, 7).shape == (50, 2)
    assert (space.low <= first.samples).all() and (first.samples <= space.high).all()
    assert first.low[0] == 0.0 < first.high[0]
    assert "a at its lower bound" in map(str, first.doubts)


def test_a_bounded_step_is_no_worse_than_any_other_within_the_box() -> None:
    rng = np.random.default_rng(6)
    roots = rng.normal(size=(20, 4, 4))
    A = roots @ roots.transpose(0, 2, 1) + 0.3 * np.eye(4)
    g, low, high = rng.normal(size=(20, 4)), -rng.uniform(size=(20, 4)), rng.uniform(size=(20, 4))
    d = bounded_step(A, g, low, high)
    assert (low <= d).all() and (d <= high).all()

    def cost(d: Floats) -> Floats:
        return 0.5 * np.einsum("ri,rij,rj->r", d, A, d) + np.sum(g * d, axis=1)

    others = rng.uniform(low, high, (2000, 20, 4))
    excess = cost(d) - np.min([cost(other) for other in others], axis=0)
    assert np.mean(excess <= 1e-9) >= 0.9


def test_blocks_are_parts_of_one_log() -> None:
    block = blocks_of(LOG_OF, TIME, 1.0, 1)
    assert block.max() + 1 == 6 * LOGS
    assert (np.diff(block) >= 0).all()
    assert all(len(np.unique(LOG_OF[block == b])) == 1 for b in range(6 * LOGS))
    assert blocks_of(LOG_OF, TIME, 1.0, 100).max() + 1 == 96
    assert blocks_of(LOG_OF, TIME, 1.0, 10**6).max() + 1 == 4 * 6 * LOGS


@pytest.mark.parametrize("fixed", ["own.armature"])
def test_a_servo_of_known_numbers(servo: Actuator, logs: list[Log], fixed: str) -> None:
    """The published numbers as the start of no search at all: predictions hold all the same."""
    engine = JointEngine(servo, settings=JointSettings(max_step=2.7e-3))
    batch = LogBatch(logs, engine)
    space = search_space(servo, fix=["plant.arm_mass", fixed])
    columns = [engine.names.index(name) for name in space.names]

    def simulate(values: Floats) -> Floats:
        candidates = np.repeat(engine.values()[None], len(values), axis=0)
        candidates[:, columns] = values
        return engine.batch(candidates, batch)[0]

    log_of = np.repeat(np.arange(batch.count), np.diff(batch.starts))
    one = uncertainty(
        lambda points: simulate(space.from_cube(points)) - batch.measured,
        space.to_cube(space.start),
        space,
        log_of,
        batch.time,
        settings=QUICK,
    )
    assert np.isfinite(one.samples).all()
    assert band(one, simulate).share(batch.measured) >= 0.8
