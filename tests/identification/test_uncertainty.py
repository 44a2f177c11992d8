"""Draws from the posterior: against a normal one that is known, and a servo's."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy

from pliant.arrays import Floats
from pliant.identification.problem.posterior import MEMORY, Posterior, expected
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.space import Space
from pliant.identification.search.least_squares import polish
from pliant.identification.uncertainty.draws import Uncertainty, UncertaintySettings, uncertainty

COVARIANCE = np.array([[4e-4, 3e-4], [3e-4, 9e-4]])
CENTRE = np.array([0.4, 0.6])


@dataclass
class Normal:
    """A posterior that is normal in the cube: residuals are whitened distances from CENTRE."""

    pull = None
    space: Space

    @property
    def misfit(self) -> Any:
        return SimpleNamespace(space=self.space)

    def __call__(self, points: Floats) -> Floats:
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        return (points - CENTRE) @ np.linalg.cholesky(np.linalg.inv(COVARIANCE))

    def cost(self, residuals: Floats) -> Floats:
        return 0.5 * (residuals**2).sum(axis=1)

    def weights(self, residuals: Floats) -> Floats:
        return np.ones_like(residuals)


def drawn(seed: int = 1) -> Uncertainty:
    space = Space(("a", "b"), -np.ones(2), np.ones(2), np.zeros(2))
    goal: Any = Normal(space)
    return uncertainty(goal, [CENTRE], UncertaintySettings(draws=2000, seed=seed))


def test_draws_of_a_normal_posterior_have_its_mean_and_covariance() -> None:
    found = drawn()
    cube = found.space.to_cube(found.samples)
    np.testing.assert_allclose(cube.mean(axis=0), CENTRE, atol=2e-3)
    np.testing.assert_allclose(np.cov(cube.T), COVARIANCE, rtol=0.1, atol=2e-5)
    low, high = found.space.to_cube(np.array([found.low, found.high]))
    np.testing.assert_allclose(high - low, 2 * 1.645 * np.sqrt(np.diag(COVARIANCE)), rtol=0.1)
    assert abs(found.correlation[0, 1] - 0.5) < 0.06


class Two(Normal):
    """Two such valleys along the first number, the second less likely by a factor of three."""

    def residuals(self, points: Floats) -> Floats:
        near = np.where(points[:, :1] < 0.65, 0.0, 0.5) * np.array([1.0, 0.0])
        third = np.where(points[:, :1] < 0.65, 0.0, np.sqrt(2.0 * np.log(3.0)))
        return np.concatenate([super().residuals(points - near), third], axis=1)


def test_each_end_has_as_many_draws_as_it_is_likely() -> None:
    goal: Any = Two(Space(("a", "b"), -np.ones(2), np.ones(2), np.zeros(2)))
    ends = [CENTRE, CENTRE + np.array([0.5, 0.0])]
    found = uncertainty(goal, ends, UncertaintySettings(draws=2000, seed=1))
    assert abs((goal.misfit.space.to_cube(found.samples)[:, 0] > 0.65).mean() - 0.25) < 0.01


def test_a_seed_repeats_exactly_and_another_does_not() -> None:
    np.testing.assert_array_equal(drawn(2).samples, drawn(2).samples)
    assert (drawn(2).samples != drawn(3).samples).any()


@dataclass
class Recorded:
    """Positions of one joint in one log, every STEP."""

    measured: Floats
    joint_count = 1

    @property
    def time(self) -> Floats:
        return STEP * np.arange(len(self.measured))

    @property
    def starts(self) -> Any:
        return np.array([0, len(self.measured)])

    def per_block(self, samples: Floats) -> list[Floats]:
        return [samples]


def made(model: Callable[[Floats], Floats], measured: Floats, space: Space) -> Posterior:
    """The posterior of a simulation that is a formula: values (C, D) to positions (C, M)."""
    simulation: Any = SimpleNamespace(
        names=list(space.names),
        values=lambda: space.start,
        batch=lambda values, _: (model(values), 0),
    )
    return Posterior(Residuals(simulation, Recorded(measured), space), expected(space))


STEP, SIZE = 0.01, 1500
TIME = STEP * np.arange(SIZE)


def noise(rng: np.random.Generator, memory: float) -> Floats:
    """(M,) [rad] First-order autoregression; of its samples those `memory` [s] apart are news."""
    kept = np.exp(-2.0 * STEP / memory)
    filtered: Any = scipy.signal.lfilter(
        [np.sqrt(1.0 - kept**2)], [1.0, -kept], rng.normal(size=SIZE)
    )
    return 0.01 * filtered


def test_intervals_hold_the_truth_under_noise_that_is_alike_for_a_while() -> None:
    """Four numbers of 10 recordings; were every sample news, intervals would be five times as narrow."""
    rng = np.random.default_rng(5)
    waves = np.sin(np.outer([0.3, 0.7, 1.1, 1.9], TIME))
    space = Space(tuple("abcd"), -np.ones(4), np.ones(4), np.zeros(4))
    inside: list[Any] = []
    for _ in range(10):
        truth = rng.uniform(-0.5, 0.5, 4)
        goal = made(lambda values: values @ waves, truth @ waves + noise(rng, MEMORY), space)
        end = polish(goal, np.full(4, 0.5), 20)
        found = uncertainty(goal, [end], UncertaintySettings(draws=100))
        inside.append((found.low <= truth) & (truth <= found.high))
    assert 0.8 <= np.mean(inside) <= 0.98


def test_a_curved_ridge_is_followed() -> None:
    """Only a b is seen. Against the exact density, on a grid."""
    space = Space(("a", "b"), np.full(2, 0.2), np.full(2, 1.2), np.array([0.5, 0.5]))
    wave = np.sin(TIME)
    measured = 0.25 * wave + noise(np.random.default_rng(3), MEMORY)
    goal = made(lambda values: values[:, :1] * values[:, 1:] * wave, measured, space)
    end = polish(goal, space.to_cube(space.start), 20)
    found = uncertainty(goal, [end], UncertaintySettings(draws=1000))
    # of normal noise, whose samples stand for STEP / MEMORY of news each
    a, b = np.meshgrid(axis := np.linspace(0.2, 1.2, 1001), axis, indexing="ij")
    best = wave @ measured / (wave @ wave)
    off = (best - a * b) ** 2 * (wave @ wave) * STEP / MEMORY
    known = ((a - 0.5) ** 2 + (b - 0.5) ** 2) * 12.0  # spread as evenly over a range of 1
    density = np.exp(-0.5 * (off / 0.01**2 + known)).sum(axis=1)
    exact = axis[np.searchsorted(np.cumsum(density) / density.sum(), [0.05, 0.95])]
    np.testing.assert_allclose([found.low[0], found.high[0]], exact, atol=0.06)
    product = found.samples.prod(axis=1)
    assert np.quantile(np.abs(product - best), 0.9) < 0.01
