"""Gains that were recorded with the commands, against those of an actuator's file."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManyRobots, ManySettings
from pliant.errors import PliantError
from pliant.identification.robot.space import RobotCandidate
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import Recordings, RobotLog
from pliant.robots.identify import with_recorded_gains
from pliant.robots.led_joints import LedJoints

LINE = np.tile(np.arange(20.0)[:, None], (1, 2))
HIP = load_actuator("unitree_go1_hip_mjlab")


def led(path: Path, actuators: dict[str, Actuator]) -> LedJoints:
    return LedJoints(path, RobotCandidate(actuators), ManySettings())


def log(kp: np.ndarray, on: np.ndarray | None = None) -> RobotLog:
    enabled = np.ones(LINE.shape, bool) if on is None else on
    others = {"kp": kp, "kd": 0.0 * kp + 0.5}
    return RobotLog("a", ("hip", "knee"), LINE[:, 0], LINE, LINE, LINE, enabled, others=others)


def gains(*logs: RobotLog) -> tuple[float, float]:
    found, _ = with_recorded_gains({"hip": HIP}, logs)
    return tuple(found["hip"].numbers[f"control.{name}"].value for name in ("k_p", "k_d"))  # type: ignore[return-value]


def test_a_recorded_gain_is_used_and_told() -> None:
    assert gains(log(0.0 * LINE + 23.0)) == (23.0, 0.5)
    _, said = with_recorded_gains({"hip": HIP}, [log(0.0 * LINE + 23.0)])
    assert said == ["hip: control.k_p 23, control.k_d 0.5, as recorded with its commands"]
    without = replace(log(LINE), others={})
    assert with_recorded_gains({"hip": HIP}, [without]) == ({"hip": HIP}, [])


def test_a_motor_that_is_off_has_none() -> None:
    begins = LINE < 5.0
    assert gains(log(np.where(begins, 0.0, 23.0), ~begins)) == (23.0, 0.5)


def test_gains_that_change_are_told_and_their_median_is_written() -> None:
    assert gains(log(LINE)) == (9.5, 0.5)
    _, said = with_recorded_gains({"hip": HIP}, [log(LINE), log(0.0 * LINE + 40.0)])
    assert said == [
        "hip: control.k_p 0 to 40 (sample by sample; written is 29.5), control.k_d 0.5, "
        "as recorded with its commands"
    ]
    with pytest.raises(PliantError, match=r"k_p: outside.*found -1"):
        gains(log(LINE - 1.0))


@pytest.mark.parametrize("make", [ManyRobots, led], ids=["robot", "joint by joint"])
def test_each_sample_has_its_own_gains(make, tmp_path) -> None:
    body = '<body><joint name="hip" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.2"/></body>'
    text = f'<mujoco><option timestep="0.001"/><worldbody>{body}</worldbody></mujoco>'
    path = tmp_path / "hip.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.dof_armature[0] = HIP.numbers["own.armature"].value
    data, line = mujoco.MjData(model), []
    time = 0.001 * np.arange(3000)
    goal = 0.4 * np.sin(3.0 * time) + 0.2 * np.sin(8.0 * time)
    kp = np.where(time < 1.0, 20.0, 60.0) - 30.0 * np.clip(time - 2.0, 0.0, 1.0)
    kd = np.where(time < 1.5, 0.5, 2.0)
    for k in range(3000):
        line.append(data.qpos[0])
        data.qfrc_applied[0] = kp[k] * (goal[k] - data.qpos[0]) - kd[k] * data.qvel[0]
        mujoco.mj_step(model, data)
    column = np.array(line)[:, None]
    others = {"kp": kp[:, None], "kd": kd[:, None]}
    on = np.ones_like(column, bool)
    one = RobotLog("a", ("hip",), time, column, goal[:, None], 0.0 * column, on, others=others)
    logs = Recordings([one], ["hip"])
    simulation = make(path, {"hip": HIP})
    moved, _ = simulation.batch(simulation.values()[None], logs)
    assert np.abs(moved[0] - logs.measured).max() < 2e-3


def test_a_controller_without_such_gains_stays() -> None:
    servo = load_actuator("xl330_bam_m6")
    assert with_recorded_gains({"hip": servo}, [log(0.0 * LINE + 23.0)]) == ({"hip": servo}, [])
