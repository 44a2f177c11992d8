"""Poses inside a table: a pendulum whose height above it is written out."""

from pathlib import Path

import numpy as np
import pytest

from pliant.io.robot_log import RobotLog
from pliant.robots.pressed import doubtful_places

ARM = """<mujoco><worldbody><geom type="plane" size="1 1 .1" pos="0 0 -0.5"/><body>
<joint name="j" axis="0 1 0" limited="true" range="-180 180"/>
<geom type="sphere" size="0.01" pos="0.6 0 0"/></body></worldbody></mujoco>"""
ENTERS = np.arcsin(0.49 / 0.6)
"""[rad] Where the ball, 0.6 m away and 1 cm thick, comes to the table half a metre below."""


TABLE = '<geom type="plane" size="1 1 .1" pos="0 0 -0.5"/>'


def said(angle: float, *, arm: str = ARM, folder: Path) -> list[str]:
    model = folder / "arm.xml"
    model.write_text(arm)
    position = angle + 0.01 * np.sin(np.arange(100.0))[:, None]
    nothing = np.full_like(position, np.nan)
    log = RobotLog("run", ("j",), np.arange(100.0), position, position, nothing, nothing != 0.0)
    return [str(one) for one in doubtful_places(model, [log], ["j"])]


def test_a_pose_within_2_cm_of_the_table_is_not_doubted(tmp_path: Path) -> None:
    assert said(ENTERS + 0.02, folder=tmp_path) == []
    assert said(ENTERS + 0.3, arm=ARM.replace(TABLE, ""), folder=tmp_path) == []


def test_a_pose_below_the_table_is_told_with_the_least_zero_that_lifts_it(tmp_path: Path) -> None:
    """2 cm are 0.06 rad there: cos(0.96) 0.6 m a rad."""
    (text,) = said(ENTERS + 0.3, folder=tmp_path)
    least = float(text.split("; ")[1].split(" at j")[0])
    assert "in 100 % of run" in text
    assert least == pytest.approx(-0.25, abs=0.051)


def test_the_zero_told_is_one_that_the_joint_can_have(tmp_path: Path) -> None:
    """At 1.25 rad 0.25 less would do, but 1.1 rad is the joint's end: 0.9 more takes it out on the other side."""
    ends = ARM.replace("-180 180", "63 300")
    (text,) = said(1.25, arm=ends, folder=tmp_path)
    assert "+0.9 at j" in text
    (text,) = said(1.25, arm=ends.replace("300", "120"), folder=tmp_path)
    assert " at j" not in text


def test_parts_of_the_arm_in_each_other_are_no_table(tmp_path: Path) -> None:
    """Two balls on bodies that both move, one inside the other, high above the table."""
    two = ARM.replace(
        "</body></worldbody>",
        '<body pos="0.3 0 0"><joint name="k" axis="0 1 0"/>'
        '<geom type="sphere" size="0.01"/><body><joint name="l" axis="0 0 1"/>'
        '<geom type="sphere" size="0.1" pos="0.3 0 0"/></body></body></body></worldbody>',
    )
    assert said(-1.0, arm=two, folder=tmp_path) == []


def test_a_link_within_the_base_that_carries_it_is_no_zero(tmp_path: Path) -> None:
    """The base reaches 8 cm up to the joint, and the link a centimetre around it, in every pose."""
    base = '<geom type="box" size="0.1 0.1 0.08" pos="0 0 -0.04"/>'
    ball = '<geom type="sphere" size="0.05"/><geom type="sphere" size="0.01" pos="0.6 0 0"/>'
    on_base = ARM.replace(TABLE, base).replace(
        '<geom type="sphere" size="0.01" pos="0.6 0 0"/>', ball
    )
    assert said(-1.0, arm=on_base, folder=tmp_path) == []
