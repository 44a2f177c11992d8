"""Parts of the estimator's core by themselves, as plain Python, against closed forms."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pliant.estimate.core import learning, noise
from pliant.estimate.core import state as core


@pytest.mark.parametrize("turns", [0.02, 0.055])
def test_a_residual_is_compared_at_even_distances_from_one_kernel_to_two(turns: float) -> None:
    """Of a sine, the mean product of samples d apart is half the cosine of the angle between them."""
    kernel = 24
    s: Any = SimpleNamespace(
        residuals=np.full((1, 2 * kernel), np.nan),
        counts=np.zeros(core.COUNTS, np.int64),
        memory=np.zeros((1, 20)),
        lasting=np.zeros((1, core.LAGS)),
    )
    for k in range(20_000):
        noise.note_residual(s, 0, float(np.sin(2.0 * np.pi * turns * k)))
        s.counts[core.SEEN] += 1
        s.memory[0, core.COUNT] += 1.0
    apart = np.linspace(kernel, 2 * kernel, core.LAGS)
    np.testing.assert_allclose(s.lasting[0], 0.5 * np.cos(2.0 * np.pi * turns * apart), atol=0.02)


def test_chance_is_taken_off_what_lasts() -> None:
    """A correlation over N windows of white noise is out by one over the root of N standard deviations."""
    memory = np.zeros((1, 20))
    memory[0, core.VARIANCE], memory[0, core.COUNT] = 2.0, 4.0 * noise.FADE * 100.0
    s: Any = SimpleNamespace(memory=memory, lasting=np.array([[0.1, -0.9, 0.3, 0.2]]))
    o: Any = SimpleNamespace(window=16.0)
    assert noise.lasting(s, o, 0, 1.0) == pytest.approx(0.9 - 2.0 * np.sqrt(16.0 / 400.0))
    assert noise.lasting(s, o, 0, 3.0) == 0.0
    s.lasting[0, 2] = 9.0
    assert noise.lasting(s, o, 0, 1.0) == 2.0  # no more than there is


def test_friction_that_the_rounding_of_its_sign_leaves_out_is_a_part_of_it() -> None:
    s: Any = SimpleNamespace(terms=np.zeros((1, 2, 3)), parameters=np.array([[9.0, 9.0, 9.0, 0.4]]))
    row: Any = np.array([0.0, 0.0, 0.0, -0.25])
    without, with_friction = SimpleNamespace(friction=0), SimpleNamespace(friction=1)
    assert learning._rounded_friction(s, without, 0, row) == 0.0  # type: ignore[arg-type]
    assert learning._rounded_friction(s, with_friction, 0, row) == pytest.approx((0.4 * 0.75) ** 2)  # type: ignore[arg-type]
