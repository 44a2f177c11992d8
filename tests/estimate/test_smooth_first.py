"""Mode "paper" with friction of the link, and with positions that are smoothed before the observer."""

import warnings

import numpy as np
import pytest

from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.settings import EstimatorSettings, Joint

from .joints import DT, model, recording, rounded

STEP = 2.0 * np.pi / 4096
SMOOTH = EstimatorSettings(width=12)
AS_PUBLISHED = EstimatorSettings(width=12, smooth_first=False)


def paper(one, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)
        return StiffnessEstimator(model(), [one.joint], DT, mode="paper", settings=settings)


def error(one, found):
    return np.abs(found.sigma[6000:, 0] / one.sigma[6000:] - 1.0)


@pytest.mark.filterwarnings("ignore::pliant.estimate.StiffnessWarning")
def test_viscous_friction_of_the_link_is_learned_beside_the_spring():
    one = recording("sea", 60.0, extra=lambda t, v: 0.02 * v)
    with_it, without = (
        error(
            one, paper(one, EstimatorSettings(friction=on, smooth_first=False)).fit(one.log)
        ).max()
        for on in (True, False)
    )
    assert with_it < 5e-3
    assert without > 2.0 * with_it


@pytest.mark.parametrize("kind", ["sea", "avsa"])
def test_with_12_bits_the_stiffness_is_known_to_a_few_percent_and_as_sure_as_said(kind):
    """Differenced as they are, the same positions give an error of hundreds of percent."""
    one = recording(kind, 60.0)
    log = rounded(one.log, STEP)
    found = paper(one, SMOOTH).fit(log)
    off = error(one, found)
    assert off.max() < 0.05
    inside = off * one.sigma[6000:] < 2.0 * found.sigma_std[6000:, 0]
    assert np.mean(inside) > 0.9
    assert not np.nanmax(error(one, paper(one, AS_PUBLISHED).fit(log))) < 1.0


@pytest.mark.parametrize("kind", ["sea", "avsa"])
def test_a_link_that_rings_on_its_spring_makes_the_stiffness_no_lower(kind):
    """A third difference of 40 rad/s at 5 ms is 0.5 % too low; the rate beside it must be so too."""
    one = recording(kind, 60.0, wave=((0.5, 1.1, 0.0), (0.2, 2.3, 1.0), (0.02, 40.0, 0.3)))
    found = paper(one, EstimatorSettings()).fit(one.log)
    assert np.median(error(one, found)) < 1e-3


def test_one_by_one_gives_what_the_recording_gives():
    one = recording("avsa", 15.0)
    log = rounded(one.log, STEP)
    whole, single = paper(one, SMOOTH), paper(one, SMOOTH)
    found = whole.fit(log)
    steps = [single.step(q, theta).sigma[0] for q, theta in zip(log.q, log.theta, strict=True)]
    np.testing.assert_allclose(steps, found.sigma[:, 0], rtol=1e-6)
    assert np.isfinite(found.sigma[-1, 0])


def test_the_rate_of_the_torque_is_as_old_as_the_lag_says():
    """Half of the four samples of the differences, and half the kernel: 4 boxes of 12 samples."""
    one = recording("sea", 60.0)
    estimator = paper(one, SMOOTH)
    found = estimator.fit(one.log).rotatum[:, 0]
    assert estimator.lag == pytest.approx((1.5 + 24) * DT)
    lag = int(estimator.lag / DT)
    off = found[4000:] - one.rotatum[4000 - lag : len(found) - lag]
    later = found[4000:] - one.rotatum[4000 - lag + 12 : len(found) - lag + 12]
    assert np.std(off) < 0.05 * np.std(one.rotatum)
    assert np.std(off) < 0.5 * np.std(later)


def test_nothing_is_warned_of_where_positions_are_smoothed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", StiffnessWarning)
        one = recording("sea", 1.0)
        StiffnessEstimator(model(), [one.joint], DT, mode="paper", settings=SMOOTH)


def test_the_motion_is_that_of_the_smoothed_positions_in_the_middle_of_four():
    """A cubic p smoothed by a symmetric kernel of variance s is p + s p''/2, exactly.

    The speed is lessened as the third difference is: by (omega T)^2 / 8.
    """
    boxes, width = 3, 4
    settings = EstimatorSettings(boxes=boxes, width=width)
    estimator = StiffnessEstimator(
        model(), [Joint(kind="sea")], DT, mode="paper", settings=settings
    )
    p = np.polynomial.Polynomial([0.3, -0.4, 0.7, 0.9])
    for k in range(40):
        estimator.step(np.array([p(DT * k)]), np.array([0.0]))
    box = np.r_[0.5, np.ones(width - 1), 0.5] / width
    s = boxes * float(box @ (np.arange(width + 1) - width / 2) ** 2) * DT**2
    t = DT * (39 - 1.5 - boxes * width / 2)
    smooth = p + s / 2 * p.deriv(2)
    jerk = smooth.deriv(3)(t)
    speed = smooth.deriv()(t) + DT**2 / 8 * jerk
    expected = [smooth(t), speed, smooth.deriv(2)(t), jerk]
    np.testing.assert_allclose(estimator._state.motion[:, 0], expected, rtol=1e-6)
    assert estimator.lag == pytest.approx(DT * 39 - t)
