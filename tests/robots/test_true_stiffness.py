"""The stiffness that a robot reports is the slope of the torque that MuJoCo applies, everywhere."""

from math import cosh

import mujoco
import numpy as np
import pytest

from pliant.robots.robot import Robot
from pliant.robots.urdf import load_urdf

pytestmark = pytest.mark.slow  # actuators are compiled

DEVICES = {"sea": 0.8, "qbmove": 0.8, "bavs": 0.27, "awas_ii": 0.3}
"""Device to its max_def, and so to the joint of its name."""
PRESET = {"sea": 0.0, "qbmove": 0.3, "bavs": 0.1, "awas_ii": 0.02}
STEP = 1e-6


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """One joint for each device in mode 3: motors are where the references are."""
    import urdf_texts as texts

    parts = [texts.arm(device) for device in DEVICES]
    parts += [texts.plugin(device, device, 3) for device in DEVICES]
    path = tmp_path_factory.mktemp("stiffness") / "robot.urdf"
    path.write_text(texts.robot(*parts))
    spec, info = load_urdf(path)
    return spec.compile(), info


def settled(built, **options) -> Robot:
    """With the motors at 0.1 rad and their presets, whatever the links have done."""
    robot = Robot(*built, target="python", **options)
    robot.reference_1, robot.reference_2 = np.full(4, 0.1), list(PRESET.values())
    for _ in range(100):
        robot.data.qpos[:], robot.data.qvel[:] = 0.1, 0.0
        robot.step()
    return robot


def turned(robot: Robot, deflection) -> None:
    robot.data.qpos[:], robot.data.qvel[:] = 0.1 + np.asarray(deflection), 0.0


def slopes(robot: Robot, deflection) -> np.ndarray:
    """(4,) [N m/rad] -d torque / dq of the native plugin, by central differences."""
    torque = []
    for side in (-STEP, STEP):
        turned(robot, np.asarray(deflection) + side)
        mujoco.mj_forward(robot.model, robot.data)
        torque.append(robot.link.torque)
    return (torque[0] - torque[1]) / (2.0 * STEP)


@pytest.mark.parametrize("part", [-0.6, 0.05, 0.5, 1.05, 1.6])
def test_stiffness_is_the_slope_of_the_torque_also_beyond_the_limit(built, part):
    robot = settled(built)
    deflection = part * np.array(list(DEVICES.values()))
    expected = slopes(robot, deflection)
    turned(robot, deflection)
    np.testing.assert_allclose(robot.stiffness, expected, rtol=1e-6, atol=1e-6)
    if part > 1.5:
        assert robot.stiffness[0] == 0.0  # one spring alone, which slips


def test_the_toolboxs_stiffness_beyond_the_limit_is_that_at_the_limit(built):
    robot = settled(built, compat_stiffness=True)
    turned(robot, [1.0, 1.2, 0.1, 0.1])
    k, a, one, two = 0.0019, 8.9992, 0.8, 0.8  # deflections 0.9 and 1.5, both held at 0.8
    assert robot.stiffness[0] == 10.0
    assert robot.stiffness[1] == pytest.approx(a * k * (cosh(a * one) + cosh(a * two)), rel=1e-9)
    np.testing.assert_array_equal(robot.stiffness[2:], settled_stiffness(built)[2:])


def settled_stiffness(built) -> np.ndarray:
    robot = settled(built)
    turned(robot, np.full(4, 0.1))
    return robot.stiffness
