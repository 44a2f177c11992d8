"""Learning laws on a linear plant, against its lifted form solved directly."""

import subprocess
import sys

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.learn import (
    LearningSettings,
    NormOptimal,
    Proportional,
    ProportionalDerivative,
    impulse_response,
    learn,
    learn_many,
    lifted,
)

T = 60


def plant(pole: float = 0.6, gain: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """A first-order lag x' = pole x + gain u, y = x': its impulse response and matrix."""
    h = gain * pole ** np.arange(T)
    G = np.array([[h[i - j] if i >= j else 0.0 for j in range(T)] for i in range(T)])
    return h, G


def trial(*matrices: np.ndarray):
    """(V, T, m) inputs through one matrix for each output, on top of a start that is not 0."""

    def run(u: np.ndarray) -> np.ndarray:
        return 0.1 + np.stack([u[:, :, k] @ G.T for k, G in enumerate(matrices)], axis=-1)

    return run


def reference(m: int = 1) -> np.ndarray:
    x = np.arange(1, T + 1) / T
    return np.repeat((x**3 * (10 - 15 * x + 6 * x**2))[:, None], m, axis=1)


def test_the_lifted_model_is_the_convolution_with_the_impulse_response():
    h, G = plant()
    np.testing.assert_array_equal(lifted(h[:, None])[0], G)


def test_the_impulse_response_is_found_from_a_step_on_the_plant_itself():
    (h, G), (h2, G2) = plant(), plant(0.3, -1.2)
    found = impulse_response(trial(G, G2), np.full((T, 2), 0.3))
    np.testing.assert_allclose(found[:-1], np.column_stack([h, h2])[:-1], atol=1e-12)


def test_the_error_of_p_learning_goes_by_the_lifted_plant():
    """e' = (I - gamma G) e, whatever the start: here as a power of one matrix."""
    _, G = plant()
    gamma = 0.8
    found = learn(
        trial(G), reference(), Proportional(gain=gamma), settings=LearningSettings(iterations=12)
    )
    e0 = reference()[:, 0] - 0.1 - G @ reference()[:, 0]
    expected = np.linalg.matrix_power(np.eye(T) - gamma * G, 11) @ e0
    np.testing.assert_allclose(found.iterations[-1].error[:, 0], expected, atol=1e-12)


def test_p_learning_ends_at_the_rate_that_its_first_sample_has():
    """The spectral radius of I - gamma G is |1 - gamma h_0|; the first sample has it at once."""
    _, G = plant(pole=0.6, gain=0.4)
    found = learn(
        trial(G), reference(), Proportional(gain=1.5), settings=LearningSettings(iterations=20)
    )
    first = [abs(one.error[0, 0]) for one in found.iterations]
    np.testing.assert_allclose(np.divide(first[1:], first[:-1]), 1.0 - 1.5 * 0.4, rtol=1e-6)


def test_the_gain_falls_from_trial_to_trial():
    """The published 0.5 exp(-n/10), n from 1."""
    e, u = np.ones((T, 1)), np.zeros((T, 1))
    update = Proportional(gain=0.5, decay=float(np.exp(-0.1)))
    for n in (1, 2, 7):
        np.testing.assert_allclose(update.next(n, u, e), 0.5 * np.exp(-n / 10.0))


def test_a_lead_takes_the_error_of_later_samples():
    e = np.arange(5.0)[:, None]
    found = Proportional(gain=1.0, lead=2).next(1, np.zeros((5, 1)), e)
    np.testing.assert_array_equal(found[:, 0], [2.0, 3.0, 4.0, 4.0, 4.0])


def test_pd_adds_the_rate_of_the_error():
    t = 0.01 * np.arange(200)
    e = np.sin(3.0 * t)[:, None]
    update = ProportionalDerivative(gain=0.5, rate_gain=0.2, period=0.01)
    found = update.next(1, np.zeros_like(e), e)[1:-1, 0]
    np.testing.assert_allclose(found, (0.5 * e[:, 0] + 0.6 * np.cos(3.0 * t))[1:-1], atol=2e-4)


def test_norm_optimal_is_the_minimum_of_its_cost():
    """The stacked least-squares problem, solved by QR without any normal equation."""
    _, G = plant()
    q, r, s = 2.0, 0.03, 0.2
    rng = np.random.default_rng(3)
    u, e = rng.normal(size=(T, 1)), rng.normal(size=(T, 1))
    found = NormOptimal(plant=G[None], error=q, input=r, change=s).next(1, u, e)
    rows = np.vstack([np.sqrt(q) * G, np.sqrt(r) * np.eye(T), np.sqrt(s) * np.eye(T)])
    wanted = np.vstack([np.sqrt(q) * (e + G @ u), np.zeros((T, 1)), np.sqrt(s) * u])
    best = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    np.testing.assert_allclose(found, best, atol=1e-11)


def test_norm_optimal_with_the_right_model_and_no_other_cost_is_done_in_one_trial():
    _, G = plant()
    found = learn(
        trial(G),
        reference(),
        NormOptimal(plant=G[None], change=1e-12),
        settings=LearningSettings(band=1e-8),
    )
    assert found.converged
    assert len(found.iterations) == 2


def test_learning_stops_within_its_band_and_not_before():
    _, G = plant()
    found = learn(
        trial(G), reference(), Proportional(gain=1.0), settings=LearningSettings(band=0.02)
    )
    largest = [float(one.largest[0]) for one in found.iterations]
    assert found.converged
    assert largest[-1] < 0.02 <= min(largest[:-1])


def test_a_learning_that_does_not_arrive_says_so():
    _, G = plant()
    found = learn(
        trial(G),
        reference(),
        Proportional(gain=0.01),
        settings=LearningSettings(iterations=3, band=1e-6),
    )
    assert not found.converged
    assert len(found.iterations) == 3


def test_variations_that_learn_together_learn_what_each_learns_alone():
    matrices = [plant(0.6, 0.4)[1], plant(0.9, 0.1)[1]]

    def both(u: np.ndarray) -> np.ndarray:
        return np.stack([one @ G.T for one, G in zip(u[:, :, 0], matrices, strict=True)])[..., None]

    stop = LearningSettings(iterations=40, band=0.02)
    update = Proportional(gain=1.0)
    together = learn_many(both, np.tile(reference(), (2, 1, 1)), update, settings=stop)
    for one, G in zip(together, matrices, strict=True):
        alone = learn(
            lambda u, G=G: (G @ u[0, :, 0])[None, :, None], reference(), update, settings=stop
        )
        assert len(one.iterations) == len(alone.iterations)
        np.testing.assert_allclose(one.input, alone.input, atol=1e-13)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda u: u[:, :-1], "one output for each input"),
        (lambda u: np.nan * u, "not finite"),
    ],
)
def test_a_trial_that_gives_nonsense_is_refused(run, text):
    with pytest.raises(PliantError, match=text):
        learn(run, reference(), Proportional(gain=0.5))


def test_weights_that_determine_nothing_are_refused():
    with pytest.raises(PliantError, match="at least one above 0"):
        NormOptimal(plant=np.zeros((1, T, T)))


def test_learning_by_itself_loads_no_engine():
    code = "import sys, pliant.learn; sys.exit('mujoco' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
