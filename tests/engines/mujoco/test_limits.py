"""MuJoCo's own switches and ranges mean for an attached actuator what they mean for others."""

import mujoco
import numpy as np
import pytest
from rigs import changed, played, spec_of, wheel, wheels

import pliant
from pliant.engines.mujoco.native import kernel

NAME = "xl330_bam_m4"
FRICTIONLESS = dict.fromkeys(
    ("friction__K_c", "friction__K_v", "friction__K_l", "friction__K_cs", "friction__K_ls"), 0.0
)


def limited(**ranges) -> mujoco.MjModel:
    spec = spec_of(wheel(), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": NAME})
    for key, value in ranges.items():
        setattr(spec.actuators[0], key, value)
    return spec.compile()


def test_with_its_group_disabled_a_servo_coasts_without_brake():
    """The bridge is released: no back-EMF torque, where the powered one brakes (duty 0)."""
    model = wheels({"a": changed("xl330_bam_m1", friction__K_c=0.0, friction__K_v=0.0)})
    data = mujoco.MjData(model)
    model.opt.disableactuator = 1
    data.qvel[:] = 5.0
    played(model, np.full((200, 1), 3.0), data)
    assert data.qvel[0] == pytest.approx(5.0, rel=1e-12)
    model.opt.disableactuator = 0
    played(model, np.full((200, 1), data.qpos[0]), data)
    assert abs(data.qvel[0]) < 4.0


def test_only_the_disabled_group_is_off():
    spec = spec_of(wheel("a") + wheel("b"), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": NAME, "b": NAME})
    spec.actuators[1].group = 3
    model = spec.compile()
    model.opt.disableactuator = 1 << 3
    moved = played(model, np.ones((100, 2)))[-1]
    assert moved[0] > 0.05
    assert moved[1] == 0.0


def test_a_servo_that_was_off_takes_up_its_goal_where_the_joint_is_then():
    """Its own clock and state go on while it is off, as in the joint engine."""
    model = wheels({"a": changed(NAME, control__speed_limit=1.0)})
    data = mujoco.MjData(model)
    model.opt.disableactuator = 1
    mujoco.mj_step(model, data, nstep=100)
    assert data.act[0] == pytest.approx(0.2)
    data.ctrl[:] = 0.5
    mujoco.mj_step(model, data, nstep=100)
    assert data.act[2] == pytest.approx(0.2)  # the reference of the speed limit


def test_with_all_actuation_disabled_the_friction_at_rest_remains():
    """MuJoCo then calls no actuator; the joint keeps K_c + K_cs, and nothing is integrated."""
    model = wheels({"a": NAME})
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    p = pliant.load_actuator(NAME).value
    data = mujoco.MjData(model)
    for part, moves in ((0.9, False), (1.1, True)):
        data.qfrc_applied[0] = part * (p("friction.K_c") + p("friction.K_cs"))
        played(model, np.ones((500, 1)), data)
        assert (abs(data.qpos[0]) > 0.01) == moves
    np.testing.assert_array_equal(data.act[[0, 2]], 0.0)


def test_the_bits_of_the_disable_flags_are_those_of_the_installed_mujoco():
    assert int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL) == kernel.CLAMPCTRL
    assert int(mujoco.mjtDisableBit.mjDSBL_ACTUATION) == kernel.ACTUATION


def test_a_control_that_is_no_number_counts_as_zero():
    model = wheels({"a": NAME})
    data, other = mujoco.MjData(model), mujoco.MjData(model)
    data.qpos[:] = other.qpos[:] = 0.4
    with_nan = played(model, np.full((100, 1), np.nan), data)
    np.testing.assert_array_equal(with_nan, played(model, np.zeros((100, 1)), other))
    assert with_nan[-1] < 0.3
    data.ctrl[:] = 0.4
    mujoco.mj_step(model, data, nstep=1000)
    assert data.qpos[0] == pytest.approx(0.4, abs=0.1)


def test_a_command_beyond_ctrlrange_is_its_end_unless_clamping_is_disabled():
    model = limited(ctrllimited=1, ctrlrange=[-0.2, 0.3])
    for asked, given in ((5.0, 0.3), (-5.0, -0.2), (0.1, 0.1)):
        np.testing.assert_array_equal(
            played(model, np.full((100, 1), asked)), played(limited(), np.full((100, 1), given))
        )
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    np.testing.assert_array_equal(
        played(model, np.full((100, 1), 5.0)), played(limited(), np.full((100, 1), 5.0))
    )


def test_the_budget_knows_the_torque_that_forcerange_lets_through():
    model = limited(forcelimited=1, forcerange=[-0.1, 0.1])
    data = mujoco.MjData(model)
    data.ctrl[:] = 2.0
    mujoco.mj_forward(model, data)
    p = pliant.load_actuator(NAME).value
    part = p("friction.K_l") + p("friction.K_ls")
    assert data.actuator_force[0] == 0.1
    expected = p("friction.K_c") + p("friction.K_cs") + part * 0.1
    assert data.efc_frictionloss[0] == pytest.approx(expected, rel=1e-12)


def test_a_model_without_friction_rows_still_moves():
    model = wheels({"a": NAME})
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    free = wheels({"a": changed(NAME, **FRICTIONLESS)})
    goals = np.full((100, 1), 0.5)
    np.testing.assert_allclose(played(model, goals), played(free, goals), atol=1e-9)
