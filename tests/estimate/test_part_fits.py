"""Numbers of a part of a joint come back from motions and points that other equations made."""

import math

import numpy as np
import pytest

from pliant import PliantError
from pliant.estimate.dynamics import load_dynamics
from pliant.estimate.motor_side import COLUMNS, fit_motor_side, fit_static_extremes
from pliant.estimate.offline import estimate_log
from pliant.estimate.settings import EstimatorSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.encoder_file import read_joint_log

HEAD = "time,q_j,theta_a_j,theta_b_j"
K, A, FRICTION = np.array([0.0024, 0.0017]), np.array([8.2, 9.4]), np.array([0.05, 0.09])


def qbmove(duration=2.0, h=5e-5, every=80):
    """Own integrator of a qbmove behind a swinging link: rows of time, q, motors, goal, preset, torque."""
    theta, omega, bent = np.zeros(2), np.zeros(2), np.zeros(2)
    rows = []
    for n in range(round(duration / h)):
        t = n * h
        q = 0.4 * np.sin(2.1 * t) ** 3
        if n % every == 0:
            goal, preset = 0.5 * np.sin(2.0 * t) ** 3, 0.5 * min(t, 1.0)
            rows.append((t, q, *theta, goal, preset, (K * np.sinh(A * (q - theta))).sum()))
        force = 125.0 * (np.array([goal + preset, goal - preset]) - theta) - 4.5 * omega
        bent = np.clip(bent + omega * h, -FRICTION / 1000.0, FRICTION / 1000.0)
        tau = K * np.sinh(A * (q - theta))
        omega = omega + h / 0.0233 * (
            np.clip(force, -6.0, 6.0) + tau - 0.2698 * omega - 1000.0 * bent
        )
        theta = theta + h * omega
    return dict(
        zip(
            ("time", "q", "theta_a", "theta_b", "goal", "preset", "tau"),
            np.array(rows).T,
            strict=True,
        )
    )


@pytest.mark.parametrize("begins", [0.0, 1.0])
def test_friction_and_springs_of_a_variable_stiffness_joint_come_from_its_motors(begins):
    """Also where the recording begins in motion."""
    recorded = qbmove(2.0 + begins)
    kept = {name: x[recorded["time"] >= begins] for name, x in recorded.items()}
    found = fit_motor_side(kept, load_actuator("qbmove_advanced_equal"))
    values = dict(zip(found.names, found.values, strict=True))
    for n in (0, 1):
        got = [
            values[f"{one}_{n + 1}.{x}"]
            for one, x in (("friction", "tau_f"), ("spring", "k"), ("spring", "a"))
        ]
        np.testing.assert_allclose(got, [FRICTION[n], K[n], A[n]], rtol=0.04)
    assert found.actuator.value("friction_2.tau_f") == values["friction_2.tau_f"]
    assert found.before[found.names.index("friction_1.tau_f")] == 0.02
    assert found.warnings == ()


def swinging(preset, damping, step=2.0 * np.pi / 4096, h=2.5e-4):
    """Rows of time, link, motors of a hanging link behind two springs, 15 s by 12-bit encoders."""
    q = v = 0.0
    for n in range(60000):
        t = n * h
        goal = min(t / 2.0, 1.0) ** 2 * (0.5 * math.sin(3.1 * t) + 0.35 * math.sin(7.3 * t))
        if n % 20 == 0:
            yield [t, *(step * np.round(np.array([q, goal + preset, goal - preset]) / step))]
        pull = sum(0.0019 * math.sinh(9.0 * (q - goal - side)) for side in (preset, -preset))
        v += h / 0.004 * (-pull - damping * v - 0.4 * math.sin(q))
        q += h * v


def test_damping_that_grows_with_the_preset_is_told_from_a_motion_at_each(tmp_path):
    inertial = '<inertial pos="0 0 -.1" mass="0.04" diaginertia="3.6e-3 3.6e-3 3.6e-3"/>'
    joint = f'<body><joint name="j" axis="0 -1 0"/>{inertial}</body>'
    text = f'<mujoco><option gravity="0 0 -100"/><worldbody>{joint}</worldbody></mujoco>'
    (tmp_path / "arm.xml").write_text(text, "utf-8")
    robot, log = load_dynamics(tmp_path / "arm.xml", "mujoco"), tmp_path / "run.csv"
    for preset, damping in ((0.2, 0.105), (0.6, 0.185)):
        np.savetxt(log, [*swinging(preset, damping)], "%.9g", ",", comments="", header=HEAD)
        found = estimate_log(read_joint_log(log), robot, settings=EstimatorSettings(width=12))
        told = {name: value for name, value, _ in found.parameters(0)}
        assert told["viscous friction"] == pytest.approx(damping, rel=0.03)


def test_friction_at_rest_comes_from_the_ends_of_where_a_pendulum_stays():
    flat, part = 0.12, 0.21  # K_c + K_cs, K_l + K_ls
    rows = []
    for mass, tau in [(2.0, 1.0), (2.0, 2.0), (4.0, 1.5), (4.0, 3.0), (4.0, 4.0)]:
        weight = 9.81 * mass * 0.2
        low = (tau * (1.0 - part) - flat) / (1.0 + part)
        high = (tau * (1.0 + part) + flat) / (1.0 - part)
        rows.append((tau, np.arcsin(low / weight), np.arcsin(high / weight), mass, 0.2))
    points = dict(zip(COLUMNS, np.array(rows).T, strict=True))
    found = fit_static_extremes(points, load_actuator("mx106_bam_m4")).actuator
    assert found.value("friction.K_c") + found.value("friction.K_cs") == pytest.approx(
        flat, rel=1e-4
    )
    assert found.value("friction.K_l") + found.value("friction.K_ls") == pytest.approx(
        part, rel=1e-4
    )


def test_what_cannot_be_fitted_is_refused():
    servo, joint = load_actuator("mx106_bam_m4"), load_actuator("qbmove_advanced_equal")
    with pytest.raises(PliantError, match="has no spring between motor and link"):
        fit_motor_side({}, servo)
    with pytest.raises(PliantError, match="theta_a: no such column"):
        fit_motor_side(dict.fromkeys(("time", "q", "goal"), np.arange(9.0)), joint)
    with pytest.raises(PliantError, match="has no friction budget"):
        fit_static_extremes({}, joint)
    points = dict(zip(COLUMNS, np.array([[1.0, 0.9, 0.2, 1.0, 0.2]]).T, strict=True))
    with pytest.raises(PliantError, match="theta_low: lies above theta_high"):
        fit_static_extremes(points, servo)
