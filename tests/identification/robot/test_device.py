"""Units of one device: the oracle is a population drawn with a known mean and width."""

import numpy as np
import pytest

from pliant.identification.robot.device import pooled


def test_units_that_are_known_exactly_have_their_mean_and_spread() -> None:
    points = np.array([[0.3, 0.5], [0.5, 0.5], [0.7, 0.56]])
    sure = np.tile(1e8 * np.eye(2), (3, 1, 1))
    mean, width, units = pooled(points, sure)
    np.testing.assert_allclose(mean, points.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(width, points.std(axis=0), rtol=1e-3)
    np.testing.assert_allclose(units, points, atol=1e-6)


def test_mean_and_width_of_a_population_come_back_from_noisy_units() -> None:
    random = np.random.default_rng(1)
    true = 0.5 + 0.08 * random.standard_normal((400, 1))
    noise = np.where(np.arange(400) % 2 == 0, 0.02, 0.2)[:, None]
    found = true + noise * random.standard_normal((400, 1))
    mean, width, units = pooled(found, 1.0 / noise[:, :, None] ** 2)
    assert mean[0] == pytest.approx(0.5, abs=0.012)
    assert width[0] == pytest.approx(0.08, rel=0.15)
    rough = noise[:, 0] > 0.1
    before, after = (np.abs(x - true)[rough].mean() for x in (found, units))
    assert after < 0.5 * before


def test_a_unit_that_tells_nothing_is_the_device() -> None:
    points = np.array([[0.4], [0.5], [0.6], [0.95]])
    information = np.array([1e6, 1e6, 1e6, 0.0])[:, None, None]
    mean, _, units = pooled(points, information)
    assert units[3] == pytest.approx(mean, abs=1e-6)
    assert mean[0] == pytest.approx(0.5, abs=1e-3)
