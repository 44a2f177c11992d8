"""Everything that pulls at a joint counts in its friction budget."""

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant

LEG = (
    '<geom type="plane" size="1 1 .1"/><body pos="0 0 .3"><joint name="a" axis="0 1 0"/>'
    '<geom type="capsule" size=".02" fromto="0 0 0 .4 0 -.05" mass=".2"/>'
    '<geom size=".03" pos=".4 0 -.05" mass=".1"/></body>'
)


def at_rest(p) -> tuple[float, float]:
    """Budget M4 at standstill: a constant, and a part of the load."""
    return p("friction.K_c") + p("friction.K_cs"), p("friction.K_l") + p("friction.K_ls")


def test_a_leg_that_presses_on_the_floor_has_the_contact_in_its_budget():
    spec = spec_of(LEG)
    pliant.attach(spec, {"a": "mx106_bam_m4"})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.5  # down, into the floor
    mujoco.mj_step(model, data, nstep=3000)
    assert data.ncon == 1
    assert abs(data.qvel[0]) < 1e-4
    # At rest motor, load and friction are in balance: no need to know how the contact was computed.
    tau_m, tau_f = data.actuator_force[0], data.efc_force[0]
    constant, part = at_rest(pliant.load_actuator("mx106_bam_m4").value)
    expected = constant + part * abs(tau_m - (-tau_m - tau_f))
    assert data.efc_frictionloss[0] == pytest.approx(expected, rel=1e-3)
    gravity = -data.qfrc_bias[0]
    assert abs(gravity - (-tau_m - tau_f)) > 1.0  # without the contact it would be another number


@pytest.mark.parametrize("how", ["qfrc_applied", "xfrc_applied", "weight"])
def test_a_load_counts_alike_in_the_same_step_however_it_is_applied(how):
    torque = 1.3
    weight = (
        '<body><joint name="a" axis="0 1 0"/><geom size=".01" mass="1" pos="-.1325178 0 0"/></body>'
    )
    body = weight if how == "weight" else wheel()
    spec = spec_of(body, f'gravity="0 0 {-9.81 if how == "weight" else 0}"')
    pliant.attach(spec, {"a": "mx106_bam_m4"})
    model = spec.compile()
    data = mujoco.MjData(model)
    model.opt.disableactuator = 1
    if how == "qfrc_applied":
        data.qfrc_applied[0] = torque
    elif how == "xfrc_applied":
        data.xfrc_applied[1, 5] = torque
    else:
        torque = -1.0 * 9.81 * 0.1325178
    mujoco.mj_forward(model, data)
    constant, part = at_rest(pliant.load_actuator("mx106_bam_m4").value)
    assert data.efc_frictionloss[0] == pytest.approx(constant + part * abs(torque), rel=1e-6)


def test_a_joint_limit_is_a_load_too():
    spec = spec_of(wheel(joint='limited="true" range="-10 10"'), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": "mx106_bam_m4"})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    mujoco.mj_step(model, data, nstep=2000)
    tau_m, tau_f = data.actuator_force[0], data.efc_force[0]
    constant, part = at_rest(pliant.load_actuator("mx106_bam_m4").value)
    assert data.qpos[0] < np.radians(11)
    expected = constant + part * abs(2 * tau_m + tau_f)
    assert data.efc_frictionloss[0] == pytest.approx(expected, rel=1e-3)
    assert tau_m > 1.0
