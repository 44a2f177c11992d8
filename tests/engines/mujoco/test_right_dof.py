"""Torque, friction and sensing are those of the joint that was meant, and in the same step."""

import mujoco
import numpy as np
import pytest
from rigs import INTEGRATORS, played, spec_of, wheel, wheels

import pliant

BASE, LEGS = 0.3, {"left": 0.004, "right": 0.09}
"""Moments of inertia [kg m^2] about parallel axes."""
SERVOS = {"left": "xl330_bam_m4", "right": "mx106_bam_m4"}
ORDERS = [("left", "right"), ("right", "left")]


def robot(order, option: str = "", flag: str = "") -> mujoco.MjModel:
    """A floating base that carries two wheels, each balanced about its own axis."""
    legs = "".join(
        f'<body pos="{x} 0 0"><inertial pos="0 0 0" mass="1" diaginertia="1 1 {LEGS[name]}"/>'
        f'<joint name="{name}" axis="0 0 1"/></body>'
        for name, x in (("left", -0.2), ("right", 0.2))
    )
    body = (
        f'<body><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 {BASE}"/>{legs}</body>'
    )
    spec = spec_of(body, f'gravity="0 0 0" {option}')
    if flag:
        spec.option.disableflags |= flag
    pliant.attach(spec, {name: SERVOS[name] for name in order})
    return spec.compile()


def motor_torque(p, goal: float, q: float, v: float) -> float:
    limit = p("control.limit")
    duty = np.clip(p("control.gain") * p("control.kp") * (goal - q), -limit, limit)
    return p("motor.k_t") * (duty * p("own.voltage") - p("motor.k_t") * v) / p("motor.R")


def m4(p, v: float, tau_m: float, tau_e: float) -> float:
    """The published budget M4."""
    s = np.exp(-(np.abs(v / p("friction.v_s")) ** p("friction.alpha")))
    load = abs(tau_m - tau_e)
    fixed = p("friction.K_v") * abs(v) + p("friction.K_c") + p("friction.K_l") * load
    return fixed + s * (p("friction.K_cs") + p("friction.K_ls") * load)


def value(name):
    return pliant.load_actuator(SERVOS[name]).value


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("flag", [0, mujoco.mjtDisableBit.mjDSBL_ISLAND])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_sliding_legs_of_a_free_base_accelerate_as_newton_says(order, flag, integrator):
    """(I_0 + m r^2 ...) w' + sum I (w' + a) = 0 and I (w' + a) + J a = tau_m + tau_f, each leg."""
    model = robot(order, f'integrator="{integrator}"', flag)
    data = mujoco.MjData(model)
    motion = {"left": (0.3, 8.0, 0.9), "right": (-0.2, -4.0, 0.4)}  # q, dq, goal
    tau, armature = {}, {}
    for name, (q, v, goal) in motion.items():
        data.joint(name).qpos[:], data.joint(name).qvel[:] = q, v
        data.actuator(name).ctrl[:] = goal
        p = value(name)
        tau_m = motor_torque(p, goal, q, v)
        tau[name] = tau_m - np.sign(v) * m4(p, v, tau_m, 0.0)
        armature[name] = p("own.armature")
    carried = BASE + 2 * 1.0 * 0.2**2
    i, j = LEGS["left"], LEGS["right"]
    matrix = [
        [carried + i + j, i, j],
        [i, i + armature["left"], 0],
        [j, 0, j + armature["right"]],
    ]
    expected = np.linalg.solve(matrix, [0, tau["left"], tau["right"]])
    before = data.qvel.copy()
    mujoco.mj_step(model, data)
    found = (data.qvel - before) / model.opt.timestep
    np.testing.assert_allclose(found[5:], expected, rtol=1e-5)


@pytest.mark.parametrize("loose", LEGS)
@pytest.mark.parametrize("order", ORDERS)
def test_exactly_the_leg_breaks_away_whose_budget_is_exceeded(loose, order):
    model = robot(order)
    model.opt.disableactuator = 1
    data = mujoco.MjData(model)
    for name in LEGS:
        p = value(name)
        load = p("friction.K_l") + p("friction.K_ls")
        breakaway = (p("friction.K_c") + p("friction.K_cs")) / (1 - load)
        dof = model.joint(name).dofadr[0]
        data.qfrc_applied[dof] = breakaway * (1.1 if name == loose else 0.9)
    mujoco.mj_step(model, data, nstep=500)
    moved = {name for name in LEGS if abs(data.joint(name).qpos[0]) > 1e-3}
    assert moved == {loose}


@pytest.mark.parametrize("flag", [0, mujoco.mjtDisableBit.mjDSBL_ISLAND])
def test_a_budget_acts_in_the_step_it_was_computed_in(flag):
    model = robot(SERVOS, flag=flag)
    data = mujoco.MjData(model)
    for goal in (0.02, 1.0, -0.3):
        data.ctrl[:] = goal
        mujoco.mj_forward(model, data)
        expected = [m4(value(n), 0.0, motor_torque(value(n), goal, 0.0, 0.0), 0.0) for n in LEGS]
        np.testing.assert_array_equal(data.efc_id[:2], [6, 7])
        np.testing.assert_allclose(data.efc_frictionloss[:2], expected, rtol=1e-12)
        assert (np.abs(data.efc_force[:2]) <= np.array(expected) * (1 + 1e-9)).all()


def test_islands_do_not_change_the_motion():
    goals = np.random.default_rng(1).uniform(-1, 1, (400, 2))
    with_, without = (
        played(robot(SERVOS, flag=f), goals) for f in (0, mujoco.mjtDisableBit.mjDSBL_ISLAND)
    )
    np.testing.assert_allclose(with_, without, atol=1e-7)


@pytest.mark.parametrize("gear", [-1.0, 2.0, -0.5])
@pytest.mark.parametrize("name", ["xl330_bam_m6", "sea_centauro_100"])
def test_behind_a_gear_the_joint_moves_as_the_same_actuator_on_the_inertia_it_feels(name, gear):
    """q_actuator = gear q, torque gear tau, inertia J / gear^2, and so for the load."""
    inertia = 0.05
    actuator = pliant.load_actuator(name)
    armature = actuator.value("own.armature") if "own.armature" in actuator.fields else 0.0
    spec = spec_of(wheel(inertia=inertia), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": name})
    spec.actuators[0].gear[0] = gear  # after attach: the armature is the joint's as it stands
    geared = spec.compile()
    plain = wheels({"a": name}, a=(inertia + armature) / gear**2 - armature)
    goals = np.random.default_rng(4).uniform(-1, 1, 30).repeat(20)[:, None]
    one, other = mujoco.MjData(geared), mujoco.MjData(plain)
    one.qfrc_applied[:] = 0.02 * gear
    other.qfrc_applied[:] = 0.02
    found = gear * played(geared, goals, one)
    np.testing.assert_allclose(found, played(plain, goals, other), atol=1e-6)
    assert np.ptp(found) > 0.1


def test_a_gear_that_stands_in_the_model_multiplies_the_armature_by_its_square(tmp_path):
    (tmp_path / "m.xml").write_text(
        f'<mujoco><option gravity="0 0 0"/><worldbody>{wheel(inertia=0.05)}</worldbody>'
        '<extension><plugin plugin="pliant.xl330_bam_m6"/></extension><actuator>'
        '<plugin joint="a" gear="-3" plugin="pliant.xl330_bam_m6"/></actuator></mujoco>'
    )
    geared = pliant.load_model(tmp_path / "m.xml")[0].compile()
    plain = wheels({"a": "xl330_bam_m6"}, a=0.05 / 9)
    goals = np.random.default_rng(4).uniform(-1, 1, 30).repeat(20)[:, None]
    np.testing.assert_allclose(-3 * played(geared, goals), played(plain, goals), atol=1e-6)
    assert geared.dof_frictionloss[0] == pytest.approx(3 * plain.dof_frictionloss[0])
