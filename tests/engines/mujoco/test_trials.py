"""Motions that are repeated: what `played` records, and learning on robots in MuJoCo."""

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant
from pliant.engines.mujoco.batch.trials import Trials, controls, played
from pliant.errors import PliantError
from pliant.learn import (
    LearningSettings,
    NormOptimal,
    Proportional,
    impulse_response,
    learn,
    lifted,
)

H = 2e-3


def pendulum(actuator, gravity: bool = True) -> tuple[mujoco.MjModel, object]:
    spec = spec_of(
        '<body><inertial pos="0 0 -0.1" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/>'
        '<joint name="a" axis="0 1 0" damping="0.05"/></body>',
        f'timestep="{H}" gravity="0 0 {-9.81 * gravity}"',
    )
    attached = pliant.attach(spec, {"a": actuator}) if actuator else None
    if not actuator:
        spec.add_actuator(name="a", target="a", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    return spec.compile(), attached


def test_a_played_motion_is_what_single_steps_make():
    model, attached = pendulum("sea_centauro_100")
    goals = 0.5 * np.sin(np.arange(300) * H * 5.0)
    motion = played(model, controls(model, 300, {"a": goals}), attached=attached, qpos=[0.2])
    data = mujoco.MjData(model)
    data.qpos[:] = 0.2
    rows = []
    for goal in goals:
        data.ctrl[0] = goal
        mujoco.mj_step(model, data)
        rows.append([data.time, data.qpos[0], data.qvel[0], *data.act])
    found = [motion.time, motion.position("a"), motion.velocity("a"), *motion.act.T]
    np.testing.assert_allclose(np.column_stack(found), rows, rtol=0.0, atol=1e-14)
    # th' = om, so the rotor's angle is the sum of its speeds
    theta, omega = motion.state("a", "rotor.theta"), motion.state("a", "rotor.omega")
    np.testing.assert_allclose(np.diff(theta)[50:], H * omega[50:-1], atol=2e-4)


def test_an_unknown_name_is_refused_with_what_there_is():
    model, attached = pendulum("sea_centauro_100")
    with pytest.raises(PliantError, match="no such actuator; found 'b'"):
        controls(model, 3, {"b": 0.0})
    motion = played(model, controls(model, 3, {}), attached=attached)
    with pytest.raises(PliantError, match=r"no such state; found 'rotor\.thet'; did you mean"):
        motion.state("a", "rotor.thet")
    with pytest.raises(PliantError, match="is not a multiple of the timestep"):
        Trials(model, ["a"], ["a"], period=3e-3)


def test_a_trial_starts_from_the_equilibrium_of_its_first_input():
    """A native position servo against gravity: k (goal - q) = m g l sin q, held from the start."""
    model, _ = pendulum(None)
    model.actuator_gainprm[0, 0], model.actuator_biasprm[0, 1] = 20.0, -20.0
    model.actuator_biastype[0] = mujoco.mjtBias.mjBIAS_AFFINE
    run = Trials(model, ["a"], ["a"], period=0.01, settle=6.0)
    q = run(np.full((1, 5, 1), 0.5))[0, :, 0]
    weight = 0.3 * 9.81 * 0.1
    np.testing.assert_allclose(20.0 * (0.5 - q), weight * np.sin(q), atol=1e-5)


@pytest.mark.parametrize("kind", ["torque", "position", "equilibrium"])
def test_learning_makes_a_pendulum_follow(kind):
    """The same law of learning on a bare torque, a position servo, and a spring's equilibrium."""
    model, _ = pendulum(
        {"torque": None, "position": "xl330_bam_m6", "equilibrium": "sea_centauro_100"}[kind]
    )
    run = Trials(model, ["a"], ["a"], period=0.02)
    x = np.arange(1, 101) / 100
    wanted = (0.4 * x**3 * (10 - 15 * x + 6 * x**2))[:, None]
    first = np.zeros_like(wanted) if kind == "torque" else wanted
    response = impulse_response(run, first, 0.05)
    update = NormOptimal(plant=lifted(response), change=1e-2)
    found = learn(run, wanted, update, first=first, settings=LearningSettings(iterations=6))
    largest = [one.largest.max() for one in found.iterations]
    assert largest[-1] < 0.15 * largest[0]


def test_variations_are_runs_with_a_number_of_their_own():
    spec = spec_of(wheel(joint='damping="0.1"'), f'timestep="{H}" gravity="0 0 0"')
    spec.add_actuator(name="a", target="a", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    model = spec.compile()
    run = Trials(model, ["a"], ["a"], period=0.1, variations=2)
    damping = np.array([[0.1], [0.4]])
    run.vary("dof_damping", damping)
    q = run(np.full((2, 40, 1), 0.2))[:, :, 0]
    speed = (q[:, -1] - q[:, -2]) / 0.1
    np.testing.assert_allclose(speed, 0.2 / damping[:, 0], rtol=1e-6)


def test_p_learning_in_mujoco_has_the_rate_of_its_plant():
    """A position servo without gravity passes slow inputs on: e' = (1 - gamma) e."""
    model, _ = pendulum("sea_centauro_500", gravity=False)
    run = Trials(model, ["a"], ["a"], period=0.05)
    wanted = (0.3 * np.sin(np.arange(1, 161) * 0.05 * 0.3))[:, None]
    found = learn(
        run,
        wanted,
        Proportional(gain=0.5),
        first=0.5 * wanted,
        settings=LearningSettings(iterations=4),
    )
    rms = [one.rms[0] for one in found.iterations]
    np.testing.assert_allclose(np.divide(rms[1:], rms[:-1]), 0.5, atol=0.1)
