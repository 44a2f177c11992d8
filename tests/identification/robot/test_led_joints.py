"""Joints one by one in the joint engine: the oracle is MuJoCo, which leads the others."""

import dataclasses

import numpy as np
import pytest

from pliant.engines.mujoco.batch.candidates import ManyRobots, ManySettings
from pliant.engines.spec.placing import Wishes
from pliant.identification.robot.space import RobotCandidate
from pliant.io.robot_log import Recordings
from pliant.robots.led_joints import LedJoints

SERVO = '<actuator><position name="R2" joint="R2" ctrlrange="-0.5 0.5"/></actuator><worldbody>'


@pytest.mark.parametrize(
    ("wishes", "mean", "most"),
    [
        (Wishes(), 1.5e-3, 9e-3),
        (Wishes(transmission={"R1": 0.8}, limits="model", replace=True), 2.5e-3, 12e-3),
    ],
    ids=["as it is", "geared, with limits of R2's command"],
)
def test_joints_one_by_one_move_as_in_mujoco_where_the_others_are_led(
    arm, servos, swings, tmp_path, wishes, mean, most
) -> None:
    if wishes.limits:
        text = arm.read_text().replace("<worldbody>", SERVO)
        arm = tmp_path / arm.name
        arm.write_text(text)
    # The joint engine's step: half a step is 2 mrad at 4 rad/s.
    settings = ManySettings(timestep=2e-3, wishes=wishes)
    together = ManyRobots(arm, servos, settings=settings)
    asked = Recordings([swings(seconds=2.0)], ["R1", "R2"])
    positions, _ = together.batch(together.values()[None], asked)
    recorded = np.column_stack(asked.per_block(positions[0]))
    log = dataclasses.replace(asked.logs[0], position=recorded)
    logs = Recordings([log], ["R1", "R2"])
    led = LedJoints(arm, RobotCandidate(servos), settings)
    alone, _ = led.batch(led.values()[None], logs)
    assert led.names == together.names
    assert np.ptp(recorded[:, 0]) > 0.3
    apart = np.abs(alone[0] - logs.measured)
    # Not exact: the recording is smoothed over 6 ms before it is differentiated, so that the load
    # is late by a part of that where the neighbour turns; 1.2 and 7.2, 1.9 and 9.9 mrad came out.
    assert apart.mean() < mean
    assert apart.max() < most


def test_a_joint_is_simulated_once_for_all_candidates_that_do_not_differ_in_it(
    arm, servos, swings
) -> None:
    logs = Recordings([swings()], ["R1", "R2"])
    led = LedJoints(arm, RobotCandidate(servos), ManySettings())
    values = np.repeat(led.values()[None], 3, axis=0)
    values[1, led.names.index("R1.motor.R")] *= 1.2
    values[2, led.names.index("R2.motor.R")] *= 1.2
    out, steps = led.batch(values, logs)
    each = [led.batch(row[None], logs) for row in values]
    np.testing.assert_array_equal(out, np.concatenate([positions for positions, _ in each]))
    assert steps == pytest.approx(sum(n for _, n in each) * 4 / 6)


def test_a_command_offset_is_an_offset_of_the_command(arm, servos, swings) -> None:
    log = swings()
    later = dataclasses.replace(log, goal=log.goal + np.array([0.02, -0.01]))
    for make in (
        lambda: ManyRobots(arm, servos),
        lambda: LedJoints(arm, RobotCandidate(servos), ManySettings()),
    ):
        one = make()
        values = one.values()
        values[one.names.index("R1.command_offset")] = 0.02
        values[one.names.index("R2.command_offset")] = -0.01
        shifted, _ = one.batch(values[None], Recordings([log], ["R1", "R2"]))
        plain, _ = one.batch(one.values()[None], Recordings([later], ["R1", "R2"]))
        np.testing.assert_allclose(shifted, plain, atol=1e-9)
