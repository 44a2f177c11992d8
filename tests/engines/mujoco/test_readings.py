"""Readings of an attached actuator are what MuJoCo applied, of one simulation and of many."""

from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.batch.pools import has_batch

SERVO, SPRING = "xl330_bam_m1", "sea_walkman_200"
ARM = """
<mujoco>
  <option timestep="0.001" integrator="implicitfast"/>
  <worldbody>
    <body><joint name="shoulder" axis="0 1 0"/><geom size=".02 .2" type="capsule" mass=".2"/>
      <body pos="0 0 .3"><joint name="elbow" axis="0 1 0"/>
        <geom size=".02" pos="0.05 0 0" mass=".02"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def made() -> tuple[mujoco.MjModel, Any]:
    spec = mujoco.MjSpec.from_string(ARM)
    attachment = pliant.attach(
        spec, {"shoulder": SPRING, "elbow": SERVO}, transmission={"elbow": -0.5}
    )
    return spec.compile(), attachment


def test_torque_is_the_generalised_force_that_mujoco_applied() -> None:
    model, attachment = made()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.4, -0.7
    for _ in range(50):
        mujoco.mj_step(model, data)
    for joint in ("shoulder", "elbow"):
        applied = data.qfrc_actuator[model.joint(joint).dofadr[0]]
        assert attachment[joint].torque(data) == pytest.approx(applied, rel=1e-12)
        assert applied != 0.0


def test_a_servo_at_rest_sticks_within_its_dry_friction_and_a_moving_one_does_not() -> None:
    model, attachment = made()
    data = mujoco.MjData(model)
    elbow, dof = attachment["elbow"], model.joint("elbow").dofadr[0]
    numbers = pliant.load_actuator(SERVO)
    dry, viscous = numbers.value("friction.K_c"), numbers.value("friction.K_v")
    data.ctrl[1] = -1.0
    for _ in range(40):
        before = data.qvel[dof]
        mujoco.mj_step(model, data)
    # M1 is Coulomb and viscous friction; the gear of -2 is in front of both.
    assert abs(before) > 0.1
    assert not elbow.sticking(data)
    assert elbow.budget(data) == pytest.approx(2.0 * (dry + viscous * 2.0 * abs(before)), rel=1e-9)
    data.ctrl[:] = 0.0
    mujoco.mj_step(model, data, nstep=4000)
    assert elbow.sticking(data)
    assert elbow.budget(data) == pytest.approx(2.0 * dry, rel=1e-3)


def test_a_spring_has_no_budget_and_tells_where_its_motor_is() -> None:
    model, attachment = made()
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.3
    mujoco.mj_step(model, data, nstep=3000)
    shoulder = attachment["shoulder"]
    state = shoulder.state(data)
    assert shoulder.budget(data) == 0.0
    assert not shoulder.sticking(data)
    assert state["age"] == pytest.approx(3.0)
    assert state["rotor.theta"] == pytest.approx(0.3, abs=0.02)
    # Springs pull by their deflection: 200 N m/rad.
    deflection = data.qpos[0] - state["rotor.theta"]
    assert shoulder.torque(data) == pytest.approx(-200.0 * deflection, rel=0.05)


@pytest.mark.skipif(not has_batch(), reason="Batch is of MuJoCo 3.17 and later")
@pytest.mark.parametrize("persistent", [True, False])
def test_a_batch_reads_as_its_simulations_one_by_one(persistent: bool) -> None:
    from mujoco.batch import Batch

    model, attachment = made()
    goals = np.array([[0.1, 0.2], [0.3, -0.5], [-0.2, 1.0]])
    batch: Any = Batch(model, 3, persistent=persistent)
    batch.ctrl[:] = goals
    batch.step(nstep=60)
    for joint in ("shoulder", "elbow"):
        entry = attachment[joint]
        seen = {"torque": entry.torque(batch), "budget": entry.budget(batch)}
        held, states = entry.sticking(batch), entry.state(batch)
        for k, goal in enumerate(goals):
            data = mujoco.MjData(model)
            data.ctrl[:] = goal
            mujoco.mj_step(model, data, nstep=60)
            alone = {name: float(values) for name, values in entry.state(data).items()}
            if not persistent:
                mujoco.mj_forward(model, data)
            assert seen["torque"][k] == pytest.approx(float(entry.torque(data)), rel=1e-9)
            assert seen["budget"][k] == pytest.approx(float(entry.budget(data)), rel=1e-9)
            assert held[k] == entry.sticking(data)
            assert {n: float(x[k]) for n, x in states.items()} == pytest.approx(alone, rel=1e-9)
