"""Actuator state lives where MuJoCo keeps state: reset, copy, keyframe, rollout, Batch."""

import copy

import mujoco
import numpy as np
import pytest
from rigs import changed, delayed, played, wheels

import pliant

RIGS = {
    "servos": lambda: {"a": "xl330_bam_m6", "b": "mx106_bam_m6"},
    "slow": lambda: {"a": changed("xl330_bam_m6", control__speed_limit=2.0), "b": "mx106_bam_m6"},
    "elastic": lambda: {"a": "sea_centauro_100", "b": "sea_centauro_500"},
    "late": lambda: {"a": delayed("xl330_bam_m6", 0.0085), "b": delayed("mx106_bam_m6", 0.004)},
}
PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS


@pytest.fixture(params=RIGS)
def model(request) -> mujoco.MjModel:
    return wheels(RIGS[request.param]())


def commands(steps: int = 300, seed: int = 0) -> np.ndarray:
    """Commands for two joints that jump every 20 steps."""
    return np.random.default_rng(seed).uniform(-1, 1, (steps // 20, 2)).repeat(20, axis=0)


def state(model, data) -> np.ndarray:
    found = np.empty(mujoco.mj_stateSize(model, PHYSICS))
    mujoco.mj_getState(model, data, found, PHYSICS)
    return found


def test_after_a_reset_the_same_motion_comes_again(model):
    data = mujoco.MjData(model)
    first = played(model, commands(), data)
    mujoco.mj_resetData(model, data)
    np.testing.assert_array_equal(played(model, commands(), data), first)
    assert np.ptp(first) > 0.1


def test_an_actuator_has_rested_where_its_joint_is_put(model):
    """No motion is left over from a pose of zero: a pose and its goal shift together."""
    data = mujoco.MjData(model)
    data.qpos[:] = 0.7
    moved = played(model, commands() + 0.7, data)
    np.testing.assert_allclose(moved - 0.7, played(model, commands()), atol=1e-9)


def test_a_copy_made_on_the_way_goes_on_like_the_original(model):
    data, twin = mujoco.MjData(model), mujoco.MjData(model)
    played(model, commands(), data)
    mujoco.mj_copyData(twin, model, data)
    rest = commands(seed=1)
    np.testing.assert_array_equal(played(model, rest, twin), played(model, rest, data))


@pytest.mark.parametrize("rig", ["servos", "slow", "elastic"])
def test_a_keyframe_holds_all_of_it(rig):
    spec = mujoco.MjSpec.from_string(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/></body><body>'
        '<joint name="b" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/>'
        "</body></worldbody></mujoco>"
    )
    pliant.attach(spec, RIGS[rig]())
    spec.add_key()
    model = spec.compile()
    data = mujoco.MjData(model)
    played(model, commands(), data)
    mujoco.mj_setKeyframe(model, data, 0)
    expected = played(model, commands(seed=1), data)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    np.testing.assert_allclose(played(model, commands(seed=1), data), expected, atol=1e-9)


def test_rollout_on_two_threads_equals_the_loop(model):
    from mujoco import rollout

    data = mujoco.MjData(model)
    start = np.tile(state(model, data), (6, 1))
    controls = np.stack([commands(seed=k) for k in range(6)])
    states, _ = rollout.rollout(model, [mujoco.MjData(model) for _ in range(2)], start, controls)
    for k in range(6):
        mujoco.mj_resetData(model, data)
        played(model, controls[k], data)
        np.testing.assert_array_equal(states[k, -1], state(model, data))


def test_rollout_goes_on_from_a_state_taken_on_the_way(model):
    from mujoco import rollout

    data = mujoco.MjData(model)
    played(model, commands(), data)
    middle = state(model, data)
    rest = commands(seed=1)
    states, _ = rollout.rollout(model, mujoco.MjData(model), middle[None], rest[None])
    played(model, rest, data)
    np.testing.assert_allclose(states[0, -1], state(model, data), atol=1e-9)


def test_each_simulation_of_a_batch_has_parameters_of_its_own(model):
    batch = pytest.importorskip("mujoco.batch")
    many = batch.Batch(model, 6, nthread=2)
    users = many.expand("actuator_user")
    scales = np.linspace(0.7, 1.3, 6)
    column = 3  # of the position loop: control.kp or control.gain
    users[:, :, column] *= scales[:, None]
    controls = np.stack([commands(seed=k) for k in range(6)])
    found = many.rollout(300, controls, record=("qpos", "act"))
    single = copy.deepcopy(model)
    original = single.actuator_user.copy()
    for k in range(6):
        single.actuator_user[:] = original
        single.actuator_user[:, column] *= scales[k]
        np.testing.assert_array_equal(found["qpos"][k], played(single, controls[k]))
    assert np.ptp(found["qpos"][:, -1, 0]) > 0.01
