"""A motor mass of its own behind a spring: against its equations of motion, solved tightly."""

import dataclasses
from math import sin

import mujoco
import numpy as np
import pytest
from rigs import changed, played, spec_of, wheel
from scipy.integrate import solve_ivp

import pliant
from pliant.engines.joint.engine import JointEngine
from pliant.io.log import example_logs

SPRINGS = {
    "sea_centauro_100": (100, 0.3),
    "sea_centauro_188": (188, 0.5),
    "sea_centauro_500": (500, 1.5),
}
"""Published stiffness [N m/rad] and damping [N m s/rad]."""
J, D, LIMIT, KP = 0.0742, 24.768, 33.0, 1000.0
INERTIA, FRICTION, WEIGHT = 0.286667, 0.7, 4.4145
"""The arm of the published experiment: kg m^2, N m s/rad, N m."""


def arm(name, timestep: float, gravity: bool) -> mujoco.MjModel:
    """Upright at q = 0."""
    centre = 0.45
    own = INERTIA - centre**2
    spec = spec_of(
        f'<body><inertial pos="0 0 {centre}" mass="1" diaginertia="{own} {own} 1e-6"/>'
        f'<joint name="a" axis="0 1 0" damping="{FRICTION}"/></body>',
        f'timestep="{timestep}" gravity="0 0 {-9.81 if gravity else 0}"',
    )
    pliant.attach(spec, {"a": name})
    return spec.compile()


def exact(times, goal, *, spring, gravity=False, on=True, drag=D, start=(0, 0, 0, 0)):
    """(T, 4) q, dq, theta, dtheta of the two masses."""
    k, d = spring

    def rates(t, y):
        q, v, theta, omega = y
        motor = np.clip(KP * (goal - theta), -LIMIT, LIMIT) * on
        twist = k * (q - theta) + d * (v - omega)
        weight = WEIGHT * sin(q) * gravity
        return [
            v,
            (weight - FRICTION * v - twist) / INERTIA,
            omega,
            (motor - drag * omega + twist) / J,
        ]

    tight = {"rtol": 1e-10, "atol": 1e-12, "max_step": 2e-3}
    return solve_ivp(rates, (0, times[-1]), start, "DOP853", times, **tight).y.T


def error(name: str, timestep: float, gravity: bool) -> float:
    """Largest distance [rad] from the exact step response within 2 s."""
    every = round(1e-3 / timestep)
    truth = exact(1e-3 * np.arange(1, 2001), 1.0, spring=SPRINGS[name], gravity=gravity)[:, 0]
    found = played(arm(name, timestep, gravity), np.ones((2000 * every, 1)))[every - 1 :: every, 0]
    return float(np.abs(found - truth).max())


@pytest.mark.parametrize(
    ("name", "gravity"), [("sea_centauro_100", True), ("sea_centauro_500", False)]
)
def test_a_step_response_approaches_the_exact_one_in_proportion_to_the_timestep(name, gravity):
    errors = [error(name, h, gravity) for h in (1e-3, 5e-4, 2.5e-4)]
    assert errors[0] < 0.03
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.03)
    assert errors[2] / errors[1] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("name", SPRINGS)
def test_at_1_khz_the_step_response_is_exact_to_2_mrad(name):
    assert error(name, 1e-3, True) < 2e-3


def test_the_joint_engine_moves_it_the_same():
    name = "sea_centauro_188"
    spec = spec_of(wheel(inertia=INERTIA), 'gravity="0 0 0" timestep="0.001"')
    pliant.attach(spec, {"a": name})
    model = spec.compile()
    data = mujoco.MjData(model)
    time = 1e-3 * np.arange(1001)
    on = (time < 0.4) | (time > 0.6)
    log = dataclasses.replace(
        pliant.read_logs(example_logs())[0],
        time=time,
        goal=np.sin(9.0 * time) + (time > 0.5),
        position=0.0 * time,
        enabled=on,
        gain=KP,
        voltage=None,
    )
    engine = JointEngine(pliant.load_actuator(name), plant="inertia")
    expected = engine.rollout(log, engine.values({"plant.inertia": INERTIA})).position
    for k in range(1000):
        assert data.qpos[0] == pytest.approx(expected[k], abs=1e-9)
        model.opt.disableactuator = 0 if on[k] else 1
        data.ctrl[0] = log.goal[k]
        mujoco.mj_step(model, data)
    assert np.ptp(expected) > 0.5


def test_without_losses_its_energy_stays():
    k = 100.0
    free = changed("sea_centauro_100", rotor__D=0.0, spring__d=0.0, control__k_p=0.0)
    spec = spec_of(wheel(inertia=INERTIA), 'gravity="0 0 0" timestep="0.001"')
    pliant.attach(spec, {"a": free})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = 3.0
    energy = np.empty(20000)
    for n in range(len(energy)):
        mujoco.mj_step(model, data)
        theta, omega = data.act[-2:]
        twist = data.qpos[0] - theta
        energy[n] = 0.5 * (INERTIA * data.qvel[0] ** 2 + J * omega**2 + k * twist**2)
    assert np.abs(energy / (0.5 * INERTIA * 3.0**2) - 1.0).max() < 0.1
    assert energy[-5000:].mean() == pytest.approx(energy[:5000].mean(), rel=1e-3)


def test_with_the_torque_off_its_motor_is_driven_by_the_spring():
    name = "sea_centauro_100"
    light = changed(name, rotor__D=0.05)
    damped = wheel(inertia=INERTIA, joint=f'damping="{FRICTION}"')
    spec = spec_of(damped, 'gravity="0 0 0" timestep="0.0001"')
    pliant.attach(spec, {"a": light})
    model = spec.compile()
    model.opt.disableactuator = 1
    data = mujoco.MjData(model)
    data.qvel[:] = 2.0
    times = 1e-4 * np.arange(1, 5001)
    truth = exact(times, 5.0, spring=SPRINGS[name], on=False, drag=0.05, start=(0, 2.0, 0, 0))
    found = played(model, np.full((5000, 1), 5.0), data)[:, 0]
    assert np.ptp(truth[:, 2]) > 0.1
    np.testing.assert_allclose(found, truth[:, 0], atol=5e-3)
    assert data.act[-2] == pytest.approx(truth[-1, 2], abs=5e-3)


@pytest.mark.parametrize(
    ("name", "h"),
    [("sea_centauro_188", 2e-3), ("sea_centauro_100", 5e-3), ("sea_centauro_500", 1e-3)],
)
def test_damped_springs_of_a_light_arm_do_not_run_away(name: str, h: float) -> None:
    """Each damper alone would stop its link within a fraction of the step."""
    link = '<joint name="{0}" axis="0 1 0"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 -{1}" mass=".2"/>'
    spec = mujoco.MjSpec.from_string(
        f"<mujoco><worldbody><body>{link.format('a', 0.1)}<body pos='0 0 -.1'>"
        f"{link.format('b', 0.08)}</body></body></worldbody></mujoco>"
    )
    spec.option.timestep = h
    pliant.attach(spec, {"a": name, "b": name})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.05
    furthest = 0.0
    for _ in range(round(0.5 / h)):
        mujoco.mj_step(model, data)
        furthest = max(furthest, float(np.abs(data.qpos).max()))
    assert data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number == 0
    assert furthest < 0.1
    assert np.abs(data.qpos - 0.05).max() < 0.01
