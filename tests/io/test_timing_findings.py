"""Findings about times: each fault is made on purpose, and a good recording has none."""

from importlib import resources
from pathlib import Path

import numpy as np

from pliant.io.robot_findings import robot_findings, timing_findings
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs

TIME = np.arange(0.0, 10.0, 0.002)


def said(time: np.ndarray, position: np.ndarray) -> dict[str, str]:
    columns = np.column_stack([position, 0.5 * position])
    nothing = np.full_like(columns, np.nan)
    log = RobotLog("a", ("j", "k"), time, columns, nothing, nothing, nothing != 0.0)
    return {finding.kind: finding.message for finding in timing_findings(log)}


def moved(time: np.ndarray) -> np.ndarray:
    return np.round(np.sin(3.0 * time) / 1.534e-3) * 1.534e-3


def test_a_good_recording_has_nothing_to_say() -> None:
    assert said(TIME, moved(TIME)) == {}
    assert said(TIME, 0.0 * TIME) == {}


def test_uneven_times_are_told() -> None:
    uneven = TIME + np.where(np.arange(len(TIME)) % 2, 0.0004, 0.0)
    assert "from 1.6 to 2.4 ms" in said(uneven, moved(uneven))["rate"]


def test_recordings_of_a_real_arm_have_no_warning() -> None:
    arm = Path(str(resources.files("pliant") / "data" / "so101_arm"))
    for log in read_robot_logs([arm / "motions", arm / "held_out"]):
        found = robot_findings(log)
        assert not [one for one in found if one.severity != "note"], log.name
