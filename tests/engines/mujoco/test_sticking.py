"""A joint within its friction budget stands still, and one that slides stops when physics says."""

import math

import mujoco
import numpy as np
import pytest
import toy
from test_plugin import compiled

from pliant.engines.spec.sticking import SOLIMP, slip_needed, stick
from pliant.errors import PliantError

INTEGRATORS = ["Euler", "implicitfast", "implicit", "discrete"]
INERTIA = 0.01
HOLD = 1e-6


def stuck(xml: str) -> mujoco.MjModel:
    """The model, with the recipe on each of its hinges."""
    compiled(xml)  # skips what this MuJoCo does not have
    spec = mujoco.MjSpec.from_string(xml)
    stick(spec, [joint.name for joint in spec.joints if joint.name])
    return spec.compile()


def flywheel(integrator: str, timestep: float, *, slip: float, armature: float = 0.0):
    body = (
        f'<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 {INERTIA - armature}"/>'
        f'<joint name="a" axis="0 0 1" armature="{armature}"/></body>'
    )
    option = f'gravity="0 0 0" integrator="{integrator}" timestep="{timestep}"'
    return stuck(toy.mjcf(body, toy.actuator("a", f"1 1 0 {slip}"), option=option))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("timestep", [0.0005, 0.001, 0.002, 0.005])
@pytest.mark.parametrize("slip", [0.0, HOLD])
@pytest.mark.parametrize("armature", [0.0, 0.006])
class TestSingleJoint:
    def test_loaded_to_65_percent_creeps_less_than_a_twentieth_degree_in_10_s(
        self, integrator, timestep, slip, armature
    ):
        model = flywheel(integrator, timestep, slip=slip, armature=armature)
        data = mujoco.MjData(model)
        data.ctrl[:] = 0.65
        mujoco.mj_step(model, data, nstep=round(10 / timestep))
        assert abs(math.degrees(data.qpos[0])) <= 0.05

    def test_stops_when_and_where_the_exact_solution_does(
        self, integrator, timestep, slip, armature
    ):
        model = flywheel(integrator, timestep, slip=slip, armature=armature)
        data = mujoco.MjData(model)
        data.qvel[:] = 20.0  # t = J v / tau = 0.2 s
        while data.qvel[0] > 1e-3:
            mujoco.mj_step(model, data)
        assert data.time == pytest.approx(0.2, rel=0.02)
        # semi-implicit Euler travels v²/2a - v h/2
        assert data.qpos[0] == pytest.approx(2.0 - 10.0 * timestep, rel=1e-3)


def pendulum(integrator: str, timestep: float, slip: float) -> mujoco.MjModel:
    body = (
        '<body><joint name="a" axis="0 1 0" armature=".004"/>'
        '<geom size=".02" mass=".3" pos="0 0 -.12"/></body>'
    )
    option = f'integrator="{integrator}" timestep="{timestep}"'
    return stuck(toy.mjcf(body, toy.actuator("a", f"1 .02 .03 {slip}"), option=option))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("slip", [0.0, HOLD])
def test_pendulum_equals_the_stop_torque_rule_with_a_budget_that_changes_each_step(
    integrator, slip
):
    timestep = 0.002
    model = pendulum(integrator, timestep, slip)
    data = mujoco.MjData(model)
    data.qpos[:] = angle = 1.0
    inertia = 0.3 * 0.12**2 + 0.4 * 0.3 * 0.02**2 + 0.004
    velocity, worst = 0.0, 0.0
    for k in range(3000):
        motor = 0.15 * math.sin(4 * k * timestep) + 0.1 * np.sign(math.sin(1.3 * k * timestep))
        data.ctrl[:] = motor
        mujoco.mj_step(model, data)
        torque = motor - 0.3 * 9.81 * 0.12 * math.sin(angle)
        budget = 0.02 + 0.03 * abs(velocity)
        stop = -(inertia * velocity / timestep + torque)
        velocity += timestep * (torque + np.clip(stop, -budget, budget)) / inertia
        angle += timestep * velocity
        worst = max(worst, abs(data.qpos[0] - angle))
    assert worst < 1e-6


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("slip", [0.0, HOLD])
def test_legs_of_a_free_base_hold_and_friction_is_on_their_own_dofs(integrator, slip):
    body = (
        '<body><freejoint/><geom size=".2" mass="5"/>'
        '<body pos=".2 0 0"><joint name="hip" axis="0 1 0" armature=".01"/>'
        '<geom size=".05" mass=".5" pos=".2 0 0"/>'
        '<body pos=".4 0 0"><joint name="knee" axis="0 1 0" armature=".01"/>'
        '<geom size=".05" mass=".5" pos=".2 0 0"/></body></body></body>'
    )
    actuators = toy.actuator("knee", f"1 1 0 {slip}") + toy.actuator("hip", f"1 3 0 {slip}")
    option = f'gravity="0 0 0" integrator="{integrator}" timestep="0.002"'
    model = stuck(toy.mjcf(body, actuators, option=option))
    data = mujoco.MjData(model)
    data.ctrl[:] = [0.65, -1.95]
    mujoco.mj_step(model, data, nstep=5000)
    np.testing.assert_array_equal(data.efc_id, [6, 7])
    np.testing.assert_array_equal(data.efc_frictionloss, [3.0, 1.0])
    assert np.degrees(np.abs(data.qpos[7:])).max() <= 0.05


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_damping_beside_friction_still_ends_at_rest(integrator):
    xml = toy.mjcf(
        '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/>'
        '<joint name="a" axis="0 0 1" damping=".05"/></body>',
        toy.actuator("a", "1 1 0 1e-6"),
        option=f'gravity="0 0 0" integrator="{integrator}" timestep="0.0005"',
    )
    model = stuck(xml)
    data = mujoco.MjData(model)
    data.qvel[:] = 20.0
    while data.qvel[0] > 1e-2:
        mujoco.mj_step(model, data)
    assert data.time == pytest.approx(0.01 / 0.05 * math.log(1 + 0.05 * 20.0), rel=0.02)
    mujoco.mj_step(model, data, nstep=1000)
    assert abs(data.qvel[0]) < 1e-9


def spec_of(option: str = "") -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(
        f"<mujoco><option {option}/><worldbody><body><joint name='a'/><geom size='.1'/>"
        "<body><joint name='ball' type='ball'/><geom size='.1'/></body></body></worldbody></mujoco>"
    )


def test_it_says_what_it_set():
    report = stick(spec_of('timestep="0.004"'), ["a"])
    assert (report.solref, report.solimp, report.warnings) == ((-1.0, -250.0), SOLIMP, ())
    assert str(report) == (
        "friction of a: solreffriction=(-1, -250), the rate 1/timestep of 0.004 s, so that a"
        " joint within its friction budget is at rest after one step;"
        " solimpfriction=(0.9999, …), the stiffest MuJoCo allows."
    )


@pytest.mark.parametrize("option", ['cone="elliptic"', 'noslip_iterations="3"', 'solver="CG"'])
def test_it_also_holds_with(option):
    model = stuck(
        toy.mjcf(
            f'<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 {INERTIA}"/>'
            '<joint name="a" axis="0 0 1"/></body>',
            toy.actuator("a", "1 1 0 1e-6"),
            option=f'gravity="0 0 0" {option}',
        )
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.65
    mujoco.mj_step(model, data, nstep=5000)
    assert abs(math.degrees(data.qpos[0])) <= 0.05


def test_it_gives_a_row_to_a_joint_without_and_keeps_the_friction_of_one_with():
    spec = spec_of()
    stick(spec, ["a"])
    assert 0 < spec.compile().dof_frictionloss[0] < 1e-5
    spec.joint("a").frictionloss = 0.3
    stick(spec, ["a"])
    assert spec.compile().dof_frictionloss[0] == 0.3


@pytest.mark.parametrize(
    ("option", "word"),
    [
        ('integrator="RK4"', "RK4"),
        ('solver="PGS"', "PGS"),
        ('solver="CG"', "CG"),
        ('iterations="3"', "iterations=3"),
    ],
)
def test_options_that_break_it_are_named(option, word):
    (warning,) = stick(spec_of(option), ["a"]).warnings
    assert word in str(warning)


def test_a_joint_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(PliantError) as refused:
        stick(spec_of(), ["bal"])
    assert str(refused.value) == (
        "joint: no such joint in the model; found 'bal'; did you mean 'ball'?; accepted: a, ball"
    )


def test_a_ball_joint_is_refused():
    with pytest.raises(PliantError) as refused:
        stick(spec_of(), ["ball"])
    assert str(refused.value) == (
        "joint ball: only a joint with one degree of freedom can have an actuator's friction;"
        " found 'ball'; accepted: hinge, slide"
    )


def test_slip_follows_the_allowed_creep():
    degree = math.radians(0.05) / 10
    assert slip_needed(0.002, 65.0, degree) == pytest.approx(1e-4)
    assert slip_needed(0.005, 2000.0, degree) == pytest.approx(degree / 10.0)
    assert slip_needed(0.005, 1e6, degree) == 1e-6
