"""Gains that were recorded with the commands, against those of an actuator's file."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.robots.recorded_gains import with_recorded_gains

LINE = np.tile(np.arange(20.0)[:, None], (1, 2))
HIP = load_actuator("unitree_go1_hip_mjlab")


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


def test_a_gain_that_changes_is_refused_with_the_way_out() -> None:
    with pytest.raises(PliantError, match=r"kp_hip.*found '0 to 19'; accepted: .*--cut"):
        gains(log(LINE))


def test_a_controller_without_such_gains_stays() -> None:
    servo = load_actuator("xl330_bam_m6")
    assert with_recorded_gains({"hip": servo}, [log(0.0 * LINE + 23.0)]) == ({"hip": servo}, [])
