"""The simulated recordings of the experiments against a tight integrator and MuJoCo."""

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pliant.experiments.support.compliant_truth import (
    RAMP,
    Waves,
    awas,
    encoded,
    motor_positions,
    msrep,
    pendulum_truth,
    qbmove,
    series_elastic,
)
from pliant.experiments.trumic2022.two_link_truth import Friction, TwoLink, two_link_truth

WAVES = Waves(
    offset=np.array([0.5, -0.5]),
    amplitude=np.array([[0.4, 0.06], [0.4, -0.06]]),
    omega=np.array([[1.3, 2.0]] * 2),
    phase=np.array([[0.2, 0.0]] * 2),
)


def sinh_pair(q, th):
    return 0.022 * (np.sinh(6.85 * (q - th[0])) + np.sinh(6.85 * (q - th[1])))


def lever(q, th):
    return 400.0 * (0.1 - 0.01 * th[1]) ** 2 * np.sin(2 * (q - th[0]))


@pytest.mark.parametrize(
    ("spring", "torque"),
    [
        (lambda: series_elastic(103.0), lambda q, th: 103.0 * (q - th[0])),
        (lambda: qbmove(0.022, 6.85), sinh_pair),
        (lambda: awas(400.0, 0.1, 0.01), lever),
    ],
    ids=["sea", "qbmove", "awas"],
)
def test_one_joint_moves_as_a_tight_integrator_says(spring, torque):
    # both are started from rest at zero, and a mean position of 0 is where the springs balance
    waves = (
        WAVES
        if torque(0.0, np.array([0.5, -0.5])) == 0.0
        else Waves(
            offset=np.zeros(2), amplitude=WAVES.amplitude, omega=WAVES.omega, phase=WAVES.phase
        )
    )
    truth = pendulum_truth(spring(), 0.01, 0.3, waves, 8.0, 0.005)

    def rates(t, x):
        th = motor_positions(waves, np.array([t]))[0]
        return [x[1], -(0.3 * np.sin(x[0]) + torque(x[0], th)) / 0.01]

    exact = solve_ivp(
        rates, (0.0, 8.0), [0.0, 0.0], method="DOP853", rtol=1e-10, atol=1e-12, t_eval=truth.time
    ).y[0]
    # a spring of 103 N m/rad on this link swings at 16 Hz
    assert np.max(np.abs(truth.q[:, 0] - exact)) < 1e-6
    h = 1e-5
    for k in (400, 1200):
        q, th = truth.q[k, 0], truth.theta[k]
        slope = (torque(q + h, th) - torque(q - h, th)) / (2 * h)
        assert truth.sigma[k, 0] == pytest.approx(slope, rel=1e-7)


def test_motors_start_from_rest():
    t = np.array([0.0, 1e-3, RAMP, RAMP + 1.0])
    theta = motor_positions(WAVES, t)
    assert theta[0] == pytest.approx([0.5, -0.5])
    assert theta[1] == pytest.approx([0.5, -0.5], abs=1e-9)
    assert theta[3, 0] == pytest.approx(
        0.5 + 0.4 * np.sin(1.3 * 6.0 + 0.2) + 0.06 * np.sin(2.0 * 6.0)
    )


@pytest.mark.slow
def test_the_arm_without_friction_moves_as_in_mujoco():
    arm = TwoLink(mass=(0.5, 0.3), length=(0.2, 0.1), centre=(0.12, 0.04), inertia=(2e-3, 1e-3))
    dt, sub = 0.01, 10
    t = np.arange(2 * sub * 200 + 1) * (dt / (2 * sub))
    theta = np.stack([0.6 * np.sin(3.0 * t), -0.9 * np.sin(5.0 * t)], -1)
    truth = two_link_truth(
        arm, series_elastic(4.0), Friction(coulomb=0.0, presliding=1.0, viscous=0.0), theta, dt, sub
    )
    model = arm.model()
    M, bias, data = np.zeros((2, 2)), np.zeros(2), mujoco.MjData(model)

    def rates(s, x):
        data.qpos[:], data.qvel[:] = x[:2], x[2:]
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, M)
        bias[:] = data.qfrc_bias
        th = np.array([0.6 * np.sin(3.0 * s), -0.9 * np.sin(5.0 * s)])
        return [*x[2:], *np.linalg.solve(M, -bias - 4.0 * (x[:2] - th))]

    exact = solve_ivp(rates, (0.0, 2.0), np.zeros(4), rtol=1e-7, atol=1e-9, t_eval=truth.time).y
    assert np.max(np.abs(exact[:2])) > 0.3
    assert np.max(np.abs(truth.q.T - exact[:2])) < 5e-5


def test_friction_holds_the_arm_up_to_its_torque_and_no_further():
    arm = TwoLink(mass=(0.2, 0.2), length=(0.1, 0.1), centre=(0.05, 0.05), inertia=(2e-4, 2e-4))
    dt, sub = 0.005, 20
    t = np.arange(2 * sub * 400 + 1) * (dt / (2 * sub))
    stiff = Friction(coulomb=0.1, presliding=100.0, viscous=0.05)
    for pull, moves in ((0.08, False), (0.14, True)):
        theta = np.stack([np.zeros_like(t), np.minimum(t, 1.0) * pull / 4.0], -1)
        truth = two_link_truth(arm, series_elastic(4.0), stiff, theta, dt, sub)
        assert (abs(truth.q[-1, 1]) > 2e-3) == moves


def test_an_encoder_gives_the_nearest_step_and_an_exact_one_all():
    x = np.array([[0.00024, -0.00031]])
    assert encoded(x, 2e-4) == pytest.approx(np.array([[2e-4, -4e-4]]))
    assert (encoded(x, 0.0) == x).all()


def test_msrep_is_in_percent_and_counts_what_is_unknown():
    assert msrep(np.array([2.0, 4.0]), np.array([2.2, np.nan])) == pytest.approx(
        100 * (0.01 + 1.0) / 2
    )
