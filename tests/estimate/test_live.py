"""The estimator beside a running simulation finds the springs that run there."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant import PliantError
from pliant.estimate.dynamics import load_dynamics
from pliant.estimate.live import LiveStiffness

ARM = """<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>
<body><joint name="elbow" axis="0 1 0"/>
  <inertial pos="0 0 -0.12" mass="{mass}" diaginertia="0.004 0.004 0.001"/>{more}</body>
{beside}</worldbody>{end}</mujoco>"""


def written(folder, mass=0.6, more="", beside="", end=""):
    path = folder / "arm.xml"
    path.write_text(ARM.format(mass=mass, more=more, beside=beside, end=end))
    return path


def attached(path, actuator):
    spec = mujoco.MjSpec.from_file(str(path))
    attachment = pliant.attach(spec, {"elbow": actuator})
    return spec.compile(), attachment


def goal(t):
    return 0.6 * np.sin(2.0 * t) + 0.3 * np.sin(5.3 * t)


def test_three_lines_find_the_spring_of_an_attached_actuator(tmp_path):
    path = written(tmp_path)
    model, attachment = attached(path, "sea_trumic_103")
    data = mujoco.MjData(model)
    live = LiveStiffness.of_actuators(model, attachment, load_dynamics(path))
    found = None
    while data.time < 8.0:
        data.ctrl[0] = goal(data.time)
        mujoco.mj_step(model, data)
        found = live.update(data)
    assert found is not None
    assert found.sigma[0] == pytest.approx(103.0, rel=1e-3)


def test_two_springs_of_an_antagonistic_actuator_are_found(tmp_path):
    path = written(tmp_path, mass=0.15)
    actuator = pliant.load_actuator("qbmove_maker_pro")
    model, attachment = attached(path, actuator)
    data = mujoco.MjData(model)
    live = LiveStiffness.of_actuators(model, attachment, load_dynamics(path))
    thetas = [2 + k for k, name in enumerate(actuator.state) if name.endswith(".theta")]
    springs = [
        [actuator.value(f"elastic_{i}.spring.{x}") for x in ("k", "a")]
        if f"elastic_{i}.spring.k" in actuator.fields
        else [actuator.value(f"spring_{i}.{x}") for x in ("k", "a")]
        for i in (1, 2)
    ]
    errors = []
    while data.time < 20.0:
        data.ctrl[:] = 0.5 * goal(0.7 * data.time), 0.3 + 0.1 * np.sin(0.9 * data.time)
        mujoco.mj_step(model, data)
        found = live.update(data)
        if data.time > 10.0 and found is not None and round(data.time / 1e-3) % 5 == 0:
            phi = data.qpos[0] - data.act[thetas]
            truth = sum(k * a * np.cosh(a * x) for (k, a), x in zip(springs, phi, strict=True))
            errors.append(abs(found.sigma[0] / truth - 1.0))
    assert np.median(errors) < 0.02


def test_motors_that_are_joints_of_their_own(tmp_path):
    beside = (
        '<body pos="1 0 0"><joint name="motor" axis="0 1 0" damping="0.5"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>'
    )
    end = '<actuator><position joint="motor" kp="300"/></actuator>'
    path = written(tmp_path, beside=beside, end=end)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    live = LiveStiffness.of_joints(model, {"elbow": "motor"}, load_dynamics(path, joints=["elbow"]))
    found = None
    while data.time < 8.0:
        data.ctrl[0] = goal(data.time)
        spring = 60.0 * (data.qpos[0] - data.qpos[1])
        data.qfrc_applied[:] = -spring, spring
        mujoco.mj_step(model, data)
        found = live.update(data)
    assert found is not None
    assert found.sigma[0] == pytest.approx(60.0, rel=0.01)


def test_after_a_reset_what_was_learned_stays(tmp_path):
    path = written(tmp_path)
    model, attachment = attached(path, "sea_trumic_103")
    data = mujoco.MjData(model)
    live = LiveStiffness.of_actuators(model, attachment, load_dynamics(path))
    for _ in range(2):
        while data.time < 3.0:
            data.ctrl[0] = goal(data.time)
            mujoco.mj_step(model, data)
            live.update(data)
        mujoco.mj_resetData(model, data)
        assert live.update(data) is not None
    while data.time < 0.5:
        data.ctrl[0] = goal(data.time)
        mujoco.mj_step(model, data)
        found = live.update(data)
    assert found.sigma[0] == pytest.approx(103.0, rel=0.05)


def test_what_cannot_be_estimated_is_refused(tmp_path):
    path = written(tmp_path)
    model, attachment = attached(path, "xl330_bam_m1")
    with pytest.raises(PliantError, match=r"joint elbow: has no spring to estimate; found 'xl330"):
        LiveStiffness.of_actuators(model, attachment, load_dynamics(path))
    model, attachment = attached(path, "sea_trumic_103")
    with pytest.raises(PliantError, match=r"period: is not a multiple of the model's timestep"):
        LiveStiffness.of_actuators(model, attachment, load_dynamics(path), period=0.0015)
    with pytest.raises(PliantError, match="joint elbow: motor channel missing"):
        LiveStiffness.of_joints(model, {}, load_dynamics(path))
    with pytest.raises(PliantError, match="no such joint in the model; found 'motr'"):
        LiveStiffness.of_joints(model, {"elbow": "motr"}, load_dynamics(path))
