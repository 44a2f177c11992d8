"""Draws from the posterior: against a normal one that is known, and a servo's."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.identify.problem.space import Space
from pliant.identify.uncertainty.draws import Uncertainty, UncertaintySettings, uncertainty

COVARIANCE = np.array([[4e-4, 3e-4], [3e-4, 9e-4]])
CENTRE = np.array([0.4, 0.6])


@dataclass
class Normal:
    """A posterior that is normal in the cube: residuals are whitened distances from CENTRE."""

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


def test_a_seed_repeats_exactly_and_another_does_not() -> None:
    np.testing.assert_array_equal(drawn(2).samples, drawn(2).samples)
    assert (drawn(2).samples != drawn(3).samples).any()
