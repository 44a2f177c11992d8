"""Encoders of link and motor that are read at different times: seen, and told which is older."""

import re
import warnings

import numpy as np
import pytest

from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.settings import EstimatorSettings

from .joints import DT, model, recording, rounded

MS = 1e-3
FRICTION = {"none": 0.0, "a little": 0.05, "much": 0.3}
"""Viscous [N m s/rad]; a delay of 1 ms behind a spring of 103 N m/rad looks like -0.103."""


def said(one, quantum=2e-4, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StiffnessWarning)
        StiffnessEstimator(model(), [one.joint], DT, settings=EstimatorSettings(**settings)).fit(
            one.log if quantum == 0.0 else rounded(one.log, quantum)
        )
    return " | ".join(str(warning.message) for warning in caught)


def viscous(much):
    return lambda t, v: much * v


FAST = ((0.5, 1.1, 0.0), (0.3, 2.3, 1.0), (0.15, 9.0, 0.3))
"""In slow motion near hanging down the rate of a linear spring's torque is all but the speed."""
CASES = {
    "sea": {"kind": "sea", "k": 20.0, "wave": FAST},
    "stiff sea": {"kind": "sea", "k": 103.0, "wave": FAST},
    "svsa": {"kind": "svsa"},
    "avsa": {"kind": "avsa"},
}


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("case", CASES)
def test_motors_that_are_newer_by_a_millisecond_are_told(case, friction):
    one = recording(**CASES[case], age=-MS, extra=viscous(FRICTION[friction]))
    found = re.fullmatch(
        r"joint: the motor's positions seem ([\d.]+) ms newer than the link's: synchronise the "
        r"encoders, or correct the model",
        said(one),
    )
    assert float(found[1]) == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("case", CASES)
def test_motors_that_are_older_by_a_millisecond_are_told(case, friction):
    """By negative friction; where there is more friction than that, a damping looks the same."""
    one = recording(**CASES[case], age=MS, extra=viscous(FRICTION[friction]))
    hidden = FRICTION[friction] > MS * np.mean(one.sigma)
    found = re.fullmatch(
        r"joint: the motor's positions seem ([\d.]+) ms older than the link's, or the spring is "
        r"damped by ([\d.e-]+) N m s/rad, or the model is wrong: the data cannot separate these"
        if hidden
        else r"joint: the friction estimate is negative, as if the motor's positions were ([\d.]+) ms older "
        r"than the link's, or more: synchronise the encoders, or correct the model",
        said(one),
    )
    taken = 0.0 if hidden else FRICTION[friction] / (MS * np.mean(one.sigma))
    assert 0.9 * (1.0 - taken) < float(found[1]) < 1.4
    if hidden:
        assert float(found[2]) == pytest.approx(MS * np.mean(one.sigma), rel=0.5)


@pytest.mark.parametrize("quantum", [0.0, 2e-4, 2.0 * np.pi / 4096])
@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("case", CASES)
def test_without_skew_there_is_no_alarm(case, friction, quantum):
    def resists(t, v):
        return FRICTION[friction] * (v + 0.2 * np.tanh(v / 0.02))

    one = recording(**CASES[case], extra=resists)
    text = said(one, quantum, width=12 if quantum > 1e-3 else 5)
    assert not re.search("newer|older", text)


@pytest.mark.parametrize("age", [-1e-4, 1e-4])
def test_a_tenth_of_a_millisecond_is_let_pass(age):
    assert said(recording("avsa", age=age)) == ""


def test_a_damped_spring_is_not_taken_for_a_skew_alone():
    one = recording("sea", k=20.0, wave=FAST, damping=0.03)
    found = re.search(r"older than the link's, or the spring is damped by (0\.\d+) N m", said(one))
    assert float(found[1]) == pytest.approx(0.03, rel=0.3)


def test_a_stiff_linear_spring_in_slow_motion_does_not_tell_and_is_not_said_to():
    one = recording("sea", k=103.0, age=-MS)
    assert said(one) == ""


def test_the_skew_is_found_with_memory_too():
    one = recording("avsa", seconds=60.0, age=-MS)
    assert "newer than the link's" in said(one, memory=25.0)
    assert said(recording("avsa", seconds=60.0), memory=25.0) == ""


@pytest.mark.parametrize(("age", "words"), [(-MS, "newer than"), (MS, "older than"), (0.0, "")])
def test_the_skew_is_found_where_no_friction_is_learned(age, words):
    text = said(recording("avsa", age=age), friction=False)
    assert words in text
    assert bool(text) == bool(words)
