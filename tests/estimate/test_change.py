"""A spring that changes: told, made up for, and not told where nothing changes."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.joint import Joint
from pliant.estimate.settings import EstimatorSettings
from pliant.io.encoder_log import EncoderLog

from .joints import DT, MGL, M, model, recording, rounded

STEP = 2.0 * np.pi / 4096
CHANGED = 25.0


def motor(t):
    return 0.6 * np.sin(1.3 * t) + 0.25 * np.sin(3.1 * t)


def swung(after, seconds=35.0):
    """q and theta of a pendulum on a spring of 25 N m/rad, and of `after` from `CHANGED` on."""

    def rate(t, x, k):
        return [x[1], -(MGL * np.sin(x[0]) + k * (x[0] - motor(t)) + 0.02 * x[1]) / M]

    time, x = np.arange(0.0, seconds, DT), [0.0, 0.0]
    parts = []
    for k, part in ((25.0, time[time < CHANGED]), (after, time[time >= CHANGED])):
        span = (part[0], part[-1] + DT)
        found = solve_ivp(rate, span, x, "DOP853", [*part, span[1]], args=(k,), rtol=1e-8)
        parts.append(found.y[0, :-1])
        x = found.y[:, -1]
    return EncoderLog(time=time, q=np.concatenate(parts), theta=motor(time))


def fitted(log, step, mode="torque", width=12):
    estimator = StiffnessEstimator(
        model(),
        [Joint(kind="sea")],
        DT,
        mode=mode,
        settings=EstimatorSettings(width=width),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StiffnessWarning)
        found = estimator.fit(rounded(log, step) if step else log)
    return estimator, found, " | ".join(str(one.message) for one in caught)


@pytest.mark.parametrize(("mode", "step"), [("torque", STEP), ("torque", 0.0), ("rotatum", 2e-4)])
def test_a_spring_that_softens_is_told_within_two_seconds_and_known_within_five(mode, step):
    estimator, found, said = fitted(swung(18.0), step, mode)
    (change,) = estimator.changes
    assert CHANGED < change.told < CHANGED + 2.0
    assert change.part == pytest.approx(-0.28, abs=0.05)
    assert "the spring has changed" in said
    late = round((CHANGED + 5.0) / DT)
    assert np.max(np.abs(found.sigma[late:, 0] / 18.0 - 1.0)) < 0.05


@pytest.mark.parametrize("mode", ["torque", "rotatum"])
def test_a_spring_that_stays_is_not_said_to_change(mode):
    estimator, _, said = fitted(swung(25.0), STEP, mode)
    assert estimator.changes == []
    assert said == ""


@pytest.mark.parametrize("kind", ["svsa", "avsa"])
def test_the_deviation_holds_a_basis_that_is_cut_short(kind):
    """Without noise the error is that of the basis alone."""
    one = recording(kind, seconds=60.0)
    found = StiffnessEstimator(model(), [one.joint], DT).fit(one.log)
    off = np.abs(found.sigma[4000:, 0] - one.sigma[4000:])
    assert np.mean(off < 2.0 * found.sigma_std[4000:, 0]) > 0.9
