"""The environments are Gymnasium's, and their joints are Pliant's."""

from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.errors import PliantError

gymnasium: Any = pytest.importorskip("gymnasium")


@pytest.fixture(params=["ServoReach", "StiffnessReach"])
def arm(request: pytest.FixtureRequest) -> str:
    return request.param


def made(name: str, **options: Any) -> Any:
    return gymnasium.make(f"pliant.envs:pliant/{name}-v0", **options)


@pytest.mark.filterwarnings("ignore:.*infinity")
def test_gymnasiums_own_check_passes(arm: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(made(arm).unwrapped, skip_render_check=True)


def test_the_arm_weighs_what_it_says_and_its_tip_is_where_mujoco_has_it(arm: str) -> None:
    env = made(arm).unwrapped
    task, model, data = env.task, env.model, env.data
    assert model.body_mass[1:] == pytest.approx(
        [task.arm.masses[0], task.arm.masses[1] + task.arm.tip]
    )
    random = np.random.default_rng(1)
    for _ in range(5):
        data.qpos[:] = random.uniform(-2.0, 2.0, 2)
        mujoco.mj_kinematics(model, data)
        ahead, _, up = data.site("tip").xpos
        np.testing.assert_allclose(task.arm.tips(np.array(data.qpos)), [ahead, up], atol=1e-12)


def test_a_joint_moves_as_its_actuator_does_in_plain_mujoco() -> None:
    env = made("ServoReach").unwrapped
    env.reset(seed=3)
    q, v = np.array(env.data.qpos), np.array(env.data.qvel)
    model, _ = env.task.arm.model({"shoulder": "xl330_bam_m6", "elbow": "xl330_bam_m6"})
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    action = np.array([0.4, -0.2], np.float32)
    for _ in range(20):
        env.step(action)
        data.ctrl[:] = 1.5 * action.astype(np.float64)
        mujoco.mj_step(model, data, nstep=10)
    np.testing.assert_array_equal(env.data.qpos, data.qpos)


def test_stiffness_is_an_action() -> None:
    """A weight on the arm bends it less the stiffer it is."""
    sag: list[float] = []
    for preset in (-1.0, 1.0):
        env = made("StiffnessReach").unwrapped
        env.reset(seed=1)
        for _ in range(100):
            env.step(np.array([0.8, 0.0, preset, preset]))
        goal = env.task.arm.commands(np.array([0.8, 0.0, 0.0, 0.0]))[0]
        sag.append(abs(goal - env.data.qpos[0]))
    assert sag[0] > 1.5 * sag[1]


def test_many_arms_together_are_each_as_alone() -> None:
    many = gymnasium.make_vec(
        "pliant.envs:pliant/ServoReach-v0", num_envs=3, vectorization_mode="vector_entry_point"
    )
    many.reset(seed=5)
    start, target = np.array(many.unwrapped._batch.qpos), many.unwrapped._target.copy()
    actions = np.random.default_rng(2).uniform(-1.0, 1.0, (10, 3, 2)).astype(np.float32)
    seen = [many.step(action)[:2] for action in actions]
    alone = made("ServoReach").unwrapped
    for k in range(3):
        alone.reset(seed=1)
        mujoco.mj_resetData(alone.model, alone.data)
        alone.data.qpos[:], alone.data.ctrl[:] = start[k], start[k]
        alone._target, alone._last = target[k], np.zeros(2)
        for action, (observation, reward) in zip(actions, seen, strict=True):
            expected = alone.step(action[k])
            np.testing.assert_allclose(observation[k], expected[0], atol=1e-9)
            assert reward[k] == pytest.approx(expected[1], abs=1e-9)


def test_a_finished_arm_begins_anew_and_the_others_go_on() -> None:
    many = gymnasium.make_vec(
        "pliant.envs:pliant/ServoReach-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        max_episode_steps=5,
    ).unwrapped
    many.reset(seed=1)
    many._age[1] = 2
    action = np.zeros((2, 2), np.float32)
    ends = [many.step(action)[3].tolist() for _ in range(6)]
    assert ends[2] == [False, True]
    assert ends[3] == [False, False]
    assert ends[4] == [True, False]
    assert many._age.tolist() == [0, 2]


def test_draws_change_the_servo_and_a_seed_repeats_them() -> None:
    base = pliant.load_actuator("xl330_bam_m6").value("motor.k_t")
    draws = {"elbow": {"motor.k_t": [0.5 * base, 2.0 * base], "own.armature": [0.001, 0.01]}}
    env = made("ServoReach", draws=draws).unwrapped
    column = list(pliant.load_actuator("xl330_bam_m6").fields).index("motor.k_t")
    seen: set[tuple[float, float]] = set()
    for seed in range(12):
        env.reset(seed=seed)
        seen.add((env.model.actuator_user[1, column], env.model.dof_armature[1]))
        first = (env.model.actuator_user.copy(), env.data.qpos.copy())
        env.reset(seed=seed)
        np.testing.assert_array_equal(first[0], env.model.actuator_user)
        np.testing.assert_array_equal(first[1], env.data.qpos)
    assert seen == {(0.5 * base, 0.001), (2.0 * base, 0.01)}


def test_a_wrong_name_is_one_clear_line() -> None:
    with pytest.raises(PliantError, match="arm: no such arm; found 'Reach'"):
        made("ServoReach", arm="Reach")
    with pytest.raises(PliantError, match="nothing was attached to this joint; found 'wrist'"):
        made("ServoReach", draws={"wrist": {"motor.k_t": [1.0]}})
    with pytest.raises(PliantError, match="needs columns of the same length"):
        made("ServoReach", draws={"elbow": {"motor.k_t": [1.0], "motor.R": [1.0, 2.0]}})
