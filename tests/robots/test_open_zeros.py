"""Zeros that recordings leave open: a ball on a lever above a table, and a real arm."""

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.open_zeros import written, zeros_and_stops
from pliant.robots.pressed import Clearance, presses

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
LEVER = """<mujoco><worldbody>TABLE<body><joint name="turn" axis="0 0 1"/><geom type="sphere" size="0.05"/>
<body><joint name="lift" axis="0 1 0" range="-170 170" limited="true"/>
<geom type="sphere" size="0.01" pos="0.6 0 0"/></body></body></worldbody></mujoco>"""
TABLE = '<geom type="plane" size="1 1 .1" pos="0 0 -0.3"/>'
INSIDE = float(np.arcsin(0.31 / 0.6))
"""[rad] Where the ball is 2 cm inside the table."""


def open_and_stops(model: Path, logs: list[RobotLog]):
    joints = logs[0].joints
    clearance = Clearance(plain_model(model, joints), joints)
    pressed = presses(clearance, logs, joints, joints)
    return zeros_and_stops(clearance, pressed, logs, joints, joints)


def left(folder: Path, table: str) -> dict[str, tuple[float, float]]:
    model = folder / "lever.xml"
    model.write_text(LEVER.replace("TABLE", table))
    time = np.arange(0.0, 10.0, 0.02)
    line = np.column_stack([np.sin(time), 0.2 * np.sin(0.5 * time)])
    nothing = np.full_like(line, np.nan)
    log = RobotLog("run", ("turn", "lift"), time, line, line, nothing, nothing != 0.0)
    return open_and_stops(model, [log])[0]


def test_a_table_ends_what_the_range_leaves_open(tmp_path: Path) -> None:
    """Upwards the range ends before the lever comes down to the table on the other side."""
    end = np.deg2rad(170.0) + 0.05 - 0.2
    assert left(tmp_path, "")["lift"] == pytest.approx((-end, end), abs=0.01)
    low, high = left(tmp_path, TABLE)["lift"]
    assert high == pytest.approx(INSIDE - 0.2, abs=0.03)
    assert low == pytest.approx(-end, abs=0.01)


def test_a_joint_without_a_range_and_without_contact_may_be_anywhere(tmp_path: Path) -> None:
    found = left(tmp_path, TABLE)
    assert found["turn"] == (-np.inf, np.inf)
    assert written({"turn": found["turn"]}) == "turn any"


def test_presses_on_the_table_leave_a_real_arm_s_lift_little(tmp_path: Path) -> None:
    """Its fingertip presses in two of the five recordings that come with Pliant; how far a pan is off nothing tells."""
    logs = read_robot_logs([ARM / "motions", ARM / "held_out"])
    table, _ = open_and_stops(ARM / "so101_on_table.xml", logs)
    plain, stopped = open_and_stops(ARM / "so101.xml", logs)
    assert stopped == []
    assert np.ptp(table["shoulder_lift"]) < 0.3 < np.ptp(table["elbow_flex"]) + 0.1
    assert np.ptp(plain["shoulder_lift"]) > 1.5
    assert table["shoulder_pan"] == plain["shoulder_pan"]
