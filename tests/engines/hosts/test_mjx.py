"""Actuators in MJX: the motion of MuJoCo with `attach`, and slopes through it."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.errors import PliantError

from .cases import named

if importlib.util.find_spec("jax") is None or importlib.util.find_spec("mujoco.mjx") is None:
    pytest.skip("MJX is not installed", allow_module_level=True)

import jax
import jax.numpy as jnp
from mujoco import mjx

H, COUNT, DRIVEN = 0.002, 1000, ("shoulder", "elbow")


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def arm() -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_file("examples/arm.xml")
    spec.option.timestep = H
    return spec


def goal(k: Any) -> Any:
    return 0.6 * jnp.sin(2.5 * k * H)


def in_mujoco(name: str) -> Any:
    """(N, 3) angles of all joints."""
    spec = arm()
    pliant.attach(spec, dict.fromkeys(DRIVEN, name))
    model = spec.compile()
    data, path = mujoco.MjData(model), []
    for k in range(COUNT):
        data.ctrl[[model.actuator(joint).id for joint in DRIVEN]] = goal(k)
        mujoco.mj_step(model, data)
        path.append(data.qpos.copy())
    return np.array(path)


def in_mjx(name: str, count: int = COUNT) -> tuple[Any, Callable[[Any], Any]]:
    """The joints, and their parameters to (N, 3) angles."""
    joints = pliant.jax.mjx_joints(arm(), dict.fromkeys(DRIVEN, name))
    model, data = mjx.put_model(joints.model), mjx.make_data(joints.model)
    at = jnp.array([joints.model.actuator(joint).id for joint in DRIVEN])

    def motion(parameters: Any) -> Any:
        def step(now: Any, k: Any) -> Any:
            state, data = now
            data = data.replace(ctrl=data.ctrl.at[at].set(goal(k)))
            state, data = pliant.jax.mjx_step(joints, parameters, model, state, data)
            return (state, data), data.qpos

        return jax.lax.scan(step, (joints.start(parameters, data), data), jnp.arange(count))[1]

    return joints, jax.jit(motion)


@pytest.mark.slow
@pytest.mark.parametrize("name", named(["sts3215_so101"], ["xl330_bam_m6", "qbmove_maker_pro"]))
def test_a_coupled_arm_moves_as_in_mujoco(name: str) -> None:
    joints, motion = in_mjx(name)
    apart = np.abs(np.asarray(motion(joints.parameters)) - in_mujoco(name))
    assert apart.mean() < 0.02e-3 and apart.max() < 0.2e-3


@pytest.mark.slow
def test_slopes_through_the_motion_are_those_of_differences() -> None:
    joints, motion = in_mjx("mx106_bam_m4", 150)

    def scaled(x: Any) -> Any:
        shoulder = joints.parameters["shoulder"]
        friction = shoulder.friction._replace(K_v=x * shoulder.friction.K_v)
        return motion({**joints.parameters, "shoulder": shoulder._replace(friction=friction)})

    slope, near = jax.jacfwd(scaled)(1.0), 1e-5
    differences = (scaled(1.0 + near) - scaled(1.0 - near)) / (2.0 * near)
    assert np.abs(slope).max() > 1e-3
    np.testing.assert_allclose(slope, differences, atol=1e-4 * np.abs(slope).max())


def test_what_mjx_cannot_take_is_refused_by_name() -> None:
    spec = arm()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(PliantError, match="integrator: has four stages per step; found 'RK4'"):
        pliant.jax.mjx_joints(spec, {"elbow": "mx106_bam_m4"})
    with pytest.raises(PliantError, match="found 'ellbow'; did you mean 'elbow'"):
        pliant.jax.mjx_joints(arm(), {"ellbow": "mx106_bam_m4"})
