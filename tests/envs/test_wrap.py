"""Gymnasium's own environments with measured joints."""

from functools import partial
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.errors import PliantError

gymnasium: Any = pytest.importorskip("gymnasium")
pytest.importorskip("imageio")  # which Gymnasium's MuJoCo environments need
pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning")  # Gymnasium's, of infinite boxes
SERVO = "mx106_bam_m6"


def cheetah(**options: Any) -> Any:
    from pliant.envs import with_actuators

    made = gymnasium.make("HalfCheetah-v5")
    return with_actuators(made, SERVO, timestep=0.0025, **options)


def ant() -> Any:
    return gymnasium.make("pliant.envs:pliant/Ant-v0")


@pytest.mark.parametrize("make", [cheetah, ant])
def test_the_check_of_gymnasium_passes(make: Any) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(make(), skip_render_check=True)


def test_it_moves_as_the_same_joints_do_in_mujoco() -> None:
    env = cheetah()
    env.reset(seed=1)
    base = env.unwrapped
    q, v = base.data.qpos.copy(), base.data.qvel.copy()
    spec = mujoco.MjSpec.from_file(base.fullpath)
    spec.option.timestep = 0.0025
    joints = [a.target for a in spec.actuators]
    pliant.attach(spec, dict.fromkeys(joints, SERVO), replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    ends = np.array([model.joint(name).range for name in joints])
    action = np.linspace(-0.9, 0.9, 6).astype(np.float32)
    for _ in range(8):
        env.step(action)
        data.ctrl[:] = ends[:, 0] + 0.5 * (action.astype(float) + 1.0) * (ends[:, 1] - ends[:, 0])
        mujoco.mj_step(model, data, nstep=20)
    assert base.dt == pytest.approx(0.05)
    np.testing.assert_allclose(base.data.qpos, data.qpos, atol=1e-9)
    assert np.abs(data.qpos - q).max() > 0.1


def test_a_slide_is_driven_by_a_transmission() -> None:
    from pliant.envs import with_actuators

    with pytest.raises(PliantError, match="the actuator is rotary and the joint slides"):
        with_actuators(gymnasium.make("InvertedPendulum-v5"), SERVO)
    env = with_actuators(
        gymnasium.make("InvertedPendulum-v5"), SERVO, transmission={"slider": 0.05}
    )
    env.reset(seed=1)
    low, high = env.unwrapped.model.joint("slider").range
    env.step(np.ones(1, np.float32))
    assert env.unwrapped.data.ctrl[0] == pytest.approx(high / 0.05)
    assert env.unwrapped.data.qpos[0] > 0.0 > low


def test_a_seed_repeats_the_servos_that_were_drawn() -> None:
    draws = {"bthigh": {"motor.k_t": [0.5, 1.0, 1.5], "own.armature": [0.01, 0.02, 0.03]}}
    env = cheetah(draws=draws)
    model, seen = env.unwrapped.model, set[float]()
    for seed in range(20):
        env.reset(seed=seed)
        armature = float(model.dof_armature[model.joint("bthigh").dofadr[0]])
        seen.add(armature)
        env.reset(seed=seed)
        assert armature == model.dof_armature[model.joint("bthigh").dofadr[0]]
    assert seen == {0.01, 0.02, 0.03}


@pytest.mark.parametrize(("name", "context"), [("ServoReach", "fork"), ("Ant", "spawn")])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_processes_of_their_own_step_the_same(name: str, context: str) -> None:
    make = partial(gymnasium.make, f"pliant.envs:pliant/{name}-v0")
    many = gymnasium.vector.AsyncVectorEnv([make, make], context=context)
    serial = gymnasium.vector.SyncVectorEnv([make, make])
    try:
        expected, _ = serial.reset(seed=3)
        found, _ = many.reset(seed=3)
        np.testing.assert_array_equal(found, expected)
        random = np.random.default_rng(1)
        for _ in range(5):
            actions = random.uniform(-1.0, 1.0, many.action_space.shape).astype(np.float32)
            np.testing.assert_array_equal(many.step(actions)[0], serial.step(actions)[0])
    finally:
        many.close()


def test_what_cannot_be_is_one_clear_line() -> None:
    from pliant.envs import with_actuators

    with pytest.raises(PliantError, match="CartPoleEnv: is not a MuJoCo environment"):
        with_actuators(gymnasium.make("CartPole-v1"), SERVO)
    with pytest.raises(PliantError, match="timestep: must divide the environment's step"):
        with_actuators(gymnasium.make("HalfCheetah-v5"), SERVO, timestep=0.004)
    with pytest.raises(PliantError, match="ranges: no such control; found 'knee'"):
        with_actuators(gymnasium.make("HalfCheetah-v5"), SERVO, ranges={"knee": (0.0, 1.0)})
    for joint, name, control in (
        ("bthigh", "qbmove_maker_pro", r"bthigh\.preset"),
        ("bthigh", "ak80_6_dfki_m1", "bthigh"),
    ):
        with pytest.raises(PliantError, match=f"control {control}: needs a range"):
            with_actuators(gymnasium.make("HalfCheetah-v5"), {joint: name}, timestep=0.0025)
