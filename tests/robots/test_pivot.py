"""A pivot with a mass of its own, as the documentation builds it: the spring's force moves it."""

import re
from math import sin
from pathlib import Path

import mujoco
import pytest

import pliant
from pliant.robots.robot import Robot

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compliant_actuators.md"
LINK = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body>
<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><joint name="a"/></body></worldbody>
</mujoco>"""


def test_an_awas_ii_has_its_softest_stiffness_before_anything_was_commanded():
    spec = mujoco.MjSpec.from_string(LINK)
    attachment = pliant.attach(spec, {"a": "awas_ii"})
    robot = Robot(spec.compile(), attachment, target="python")
    ratio = 0.05 / 0.015 * 0.005 / (0.05 - 0.005)
    assert robot.motor_2.position[0] == 0.005
    assert robot.stiffness[0] == pytest.approx(2.0 * 10.0 * ratio**2, rel=1e-12)
    robot.reference_2 = [0.005]
    robot.step(50)
    assert robot.motor_2.position[0] == pytest.approx(0.005, abs=1e-15)


@pytest.mark.slow  # it is compiled
def test_a_loaded_spring_pushes_the_pivot_of_an_awas_ii_out_of_its_place():
    section = PAGE.read_text("utf-8").partition("## 1.4")[2].partition("## 1.5")[0]
    made: dict[str, pliant.Actuator] = {}
    exec(re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0], made)
    spec = mujoco.MjSpec.from_string(LINK)
    attachment = pliant.attach(spec, {"a": made["pivot"]})
    robot = Robot(spec.compile(), attachment, target="python")
    robot.reference_1, robot.reference_2 = [0.3], [0.02]
    robot.step(900)
    assert robot.motor_2.position[0] == pytest.approx(0.02, abs=1e-6)
    robot.external_torque = [5.0]
    robot.step(2000)
    x, phi = robot.motor_2.position[0], robot.deflection[0, 0]
    ratio = 0.05 / 0.015 * x / (0.05 - x)
    slope = 0.05 / 0.015 * 0.05 / (0.05 - x) ** 2
    assert 10.0 * ratio**2 * sin(2.0 * phi) == pytest.approx(5.0, rel=1e-3)
    force = 20.0 * ratio * slope * sin(phi) ** 2
    assert force > 20.0
    assert robot.elastic_torque_2[0] == pytest.approx(force, rel=1e-9)
    assert robot.motor_2.effort[0] == pytest.approx(force, rel=1e-3)
    assert 2e4 * (0.02 - x) == pytest.approx(force, rel=1e-3)
