"""The paper's observer is finite differencing; the other differentiators differentiate."""

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.estimate.observer import delayed_uio, kalman_jerk, savitzky_golay

DT = 0.005


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=(200, 3))


def test_the_delayed_observer_is_four_sample_differencing(noise):
    q = noise
    found = delayed_uio(q, DT)
    expected = (
        q[:-3],
        (q[1:-2] - q[:-3]) / DT,
        (q[2:-1] - 2 * q[1:-2] + q[:-3]) / DT**2,
        (q[3:] - 3 * q[2:-1] + 3 * q[1:-2] - q[:-3]) / DT**3,
    )
    for one, other in zip(found, expected, strict=True):
        assert np.max(np.abs(one[3:] - other)) < 1e-12 * np.max(np.abs(other))
        assert np.isnan(one[:3]).all()


def test_the_observer_gives_the_jerk_of_a_cubic_exactly():
    t = np.arange(20) * DT
    assert delayed_uio(7.0 * t**3, DT).jerk[3:] == pytest.approx(42.0, rel=1e-9)


def test_white_noise_comes_out_of_the_observer_by_the_root_of_20_over_the_cube_of_dt():
    q = np.random.default_rng(1).normal(size=200_000)
    assert np.nanstd(delayed_uio(q[:4000], DT).jerk) == pytest.approx(20**0.5 / DT**3, rel=0.05)


def test_savitzky_golay_is_exact_on_polynomials_of_its_degree():
    t = np.arange(101) * DT
    p = np.polynomial.Polynomial([0.1, -1.0, 2.0, 3.0, -4.0, 5.0])
    found = savitzky_golay(p(t), DT, half_width=20, degree=5)
    for order, one in enumerate(found):
        expected = (p.deriv(order) if order else p)(t)
        assert one[20:-20] == pytest.approx(expected[20:-20], rel=1e-6, abs=1e-6)
        assert np.isnan(one[:20]).all()
        assert np.isnan(one[-20:]).all()


def test_the_kalman_smoother_finds_the_jerk_of_quantised_slow_motion_and_the_observer_does_not():
    t = np.arange(0, 20, DT)
    step = 2e-4
    q = np.round(0.5 * np.sin(t) / step) * step
    jerk = -0.5 * np.cos(t)
    inner = slice(400, -400)

    def rms(x):
        return float(np.sqrt(np.mean((x - jerk)[inner] ** 2)))

    smooth = kalman_jerk(q, DT, noise=step / 12**0.5, jerk_walk=1e-1, smooth=True)
    causal = kalman_jerk(q, DT, noise=step / 12**0.5, jerk_walk=1e-1)
    assert rms(smooth.jerk) < 0.05
    assert rms(smooth.jerk) < rms(causal.jerk) < 1.0
    assert rms(delayed_uio(q, DT).jerk) > 200.0


def test_the_kalman_model_is_that_of_integrated_white_noise():
    from scipy.integrate import quad

    from pliant.estimate.observer import _jerk_model

    _, Q = _jerk_model(0.3, 2.0)
    late = (lambda r: r**3 / 6, lambda r: r**2 / 2, lambda r: r, lambda r: 1.0)
    for i in range(4):
        for j in range(4):
            value = quad(lambda r, i=i, j=j: 2.0 * late[i](r) * late[j](r), 0.0, 0.3)[0]
            assert Q[i, j] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda q: delayed_uio(q, 0.0), "dt: not a time step; found 0; accepted: above 0 [s]"),
        (lambda q: delayed_uio(q[:3], DT), "q: too short; found 3; accepted: from 4 samples"),
        (
            lambda q: delayed_uio(np.full(5, np.nan), DT),
            "q: is not a number everywhere; accepted: finite positions [rad]",
        ),
        (lambda q: savitzky_golay(q, DT, degree=2), "not a degree; found 2; accepted: 3 to 100"),
    ],
)
def test_bad_input_is_refused_by_name(noise, call, text):
    with pytest.raises(PliantError) as error:
        call(noise)
    assert str(error.value).replace("0.0", "0") == text
