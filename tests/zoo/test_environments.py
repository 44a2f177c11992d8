"""Environments of others go on as they are when their robots get Pliant's actuators."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant

KINDS = ("mx106_bam_m4", "sea_walkman_200")


@pytest.mark.parametrize("actuator", KINDS)
@pytest.mark.parametrize(
    ("domain", "task"),
    [
        ("acrobot", "swingup"),
        ("cheetah", "run"),
        ("finger", "spin"),
        ("hopper", "hop"),
        ("humanoid", "stand"),
        ("pendulum", "swingup"),
        ("walker", "walk"),
    ],
)
def test_dm_controls_environments_keep_their_spaces(domain: str, task: str, actuator: str) -> None:
    suite = pytest.importorskip("dm_control.suite", reason="pip install pliant[zoo]")
    if mujoco.__version__.startswith("4.") and not hasattr(mujoco.MjModel, "flex_vertedge"):
        pytest.skip("this dm_control reads a field that MuJoCo 4 has no more")
    from dm_control.mujoco import wrapper
    from dm_control.rl import control

    before = suite.load(domain, task)
    module = getattr(suite, domain)
    spec = mujoco.MjSpec.from_file(str(Path(module.__file__).with_name(f"{domain}.xml")))
    joints = list(dict.fromkeys(entry.target for entry in spec.actuators))
    pliant.attach(spec, dict.fromkeys(joints, actuator), replace=True, limits="joint")
    physics = module.Physics.from_model(wrapper.MjModel(spec.compile()))
    step = before.control_timestep()
    now = control.Environment(physics, before.task, control_timestep=step)
    assert now.action_spec().shape == before.action_spec().shape
    assert now.observation_spec().keys() == before.observation_spec().keys()
    for name, wanted in before.observation_spec().items():
        assert now.observation_spec()[name].shape == wanted.shape
    random = np.random.default_rng(1)
    low, high = now.action_spec().minimum, now.action_spec().maximum
    now.reset()
    for _ in range(40):
        seen = now.step(random.uniform(np.maximum(low, -1.0), np.minimum(high, 1.0)))
    assert np.isfinite(seen.reward)
    assert all(np.isfinite(values).all() for values in seen.observation.values())
    assert physics.data.time == pytest.approx(40 * step)
