"""The motion itself, against exact solutions and a tight-tolerance integrator."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from joint.bench import (
    ARMATURE,
    K_T,
    G,
    R,
    U,
    bare_motor,
    grid,
    made,
    position_servo,
    recorded,
    run,
)
from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.engines.joint.simulate import simulate
from pliant.errors import PliantError
from pliant.io.log import Log
from pliant.laws.friction_budget._stop_torque import stop_torque


def halving(errors: list[float]) -> bool:
    """Errors of a first-order method under steps that halve."""
    return all(1.8 < a / b < 2.2 for a, b in itertools.pairwise(errors))


def test_a_motor_with_a_pendulum_under_a_proportional_law_follows_its_ode() -> None:
    log = recorded(grid(2.0, 0.005), 1.2, begin=-0.4)
    inertia, weight = 0.5 * 0.1**2 + ARMATURE, 0.5 * G * 0.1

    def ode(_: float, y: Floats) -> list[float]:
        q, v = y
        duty = min(max(2.0 * (1.2 - q), -1.0), 1.0)
        return [v, (K_T * (duty * U - K_T * v) / R - weight * np.sin(q)) / inertia]

    # Short steps find the corner at q = 0.7, where the duty leaves its limit.
    exact = solve_ivp(
        ode, (0.0, 2.0), [-0.4, 0.0], t_eval=log.time, rtol=1e-10, atol=1e-12, max_step=1e-3
    ).y[0]
    steps = [1e-3, 5e-4, 2.5e-4, 1.25e-4]
    runs = [run(position_servo(), log, max_step=h) for h in steps]
    errors = [float(np.abs(x - exact).max()) for x in runs]
    assert halving(errors)
    assert errors[0] < 0.02
    np.testing.assert_allclose(2.0 * runs[-1] - runs[-2], exact, atol=2e-5)


def test_a_free_pendulum_keeps_its_period_and_its_amplitude() -> None:
    """T = 4 sqrt(J / m g l) K(sin^2(a / 2)), for 40 swings."""
    begin, inertia, weight = 1.5, 0.5 * 0.1**2 + ARMATURE, 0.5 * G * 0.1
    period = 4.0 * np.sqrt(inertia / weight) * ellipk(np.sin(begin / 2) ** 2)
    time = np.linspace(0.0, 40.0 * period, 40 * 400 + 1)
    q = run(position_servo(), recorded(time, 0.0, begin=begin, enabled=False), max_step=1e-4)
    turns = q[::400]
    np.testing.assert_allclose(turns, begin, atol=1e-3)
    swings = np.abs(q[:-1].reshape(40, 400)).max(axis=1)
    assert abs(swings[-1] - swings[0]) < 1e-4


def test_energy_of_a_free_pendulum_does_not_drift() -> None:
    """It oscillates with the step and returns: no gain or loss in 30 s at the default step."""
    inertia, weight = 0.5 * 0.1**2 + ARMATURE, 0.5 * G * 0.1
    q = run(position_servo(), recorded(grid(30.0, 1e-3), 0.0, begin=1.0, enabled=False))
    v = (q[2:] - q[:-2]) / 2e-3
    energy = 0.5 * inertia * v**2 + weight * (1.0 - np.cos(q[1:-1]))
    first, last = energy[:1000].mean(), energy[-1000:].mean()
    assert last == pytest.approx(first, rel=2e-3)
    np.testing.assert_allclose(energy, weight * (1.0 - np.cos(1.0)), rtol=0.02)


def test_a_constant_inertia_under_constant_duty_runs_up_exponentially() -> None:
    """Speed v = v_end (1 - exp(-t / T)), v_end = duty U / k_t, T = J R / k_t^2."""
    log = recorded(grid(1.0, 0.005), 0.5)
    end, slow = 0.5 * U / K_T, (0.02 + ARMATURE) * R / K_T**2
    exact = end * (log.time - slow * (1.0 - np.exp(-log.time / slow)))
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        q = run(bare_motor(), log, plant="inertia", changes={"plant.inertia": 0.02}, max_step=h)
        errors.append(float(np.abs(q - exact).max()))
    assert halving(errors)
    assert errors[0] < 0.02


def test_without_power_it_coasts_and_with_none_to_give_it_brakes() -> None:
    """Bridge released: no torque at all. Duty 0: the winding is shorted, v = v_0 exp(-t / T)."""
    time = grid(1.0, 1e-3)
    duty = np.where(time < 0.2, 1.0, 0.0)
    inertia = {"plant.inertia": 0.02}
    coast = run(
        bare_motor(), recorded(time, duty, enabled=time < 0.1999), plant="inertia", changes=inertia
    )[200:]
    speed = np.diff(coast)
    np.testing.assert_allclose(speed, speed[0], rtol=1e-9)
    assert speed[0] > 1e-3
    brake = run(bare_motor(), recorded(time, duty), plant="inertia", changes=inertia)[200:]
    slow = (0.02 + ARMATURE) * R / K_T**2
    decay = np.exp(-time[: len(brake) - 1] / slow)
    np.testing.assert_allclose(np.diff(brake) / np.diff(brake)[0], decay, atol=3e-3)


def test_coulomb_friction_stops_a_coasting_joint_when_and_where_it_must() -> None:
    """After T of power, v falls by K_c / J each second: it stops after v_1 J / K_c."""
    inertia, dry, power = 0.02 + ARMATURE, 0.4, 0.15
    time = grid(2.0, 1e-3)
    log = recorded(time, 1.0, enabled=time < power - 1e-6)
    q = run(
        bare_motor(K_c=dry), log, plant="inertia", changes={"plant.inertia": 0.02}, max_step=1e-4
    )
    slow = inertia * R / K_T**2
    end = (K_T * U / R - dry) * R / K_T**2
    v_1 = end * (1.0 - np.exp(-power / slow))
    q_1 = end * power - slow * v_1
    stop = power + v_1 * inertia / dry
    assert time[np.argmax(q == q[-1])] == pytest.approx(stop, abs=1.5e-3)
    assert q[-1] == pytest.approx(q_1 + 0.5 * v_1**2 * inertia / dry, rel=1e-3)
    assert np.ptp(q[time > stop + 2e-3]) == 0.0


@pytest.mark.parametrize(("part", "holds"), [(0.65, True), (0.999, True), (1.001, False)])
def test_a_load_below_the_budget_does_not_move_the_joint_at_all(part: float, holds: bool) -> None:
    dry = 0.3
    begin = np.arcsin(part * dry / (0.5 * G * 0.1))
    log = recorded(grid(10.0, 0.01), 0.0, begin=float(begin), enabled=False)
    q = run(position_servo(K_c=dry), log)
    assert bool(np.ptp(q) == 0.0) is holds


@pytest.mark.parametrize(
    ("v", "tau_m", "tau_e", "expected"),
    [
        (0.0, 0.3, -0.1, -0.2),  # at rest, within the budget: balances what acts
        (0.0, 3.0, -0.1, -1.0),  # at rest, beyond: its bound, against the motion to come
        (2.0, 0.3, -0.1, -1.0),  # sliding: its bound, against the speed
        (-2.0, 0.3, -0.1, 1.0),
        (0.02, 0.0, 0.0, -0.4),  # slow: what stops it within the step, J v / h
        (0.02, 0.5, 0.0, -0.9),
        (0.02, -0.4, 0.0, 0.0),  # stopped by the motor already
    ],
)
def test_the_stop_torque(v: float, tau_m: float, tau_e: float, expected: float) -> None:
    """Clip(-(J v / h + tau_m + tau_e), +-budget), with J / h = 20 and a budget of 1."""
    assert stop_torque(v, tau_m, tau_e, 1.0, 0.02, 1e-3) == pytest.approx(expected, abs=1e-15)


def test_the_torques_of_a_rollout_are_motor_load_and_friction() -> None:
    """Held at rest below breakaway: k_t U duty / R, - m g l sin q, and what is left."""
    log = recorded(grid(0.1, 0.01), 0.2, begin=0.1, gain=0.5)
    engine = JointEngine(position_servo(K_c=1.0))
    torque = engine.rollout(log).torque
    motor, load = K_T * U / R * 0.5 * (0.2 - 0.1), -0.5 * G * 0.1 * np.sin(0.1)
    np.testing.assert_allclose(torque[:-1], [[motor, load, -motor - load]] * 10, rtol=1e-12)
    assert (torque[-1] == 0.0).all()


def test_speed_is_bounded_by_viscous_friction() -> None:
    """With K_v the run-up ends where k_t (U - k_t v) / R = K_v v."""
    log = recorded(grid(3.0, 0.01), 1.0)
    q = run(bare_motor(K_v=0.05), log, plant="inertia", changes={"plant.inertia": 0.02})
    end = K_T * U / R / (K_T**2 / R + 0.05)
    assert np.diff(q)[-1] / 0.01 == pytest.approx(end, rel=1e-9)


SERIES_ELASTIC = {
    "timing": "immediate",
    "sensing": "ideal",
    "control": "pid",
    "driver": "ideal_supply",
    "motor": "dc_voltage",
    "friction": "none",
    "spring": "linear_spring",
    "rate": "every_step",
    "rotor": "inertia",
    "limit": "none",
    "winding": "none",
}


def series_elastic(stiffness: float, motor: float = 1e-3) -> dict[str, float]:
    return {
        "rotor.J": motor,
        "rotor.D": 0.01,
        "rotor.low": -10.0,
        "rotor.high": 10.0,
        "rotor.max_speed": 1000.0,
        "own.voltage": U,
        "control.k_p": 2.0,
        "control.k_i": 0.0,
        "control.k_d": 0.0,
        "control.limit": 1.0,
        "motor.k_t": K_T,
        "motor.R": R,
        "spring.k": stiffness,
        "spring.d": 0.02,
    }


def two_masses(time: Floats, stiffness: float) -> Floats:
    """Link angle of motor, spring and pendulum from rest at 0.1 rad towards 0.5 rad."""
    link, weight, motor = 0.5 * 0.1**2, 0.5 * G * 0.1, 1e-3

    def ode(_: float, y: Floats) -> list[float]:
        q, v, theta, omega = y
        duty = min(max(2.0 * (0.5 - theta), -1.0), 1.0)
        spring = stiffness * (q - theta) + 0.02 * (v - omega)
        drive = K_T * (duty * U - K_T * omega) / R
        return [
            v,
            (-weight * np.sin(q) - spring) / link,
            omega,
            (drive - 0.01 * omega + spring) / motor,
        ]

    return solve_ivp(
        ode,
        (0.0, time[-1]),
        [0.1, 0.0, 0.1, 0.0],
        t_eval=time,
        method="DOP853",
        rtol=1e-10,
        atol=1e-12,
    ).y[0]


def test_a_series_elastic_joint_follows_the_ode_of_its_two_masses() -> None:
    log = recorded(grid(1.0, 0.005), 0.5, begin=0.1)
    actuator = made("series_elastic", SERIES_ELASTIC, series_elastic(10.0))
    exact = two_masses(log.time, 10.0)
    runs = [run(actuator, log, max_step=h) for h in (5e-4, 2.5e-4, 1.25e-4)]
    errors = [float(np.abs(x - exact).max()) for x in runs]
    assert halving(errors)
    assert errors[0] < 0.01
    np.testing.assert_allclose(2.0 * runs[-1] - runs[-2], exact, atol=5e-5)


@pytest.mark.parametrize("stiffness", [500.0, 1e4])
def test_a_stiff_series_elastic_joint_follows_too_at_the_default_step(stiffness: float) -> None:
    """Steps are cut to the stability limit of motor against spring."""
    log = recorded(grid(1.0, 0.005), 0.5, begin=0.1)
    actuator = made("series_elastic", SERIES_ELASTIC, series_elastic(stiffness))
    np.testing.assert_allclose(run(actuator, log), two_masses(log.time, stiffness), atol=0.01)


def test_steps_are_cut_for_a_stiff_spring_and_not_without_end() -> None:
    """A step of at most 0.4 / omega, and of max_step / 100 at the finest.

    omega^2 = (k + dtau/dq of the controller) / J.
    """
    log = recorded(grid(0.01, 0.01), 0.0)
    counts = []
    for stiffness, motor in ((10.0, 1e-3), (4000.0, 1e-3), (1e6, 1e-4)):
        actuator = made("series_elastic", SERIES_ELASTIC, series_elastic(stiffness, motor))
        engine = JointEngine(actuator, settings=JointSettings(max_step=1e-3))
        counts.append(steps_taken(engine, log))
    omega = np.sqrt((4000.0 + 2.0 * K_T * U / R) / 1e-3)
    assert counts == [10, np.ceil(0.01 * omega / 0.4), 1000]


def steps_taken(engine: JointEngine, log: Log) -> int:
    return engine.batch(engine.values()[None], LogBatch([log], engine), threads=1)[1]


@pytest.mark.parametrize("sent", [1.1e10, -1e300, np.inf, np.nan])
def test_what_is_no_command_is_refused(sent: float) -> None:
    engine = JointEngine(bare_motor(), plant="inertia")
    with pytest.raises(PliantError, match="of at most 1e\\+10"):
        simulate(engine, [0.0, 0.1, 0.2], [0.0, sent, 0.0])
