"""Data that cannot be used are refused by name; data that speak against the result are told."""

import warnings

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.estimate.dynamics import Pendulum
from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.settings import EstimatorSettings, Joint
from pliant.io.encoder_file import EncoderLog

from .joints import DT, MGL, M, model, recording, rounded


@pytest.fixture
def antagonistic():
    return StiffnessEstimator(model(), [Joint(kind="avsa")], DT)


def text_of(call):
    with pytest.raises(PliantError) as error:
        call()
    return str(error.value)


def test_a_missing_motor_is_named(antagonistic):
    assert text_of(lambda: antagonistic.step(np.zeros(1), np.zeros(1))) == (
        "theta: motor channel missing: joint.theta_b; found 'shape (1,)'; "
        "accepted: (2,): joint.theta_a, joint.theta_b"
    )
    log = EncoderLog(time=np.arange(5) * DT, q=np.zeros((5, 1)), theta=np.zeros((5, 1)))
    assert "motor channel missing: joint.theta_b" in text_of(lambda: antagonistic.fit(log))


def test_a_value_that_is_no_number_is_named_and_changes_nothing(antagonistic):
    before = antagonistic.state_dict()
    assert text_of(lambda: antagonistic.step(np.zeros(1), np.array([0.0, np.nan]))) == (
        "joint.theta_b: is not a number; accepted: finite positions [rad]; if a sample is "
        "missing, skip the step and call interrupt()"
    )
    assert text_of(lambda: antagonistic.step(np.array([np.inf]), np.zeros(2))).startswith("joint.q")
    after = antagonistic.state_dict()
    assert all(np.array_equal(before[k], after[k], equal_nan=True) for k in ("raw", "counts"))


def test_time_that_jumps_is_refused_until_the_interruption_is_stated(antagonistic):
    antagonistic.step(np.zeros(1), np.zeros(2), t=0.0)
    assert text_of(lambda: antagonistic.step(np.zeros(1), np.zeros(2), t=0.02)) == (
        "t: time is not uniform; found '0.02 after 0.0'; "
        "accepted: steps of 0.005 s; after a gap call interrupt()"
    )
    antagonistic.step(np.zeros(1), np.zeros(2), t=0.005)
    antagonistic.interrupt()
    antagonistic.step(np.zeros(1), np.zeros(2), t=0.02)


def test_a_model_with_another_number_of_joints_is_refused():
    assert text_of(lambda: StiffnessEstimator(model(), [Joint(kind="sea")] * 2, DT)) == (
        "joints: the model has another number of joints; found '2 joints'; accepted: 1: joint"
    )


def test_recordings_are_checked():
    t, q = np.arange(6) * DT, np.zeros((6, 1))
    late = t.copy()
    late[3:] += DT
    assert text_of(lambda: EncoderLog(time=late, q=q, theta=q)) == (
        "time[3]: time is not uniform; found 'a step of 0.01 s where most are 0.005 s'; "
        "accepted: equal steps: resample, or cut the log at the gap"
    )
    bad = np.zeros((6, 2))
    bad[4, 1] = np.nan
    assert text_of(lambda: EncoderLog(time=t, q=q, theta=bad)) == (
        "theta[4, 1]: is not a number; found nan; accepted: finite values"
    )
    assert "q: wrong number of rows for these times" in text_of(
        lambda: EncoderLog(time=t, q=q[1:], theta=q)
    )


def test_a_recording_at_another_rate_is_refused(antagonistic):
    log = EncoderLog(time=np.arange(9) * 0.004, q=np.zeros((9, 1)), theta=np.zeros((9, 2)))
    text = text_of(lambda: antagonistic.fit(log))
    assert text.startswith("dt: the log has another time step; found 0.004")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Joint(kind="spring"), "no such kind of joint; found 'spring'"),
        (lambda: Joint(kind="sea", basis=(0, 1)), "basis: not a basis; found (0, 1)"),
        (lambda: Joint(kind="sea", phi_scale=0.0), "phi_scale: not a scale; found 0.0"),
        (lambda: EstimatorSettings(prior=0.0), "prior: out of range; found 0.0; accepted: above 0"),
        (lambda: EstimatorSettings(memory=-1.0), "memory: out of range; found -1.0"),
        (lambda: Pendulum(inertia=0.0), "inertia: not an inertia; found 0.0"),
        (
            lambda: StiffnessEstimator(model(), [Joint(kind="sea")], DT, mode="uio"),
            "mode: no such mode; found 'uio'",
        ),
        (
            lambda: StiffnessEstimator(model(), [Joint(kind="sea")], 0.0),
            "dt: not a time step; found 0.0",
        ),
    ],
)
def test_settings_out_of_range_are_refused(make, text):
    assert text_of(make).startswith(text)


def test_a_state_of_another_estimator_is_refused(antagonistic):
    other = StiffnessEstimator(model(), [Joint(kind="sea")], DT)
    text = text_of(lambda: antagonistic.load_state_dict(other.state_dict()))
    assert text.startswith("joints: the saved state belongs to another estimator")


def test_the_papers_mode_as_published_warns():
    settings = EstimatorSettings(smooth_first=False)
    with pytest.warns(StiffnessWarning, match="without smoothing differences .* biased beyond use"):
        StiffnessEstimator(model(), [Joint(kind="sea")], DT, mode="paper", settings=settings)


def warnings_of(one, log, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimating = StiffnessEstimator(
            model(), [one.joint], DT, settings=EstimatorSettings(**settings)
        )
        estimating.fit(log)
    return " | ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("kind", ["sea", "svsa", "avsa"])
def test_good_data_give_no_warning(kind):
    one = recording(kind)
    assert warnings_of(one, rounded(one.log, 2e-4)) == ""


@pytest.mark.parametrize("kind", ["sea", "svsa", "avsa"])
def test_link_and_motor_exchanged_are_suspected(kind):
    one = recording(kind)
    q, theta = one.log.q, one.log.theta
    swapped = EncoderLog(time=one.log.time, q=theta[:, :1], theta=np.hstack([q, theta[:, 1:]]))
    assert "link and motor channels are swapped" in warnings_of(one, rounded(swapped, 2e-4))


def aged_motors(one, age):
    t = one.log.time
    theta = np.stack([np.interp(t - age, t, c) for c in one.log.theta.T], -1)
    return rounded(EncoderLog(time=t, q=one.log.q, theta=theta), 2e-4)


def test_motors_sampled_a_millisecond_early_are_suspected_by_negative_friction():
    one = recording("sea", k=103.0)
    text = warnings_of(one, aged_motors(one, 1e-3))
    assert "as if the motor's positions were 1 ms older than the link's" in text


def test_skew_of_encoders_is_absorbed_by_the_friction_columns():
    one = recording("sea", k=103.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)
        for age in (1e-3, -1e-3):
            found = StiffnessEstimator(model(), [one.joint], DT).fit(aged_motors(one, age))
            assert found.sigma[-1, 0] == pytest.approx(103.0, rel=0.01)


def test_a_torque_that_no_spring_explains_is_told():
    one = recording("sea", extra=lambda t, v: 0.1 * np.sin(17.0 * t))
    assert "no spring of this form explains" in warnings_of(one, rounded(one.log, 2e-4))


def test_a_model_that_is_too_heavy_scales_the_stiffness_and_nothing_in_the_data_says_so():
    one = recording("avsa")
    heavy = Pendulum(inertia=1.2 * M, gravity_torque=1.2 * MGL)
    found = StiffnessEstimator(heavy, [one.joint], DT).fit(rounded(one.log, 2e-4))
    ratio = found.sigma[-2000:, 0] / one.sigma[-2000:]
    assert np.median(ratio) == pytest.approx(1.2, rel=0.01)
    assert np.median(found.sigma_std[-2000:, 0] / one.sigma[-2000:]) < 0.01  # covers noise only


@pytest.mark.parametrize(("factor", "told"), [(1.0, False), (57.3, True), (-1.0, True)])
def test_motor_speeds_in_another_unit_or_sign_are_told(factor, told):
    one = recording("sea", seconds=4.0)
    speed = np.gradient(one.log.theta[:, 0], DT)
    estimating = StiffnessEstimator(model(), [one.joint], DT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for q, theta, v in zip(one.log.q, one.log.theta, speed, strict=True):
            estimating.step(q, theta, np.array([factor * v]))
    text = " ".join(str(w.message) for w in caught)
    assert ("joint.theta: the reported speed is not the rate" in text) is told
