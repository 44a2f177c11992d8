"""Real servos, with what `attach` chose: a loaded joint stands still, and a sliding one stops."""

import math

import mujoco
import pytest
from rigs import INTEGRATORS, wheels

import pliant

SERVOS = ["xl330_bam_m1", "mx106_bam_m1", "erob80_100_bam_m1"]
STEPS = [0.0005, 0.001, 0.002, 0.005]


def rig(name: str, integrator: str, timestep: float):
    """The servo on a light wheel, its friction K_c and K_v, and all the inertia."""
    p = pliant.load_actuator(name).value
    model = wheels(
        {"a": name}, f'integrator="{integrator}" timestep="{timestep}"', a=0.3 * p("own.armature")
    )
    return model, p("friction.K_c"), p("friction.K_v"), 1.3 * p("own.armature")


@pytest.mark.parametrize("name", SERVOS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("timestep", STEPS)
class TestTorqueOff:
    def test_loaded_to_65_percent_it_creeps_less_than_a_twentieth_degree_in_10_s(
        self, name, integrator, timestep
    ):
        model, coulomb, _, _ = rig(name, integrator, timestep)
        model.opt.disableactuator = 1
        data = mujoco.MjData(model)
        data.qfrc_applied[0] = 0.65 * coulomb
        mujoco.mj_step(model, data, nstep=round(10 / timestep))
        assert abs(math.degrees(data.qpos[0])) <= 0.05

    def test_it_stops_when_the_exact_solution_does(self, name, integrator, timestep):
        """J dv = -(K_c + K_v v) dt, so t = J / K_v ln(1 + K_v v_0 / K_c)."""
        model, coulomb, viscous, inertia = rig(name, integrator, timestep)
        model.opt.disableactuator = 1
        data = mujoco.MjData(model)
        data.qvel[0] = speed = 300 * timestep * coulomb / inertia
        while data.qvel[0] > 1e-3 * timestep * coulomb / inertia:
            mujoco.mj_step(model, data)
        expected = inertia / viscous * math.log(1 + viscous * speed / coulomb)
        assert data.time == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("name", ["xl330_bam_m1", "mx106_bam_m1"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("timestep", STEPS)
def test_a_motor_at_65_percent_of_breakaway_does_not_move_its_joint(name, integrator, timestep):
    model, coulomb, _, _ = rig(name, integrator, timestep)
    p = pliant.load_actuator(name).value
    full = p("motor.k_t") * p("own.voltage") / p("motor.R")
    stiffness = full * p("control.gain") * p("control.kp")
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.65 * coulomb / stiffness
    mujoco.mj_step(model, data, nstep=round(10 / timestep))
    assert data.actuator_force[0] == pytest.approx(0.65 * coulomb, rel=0.02)
    assert abs(math.degrees(data.qpos[0])) <= 0.05


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_timestep_changed_after_attach_still_sticks(integrator):
    model, coulomb, _, _ = rig("xl330_bam_m1", integrator, 0.002)
    model.opt.timestep = 0.0005
    model.opt.disableactuator = 1
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = 0.65 * coulomb
    mujoco.mj_step(model, data, nstep=20000)
    assert abs(math.degrees(data.qpos[0])) <= 0.05
