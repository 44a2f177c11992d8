"""Numbers of a part of a joint come back from motions and points that other equations made."""

import numpy as np
import pytest

from pliant import PliantError
from pliant.estimate.motor_side import fit_motor_side
from pliant.estimate.static_extremes import COLUMNS, fit_static_extremes
from pliant.io.actuator_file import load_actuator

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


@pytest.mark.long
def test_friction_and_springs_of_a_variable_stiffness_joint_come_from_its_motors():
    found = fit_motor_side(qbmove(), load_actuator("qbmove_advanced_equal"))
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
