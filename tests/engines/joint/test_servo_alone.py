"""Servos on a pendulum against slip and stick with exact events, which share no code with them."""

import numpy as np
import pytest

from .servo_alone import Servo, case, engine_positions

NAMES = ["erob80_50_bam_m3", "hls3606_m3", "mx64_bam_m2", "sts3032_6V_bam_m1", "xl330_bam_m6"]


@pytest.mark.parametrize("name", [*NAMES, "mx106_bam_m4", "ak80_6_dfki_m1", "sts3215_so101"])
def test_the_error_falls_with_the_step(name):
    actuator, mass, length, goals = case(name)
    expected = Servo(actuator, mass, length).solve(goals)
    found = [engine_positions(actuator, mass, length, goals, step) for step in (1e-3, 1e-4)]
    coarse, fine = (np.abs(one - expected).max() for one in found)
    assert np.ptp(expected) > 1.0
    assert fine < 0.001 * np.ptp(expected)
    assert 7.0 < coarse / fine < 13.0


def test_the_joint_also_sticks_in_these_runs():
    actuator, mass, length, goals = case("xl330_bam_m6")
    motion = Servo(actuator, mass, length).solve(goals)
    assert (np.diff(motion) == 0.0).sum() > 5


def test_a_joint_that_rests_leaves_when_the_goal_jumps_not_later():
    """The oracle's own instant: seen to 1e-5 s it was 1 mrad off, and no step of the engine came nearer."""
    actuator, mass, length, goals = case("xm430_w350_toddlerbot")
    motion = Servo(actuator, mass, length).solve(goals)
    found = engine_positions(actuator, mass, length, goals, 2e-5)
    assert np.abs(found - motion).max() < 3e-4
