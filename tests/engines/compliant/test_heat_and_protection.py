"""Heat of the winding and protection in motion: an ODE by scipy, and every engine."""

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate
from pliant.robots import Robot

LINK, SECONDS = 0.02, 2.0
HEAT = {
    "thermal.R_th": 40.0,
    "thermal.tau_th": 4.0,
    "thermal.ambient": 298.15,
    "thermal.stated_at": 298.15,
    "thermal.alpha_R": 0.0039,
    "thermal.alpha_k": -0.0011,
}


def hot(**changes):
    """A voltage-driven servo without gear friction that gets hot within seconds."""
    laws = {"friction": "none", "thermal": "one_body", "timing": "immediate"}
    actuator = with_laws(pliant.load_actuator("mx106_bam_m4"), laws)
    return actuator.with_values({**HEAT, **changes}, "test", "assumed")


def goal_at(t):
    return 0.8 * np.sin(9.0 * t)


def by_scipy(actuator, times):
    """(3, N) q, v and the winding's rise, as the equations of a data sheet have it."""
    n = {name: number.value for name, number in actuator.numbers.items()}
    inertia = LINK + n["own.armature"]

    def rates(t, y):
        r = n["motor.R"] * (1.0 + 0.0039 * y[2])
        k = n["motor.k_t"] * (1.0 - 0.0011 * y[2])
        duty = n["control.gain"] * n["control.kp"] * (goal_at(t) - y[0])
        duty = min(max(duty, -n["control.limit"]), n["control.limit"])
        i = (duty * n["own.voltage"] - k * y[1]) / r
        return [y[1], k * i / inertia, (r * i * i - y[2] / 40.0) / (4.0 / 40.0)]

    span = (times[0], times[-1])
    return solve_ivp(rates, span, [0.0] * 3, t_eval=times, rtol=1e-9, atol=1e-10, max_step=1e-3).y


def played(actuator, step):
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    t = np.arange(0.0, SECONDS, step)
    # The middle of the step stands for the commands in it.
    return simulate(engine, t, goal_at(t + 0.5 * step), changes={"plant.inertia": LINK})


def test_a_hot_winding_moves_and_warms_as_its_equations_say():
    actuator = hot()
    times = np.arange(0.0, SECONDS, 1e-3)
    q, _, rise = by_scipy(actuator, times)
    errors = []
    for step in (1e-3, 2.5e-4):
        trace = played(actuator, step)
        every = round(1e-3 / step)
        moved = np.abs(trace.position[::every] - q).max() / np.ptp(q)
        warmed = np.abs(trace.state["thermal.rise"][::every] - rise).max() / rise.max()
        errors.append((moved, warmed))
    assert rise.max() > 30.0
    assert max(errors[1]) < 0.01
    assert all(2.5 < coarse / fine < 6.0 for coarse, fine in zip(*errors, strict=True))


BENCH = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="a" axis="0 -1 0"/>
<inertial pos="0 0 -.15" mass="{mass}" diaginertia="{rod} {rod} 1e-3"/></body></worldbody></mujoco>"""
"""A rod of 0.3 m."""


def heavy(**changes):
    """An MX-106 with Feetech's protection, sped up, and heat."""
    laws = {"thermal": "one_body", "protection": "feetech_overload"}
    actuator = with_laws(pliant.load_actuator("mx106_bam_m4"), laws)
    values = {
        **HEAT,
        "thermal.R_th": 4.0,  # else heat alone would fell the arm
        "protection.Overload_Torque": 0.8,
        "protection.Protection_Time": 0.4,
        "protection.Protective_Torque": 0.1,
        "protection.Max_Temperature": 500.0,
        "protection.fade": 0.0,
        **changes,
    }
    return actuator.with_values(values, "test", "assumed")


def in_mujoco(actuator, steps=800, mass=12.0):
    spec = mujoco.MjSpec.from_string(BENCH.format(mass=mass, rod=mass * 0.3**2 / 12.0))
    attached = pliant.attach(spec, {"a": actuator})
    model = spec.compile()
    robot = Robot(model, attached, target="python")
    robot.reference_1 = [1.4]
    found = []
    for _ in range(steps):
        robot.step()
        found.append(robot.data.qpos[0])
    return robot, np.array(found)


def test_an_arm_that_is_too_heavy_falls_when_its_protection_trips():
    robot, angle = in_mujoco(heavy())
    later = in_mujoco(heavy(**{"protection.Protection_Time": 30.0}))[1]
    np.testing.assert_array_equal(angle[:390], later[:390])
    assert angle[-1] < later[-1] - 0.2
    state = dict(zip(robot.actuators["a"].state, robot.data.act[2:], strict=False))
    assert state["protection.tripped"] == 1.0
    assert state["thermal.rise"] > 1.0


def test_heat_and_current_are_those_of_the_hot_winding():
    robot, _ = in_mujoco(heavy(), steps=300)
    actuator = robot.actuators["a"]
    rise = robot.data.act[2 + actuator.state.index("thermal.rise")]
    k = actuator.value("motor.k_t") * (1.0 - 0.0011 * rise)
    r = actuator.value("motor.R") * (1.0 + 0.0039 * rise)
    i = robot.data.actuator_force[0] / k
    assert rise > 1.0
    assert robot.power.current[0, 0] == pytest.approx(i, rel=1e-3)
    assert robot.power.copper_loss[0, 0] == pytest.approx(r * i * i, rel=1e-3)


def test_the_joint_engine_trips_when_mujoco_does():
    """A rod of 12 kg and 0.3 m: inertia m l^2 / 3 and gravity m g l / 2 of the pendulum's uniform arm."""
    actuator = heavy()
    engine = JointEngine(actuator, plant="pendulum", settings=JointSettings(max_step=1e-3))
    t = np.arange(0.0, 0.801, 1e-3)
    changes = {"plant.arm_mass": 12.0, "plant.length": 0.3, "plant.mass": 0.0}
    trace = simulate(engine, t, 1.4, changes=changes)
    _, angle = in_mujoco(actuator)
    assert trace.state["protection.tripped"][-1] == 1.0
    assert np.abs(angle - trace.position[1:]).max() < 0.02 * np.ptp(angle)


def in_warp(actuator, steps=800, mass=12.0):
    """Angle and states, by name, at the end."""
    mjw = pytest.importorskip("mujoco_warp")
    from pliant.engines.mujoco_warp import install

    spec = mujoco.MjSpec.from_string(BENCH.format(mass=mass, rod=mass * 0.3**2 / 12.0))
    attachment = pliant.attach(spec, {"a": actuator}, engine="mujoco_warp")
    model = spec.compile()
    m = mjw.put_model(model)
    d = mjw.make_data(model, nworld=2, njmax=24, nconmax=8)
    kept = install(attachment, model, m, d)
    d.ctrl.assign(np.full((2, 1), 1.4, np.float32))
    for _ in range(steps):
        mjw.step(m, d)
    assert kept is not None
    state = dict(zip(actuator.state, d.act.numpy()[1, 2:].tolist(), strict=False))
    return float(d.qpos.numpy()[1, 0]), state


def servo(laws, values):
    actuator = with_laws(pliant.load_actuator("mx106_bam_m4"), laws)
    return actuator.with_values(values, "test", "assumed")


AIR = {name: value for name, value in HEAT.items() if name.split(".")[1] not in ("R_th", "tau_th")}
BY_NAME = {
    "dynamixel_shutdown": servo(
        {"protection": "dynamixel_shutdown"},
        {
            "protection.PWM_Limit": 0.9,
            # Within a step, so that the rounding of the timer does not decide in which: one step later is 4 mrad.
            "protection.overload_time": 0.3003,
            "protection.Temperature_Limit": 400.0,
            "protection.overload_bit": 1.0,
            "protection.overheating_bit": 1.0,
        },
    ),
    "derating": servo(
        {"protection": "derating", "thermal": "one_body"},
        {
            **AIR,
            "thermal.R_th": 4.0,
            "thermal.tau_th": 2.0,
            "protection.T_derate": 308.0,
            "protection.T_off": 312.0,
            "protection.T_on": 305.0,
        },
    ),
    "two_body": servo(
        {"thermal": "two_body"},
        {
            **AIR,
            "thermal.R_w": 4.0,
            "thermal.tau_w": 0.3,
            "thermal.R_h": 4.0,
            "thermal.tau_h": 20.0,
        },
    ),
}
"""An MX-106 with one of the laws, sped up until 0.8 s show it."""
SEEN = {
    "dynamixel_shutdown": {"protection.off": 1.0, "protection.timer": 0.8},
    "derating": {"protection.off": 1.0, "protection.temperature": 311.3},
    "two_body": {"thermal.winding": 187.2, "thermal.housing": 4.451},
}
"""States at the end, to 0.1 %: off for good at full duty; off until cold; a winding far hotter than its housing."""
SOFT = 1e-6
"""[rad] MuJoCo's friction is a constraint that gives way by 1e-4, the joint engine's is not: up to 3e-7 here."""
SINGLE = 1e-5
"""[rad] Warp counts in single precision, 6e-8 of 1.4 rad, for 800 steps: up to 3e-6 here."""


@pytest.mark.parametrize("law", list(BY_NAME))
def test_each_law_moves_the_arm_alike_in_mujoco_and_the_joint_engine(law):
    actuator = BY_NAME[law]
    robot, angle = in_mujoco(actuator)
    without = in_mujoco(pliant.load_actuator("mx106_bam_m4"))[1]
    assert angle[-1] < without[-1] - 0.1  # it does something
    state = dict(zip(actuator.state, robot.data.act[2:], strict=False))
    assert {n: state[n] for n in SEEN[law]} == pytest.approx(SEEN[law], rel=1e-3)
    engine = JointEngine(actuator, plant="pendulum", settings=JointSettings(max_step=1e-3))
    changes = {"plant.arm_mass": 12.0, "plant.length": 0.3, "plant.mass": 0.0}
    trace = simulate(engine, np.arange(0.0, 0.801, 1e-3), 1.4, changes=changes)
    np.testing.assert_allclose(angle, trace.position[1:], atol=SOFT, rtol=0.0)


@pytest.mark.parametrize("law", list(BY_NAME))
def test_each_law_moves_the_arm_alike_in_warp(law):
    actuator = BY_NAME[law]
    end, there = in_warp(actuator)
    assert end == pytest.approx(in_mujoco(actuator)[1][-1], abs=SINGLE)
    assert {n: there[n] for n in SEEN[law]} == pytest.approx(SEEN[law], rel=1e-3)


def test_warp_heats_and_trips_as_the_c_engine_does():
    actuator = heavy()
    end, there = in_warp(actuator)
    robot, angle = in_mujoco(actuator)
    state = dict(zip(actuator.state, robot.data.act[2:], strict=False))
    assert end == pytest.approx(angle[-1], abs=2e-3)
    assert there["thermal.rise"] == pytest.approx(state["thermal.rise"], rel=5e-3)
    assert there["protection.tripped"] == 1.0
