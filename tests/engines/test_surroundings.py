"""Surroundings of a joint: oracles are the two-link arm's equations on paper, and MuJoCo's own motion."""

from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.led import LedBatch, LedLog
from pliant.engines.mujoco.batch.surroundings import plain_model, surroundings
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog

L1, L2, M1, M2, G = 0.3, 0.2, 0.4, 0.15, 9.81
ARM = f"""<mujoco><worldbody><geom type="plane" size="1 1 .1" pos="0 0 -0.45"/>
<body><joint name="a" axis="0 -1 0"/>
<inertial pos="0 0 -{L1}" mass="{M1}" diaginertia="1e-12 1e-12 1e-12"/>
<body pos="0 0 -{L1}"><joint name="b" axis="0 -1 0" damping="3" armature="2"/>
<inertial pos="0 0 -{L2}" mass="{M2}" diaginertia="1e-12 1e-12 1e-12"/>
<geom type="sphere" size="0.001" pos="0 0 -{L2}" mass="0"/></body></body></worldbody></mujoco>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def log(time, a, b) -> RobotLog:
    position = np.column_stack([a, b])
    nothing = np.full_like(position, np.nan)
    return RobotLog("swing", ("a", "b"), time, position, position, nothing, position < 9.0)


def test_inertia_and_load_are_those_of_the_equations_on_paper(arm: Path) -> None:
    time = np.arange(0.0, 2.0, 5e-3)
    a, b = 0.4 * np.sin(2.0 * time), 0.7 + 0.3 * np.cos(3.0 * time)
    va, vb = 0.8 * np.cos(2.0 * time), -0.9 * np.sin(3.0 * time)
    aa, ab = -1.6 * np.sin(2.0 * time), -2.7 * np.cos(3.0 * time)
    found = surroundings(plain_model(arm, ["a", "b"]), log(time, a, b), ["a", "b"])
    for n in range(60, 340, 20):
        c, s = cos(b[n]), sin(b[n])
        m11 = (M1 + M2) * L1**2 + M2 * L2**2 + 2 * M2 * L1 * L2 * c
        m12 = M2 * L2**2 + M2 * L1 * L2 * c
        h = M2 * L1 * L2 * s
        first = m12 * ab[n] - h * (2 * va[n] + vb[n]) * vb[n]
        first += (M1 + M2) * G * L1 * sin(a[n]) + M2 * G * L2 * sin(a[n] + b[n])
        second = m12 * aa[n] + h * va[n] ** 2 + M2 * G * L2 * sin(a[n] + b[n])
        for joint, q, inertia, load in (("a", a, m11, -first), ("b", b, M2 * L2**2, -second)):
            row = found.around[joint][n]
            assert row[0] == pytest.approx(inertia, rel=1e-4)
            assert row[1] + row[2] * q[n] == pytest.approx(load, abs=4e-3)
        slope = -(M1 + M2) * G * L1 * cos(a[n]) - M2 * G * L2 * cos(a[n] + b[n])
        assert found.around["a"][n, 2] == pytest.approx(slope, abs=0.02)


def test_only_what_reaches_the_table_touches(arm: Path) -> None:
    time = np.arange(0.0, 1.0, 0.02)
    away = log(time, 0.0 * time, 1.2 - time)
    found = surroundings(plain_model(arm, ["a", "b"]), away, ["a", "b"])
    height = 0.45 - L1 - L2 * np.cos(1.2 - time) - 0.001
    assert (found.touching[height > 0.021] == False).all()  # noqa: E712
    assert found.touching[height < 0.019].all()


def test_a_led_joint_of_a_pendulum_moves_as_on_its_bench() -> None:
    servo = load_actuator("xl330_bam_m4")
    time = np.arange(0.0, 2.0, 0.01)
    goal = 0.8 * np.sin(2.0 * time)
    m, length = 0.3, 0.12
    bench = JointEngine(servo, settings=JointSettings(max_step=1e-3))
    led = JointEngine(servo, plant="led", settings=JointSettings(max_step=1e-3))
    flat = np.column_stack([np.full_like(time, m * length**2), 0.0 * time, 0.0 * time])
    on, position = np.ones_like(time), 0.0 * time
    # Weightless but for a spring: the slope of the load stands for gravity at small angles.
    flat[:, 2] = -m * G * length
    small = LedBatch([LedLog(time, position, 0.02 * goal, on, None, flat)], led)
    values = led.values({"plant.command_offset": 0.01, "control.kp": 400.0})
    moved, _ = led.batch(values[None], small)
    # The same on the bench, with the offset in the recorded command.
    like = LedBatch([LedLog(time, position, 0.02 * goal + 0.01, on, None, 0.0 * flat)], led)
    like.around = np.empty((0, 3))
    stated = {"plant.mass": m, "plant.length": length, "control.kp": 400.0}
    swung, _ = bench.batch(bench.values(stated)[None], like)
    assert np.ptp(swung) > 1e-3
    np.testing.assert_allclose(moved, swung, atol=2e-6, rtol=0.0)


def test_offset_of_the_encoder_moves_the_load_along_its_slope() -> None:
    servo = load_actuator("xl330_bam_m4")
    time = np.arange(0.0, 1.0, 0.01)
    around = np.tile([4e-3, -0.1, -2.0], (len(time), 1))
    shifted = around + np.array([0.0, -2.0 * 0.07, 0.0])
    engine = JointEngine(servo, plant="led")
    logs = [
        LedLog(time, 0.0 * time, 0.3 * time, 1.0 + 0.0 * time, None, x) for x in (around, shifted)
    ]
    offset = engine.values({"plant.position_offset": 0.07, "control.kp": 400.0})
    plain = engine.values({"plant.position_offset": 0.0, "control.kp": 400.0})
    one, _ = engine.batch(offset[None], LedBatch(logs[:1], engine))
    other, _ = engine.batch(plain[None], LedBatch(logs[1:], engine))
    np.testing.assert_allclose(one, other, atol=1e-9)
