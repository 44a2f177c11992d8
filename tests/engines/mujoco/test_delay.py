"""A command acts exactly its delay after it was given, and the first one from the start."""

import dataclasses
import math

import mujoco
import numpy as np
import pytest
from rigs import changed, delayed, played, wheels

import pliant
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.io.log import example_logs

STEP = 0.002


def acting(delay: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = wheels({"a": delayed("xl330_bam_m1", delay)})
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("steps", [0.3, 1.0, 1.5, 2.0, 3.7, 10.0, 49.9])
def test_a_step_command_arrives_after_the_delay_and_not_before(steps):
    model, data = acting(STEP * steps)
    mujoco.mj_step(model, data, nstep=60)  # at rest on the command 0
    data.ctrl[:] = 1.0
    waited = 0
    while data.actuator_force[0] == 0.0 and waited < 100:
        mujoco.mj_step(model, data)
        waited += 1
    # The step in which it was given is number 0; one that it arrives in, it acts in a part of.
    assert waited - 1 == math.floor(steps)


@pytest.mark.parametrize("steps", [0.5, 3.0, 20.0])
def test_the_first_command_acts_from_the_start_and_after_a_reset_again(steps):
    model, data = acting(STEP * steps)
    for time in (0.0, 3.0):
        data.time = time
        data.ctrl[:] = 1.0
        mujoco.mj_step(model, data)
        assert data.actuator_force[0] > 0.1
        data.ctrl[:] = -1.0
        mujoco.mj_step(model, data, nstep=5)
        mujoco.mj_resetData(model, data)


def test_after_a_reset_no_command_from_before_acts():
    model, data = acting(0.02)
    played(model, np.full((100, 1), -1.0), data)
    mujoco.mj_resetData(model, data)
    found = played(model, np.ones((100, 1)), data)
    np.testing.assert_array_equal(found, played(model, np.ones((100, 1))))
    assert (np.diff(found[:, 0]) >= 0).all()


def test_a_longer_delay_is_the_same_motion_later():
    """Torque off in the beginning would show: the wheel rests on the command 0 first."""
    goals = np.concatenate([np.zeros(50), np.ones(100), -np.ones(150)])[:, None]
    prompt = played(wheels({"a": "xl330_bam_m1"}), goals)
    late = played(acting(7 * STEP)[0], goals)
    np.testing.assert_array_equal(late[7:], prompt[:-7])


@pytest.mark.parametrize("delay", [0.0055, 0.03])
def test_the_joint_engine_delays_alike(delay):
    actuator = delayed("xl330_bam_m1", delay)
    time = STEP * np.arange(401)
    goal = np.sign(np.sin(40 * time)) + 0.5
    log = dataclasses.replace(
        pliant.read_logs(example_logs())[0],
        time=time,
        goal=goal,
        position=0.0 * time,
        enabled=time >= 0,
        gain=400.0,
        supply=7.4,
        voltage=None,
    )
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=STEP))
    expected = engine.rollout(log, engine.values({"plant.inertia": 0.01})).position
    found = played(wheels({"a": actuator}), goal[:-1, None])[:, 0]
    np.testing.assert_allclose(found, expected[1:], atol=1e-5)


def test_a_batch_delays_each_simulation_by_its_own_delay():
    batch = pytest.importorskip("mujoco.batch")
    model = wheels({"a": delayed("xl330_bam_m1", 10 * STEP)})
    many = batch.Batch(model, 3, nthread=2)
    column = list(delayed("xl330_bam_m1", 0.0).fields).index("timing.delay")
    delays = [0.0, 4 * STEP, 10 * STEP]
    many.expand("actuator_user")[:, 0, column] = delays
    goals = np.concatenate([np.zeros(20), np.ones(60)])[:, None]
    found = many.rollout(80, np.tile(goals, (3, 1, 1)), record=("qpos",))["qpos"]
    for k, delay in enumerate(delays):
        expected = played(acting(delay)[0], goals)
        np.testing.assert_array_equal(found[k], expected)


def test_a_command_beside_a_delay_of_zero_acts_at_once():
    model, data = acting(0.0)
    assert model.nhistory == 0
    data.ctrl[:] = 1.0
    mujoco.mj_step(model, data)
    assert data.actuator_force[0] > 0.1


def test_a_late_servo_with_a_slow_firmware_has_both():
    late = pliant.with_law(
        changed("xl330_bam_m1", control__speed_limit=1.0), "timing", "command_delay"
    ).with_values({"timing.delay": 5 * STEP}, "test", "assumed")
    model = wheels({"a": late})
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=10)
    data.ctrl[:] = 1.0
    mujoco.mj_step(model, data, nstep=15)
    assert data.act[2] == pytest.approx(10 * STEP * 1.0)
