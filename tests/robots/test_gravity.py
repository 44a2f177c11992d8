"""Signs of joints from gravity: a real arm's recordings, and an arm whose gravity is written out."""

import dataclasses
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.doubts import doubtful_signs

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
TWO = """<mujoco><worldbody><body><joint name="a" axis="0 -1 0"/>
<inertial pos="0.2 0 0" mass="0.5" diaginertia="1e-4 1e-4 1e-4"/>
<body pos="0.4 0 0"><joint name="b" axis="0 -1 0"/>
<inertial pos="0.3 0 0" mass="0.3" diaginertia="1e-4 1e-4 1e-4"/></body></body></worldbody></mujoco>"""
LEVERS = 9.81 * np.array([0.5 * 0.2 + 0.3 * 0.4, 0.3 * 0.3])
TIME = np.arange(0.0, 20.0, 0.02)


def turned(log: RobotLog, joint: str) -> RobotLog:
    signs = np.where(np.array(log.joints) == joint, -1.0, 1.0)
    parts = {name: getattr(log, name) * signs for name in ("position", "goal", "speed")}
    return dataclasses.replace(log, **parts)


@pytest.fixture(scope="module")
def recorded() -> list[RobotLog]:
    return read_robot_logs([ARM / "motions", ARM / "held_out"])


def said(logs: list[RobotLog]) -> list[tuple[str, ...]]:
    joints = logs[0].joints
    found = doubtful_signs(ARM / "so101_on_table.xml", logs, joints, joints)
    return [one.parameters for one in found]


def test_a_real_arm_s_signs_are_not_doubted(recorded) -> None:
    assert said(recorded) == []


@pytest.mark.parametrize("joint", ["shoulder_lift", "elbow_flex", "wrist_flex", "gripper"])
def test_a_zero_that_is_off_is_no_turned_sign_of_another_joint(recorded, joint: str) -> None:
    """With -0.5 rad at a joint of the arm, the wrist is loaded only with the gripper turned over."""
    for shift in (-0.5, 0.5):
        moved = np.where(np.array(recorded[0].joints) == joint, shift, 0.0)
        logs = [
            dataclasses.replace(log, position=log.position + moved, goal=log.goal + moved)
            for log in recorded
        ]
        assert said(logs) == []


@pytest.mark.parametrize("joint", ["shoulder_lift", "elbow_flex", "wrist_flex"])
def test_a_turned_sign_is_told_by_its_joint(recorded, joint: str) -> None:
    assert said([turned(log, joint) for log in recorded]) == [(joint,)]


def test_a_load_that_hardly_varies_tells_the_sign_of_its_joint(recorded) -> None:
    (swings,) = (log for log in recorded if log.name == "multisine")
    assert said([swings]) == []
    for joint in ("shoulder_lift", "elbow_flex"):
        assert said([turned(swings, joint)]) == [(joint,)]


def test_a_joint_at_rest_is_told_by_the_side_of_its_command(tmp_path: Path) -> None:
    """The first joint stands level, held up by 40 N m/rad; its command is above it, or below."""
    model = tmp_path / "two.xml"
    model.write_text(TWO)
    position = np.column_stack([0.01 * np.sin(TIME), 0.01 * np.cos(TIME)])
    above = np.full_like(position, 1.0) * LEVERS.sum() / 40.0
    nothing = np.full_like(position, np.nan)
    for side, doubted in ((above, []), (-above, [("a",), ("b",)])):
        log = RobotLog("a", ("a", "b"), TIME, position, position + side, nothing, nothing != 0.0)
        found = doubtful_signs(model, [log], ("a", "b"), ("a", "b"))
        assert [one.parameters for one in found] == doubted


def written_out(**signs: float) -> RobotLog:
    """A weak spring for each servo: it rests below its command by the torque of gravity."""
    a, b = 0.9 * np.sin(0.3 * TIME), 1.2 * np.sin(0.21 * TIME + 1.0)
    load = np.column_stack(
        [LEVERS[0] * np.cos(a) + LEVERS[1] * np.cos(a + b), LEVERS[1] * np.cos(a + b)]
    )
    position = np.column_stack([a, b])
    sign = np.array([signs.get("a", 1.0), signs.get("b", 1.0)])
    goal = position + load / 40.0
    nothing = np.full_like(position, np.nan)
    return RobotLog("a", ("a", "b"), TIME, sign * position, sign * goal, nothing, nothing != 0.0)


@pytest.mark.parametrize("joint", ["a", "b"])
def test_gravity_written_out_tells_the_turned_joint(tmp_path: Path, joint: str) -> None:
    model = tmp_path / "two.xml"
    model.write_text(TWO)
    both = ("a", "b")
    assert not [*doubtful_signs(model, [written_out()], both, both)]
    (doubt,) = doubtful_signs(model, [written_out(**{joint: -1.0})], both, both)
    assert doubt.parameters == (joint,)
    assert f"the sign of {joint} reversed" in doubt.text
    assert not [*doubtful_signs(model, [written_out(**{joint: -1.0})], both, ())]


def test_a_spring_that_holds_the_arm_up_is_no_load_of_the_servo(tmp_path: Path) -> None:
    """A spring lifts the first joint twice as hard as gravity pulls: its servo rests above its command."""
    model = tmp_path / "two.xml"
    stiff = 10.0
    lifted = 2.0 * LEVERS.sum() / stiff
    model.write_text(
        TWO.replace(
            'axis="0 -1 0"/>',
            f'axis="0 -1 0" stiffness="{stiff}" springref="{np.rad2deg(lifted)}"/>',
            1,
        )
    )
    position = np.column_stack([0.01 * np.sin(TIME), 0.01 * np.cos(TIME)])
    below = np.full_like(position, 1.0) * [-LEVERS.sum() / 40.0, LEVERS[1] / 40.0]
    nothing = np.full_like(position, np.nan)
    for sign, doubted in ((1.0, []), (-1.0, [("a",)])):
        goal = position + below * [sign, 1.0]
        log = RobotLog("a", ("a", "b"), TIME, position, goal, nothing, nothing != 0.0)
        found = doubtful_signs(model, [log], ("a", "b"), ("a", "b"))
        assert [one.parameters for one in found] == doubted
