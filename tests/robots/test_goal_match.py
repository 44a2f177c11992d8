"""Goals that do not belong to their positions are told."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from pliant import errors
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.doubts import check_goals, doubtful_goals

PliantError = errors.PliantError
ARM = Path(errors.__file__).parent / "data" / "so101_arm"
JOINTS = ("a", "b")


def recording(goal: np.ndarray, late: int = 5) -> RobotLog:
    """Two joints that follow their goals late, and a little short of them."""
    line = 0.95 * np.vstack([np.repeat(goal[:1], late, axis=0), goal[:-late]])
    nothing = np.full_like(goal, np.nan)
    return RobotLog("r", JOINTS, 0.02 * np.arange(len(goal)), line, goal, nothing, nothing != 0.0)


def motion(hertz: float = 0.1) -> np.ndarray:
    t = 0.02 * np.arange(1500)
    turns = 2.0 * np.pi * hertz * t
    return np.column_stack([0.6 * np.sin(turns), 0.3 * np.sin(1.7 * turns) + 0.1 * t / t[-1]])


def told(log: RobotLog) -> list[str]:
    return [str(doubt) for doubt in doubtful_goals([log], JOINTS)]


@pytest.mark.parametrize(("goals", "lines"), [("goal", "position"), ("position", "goal")])
def test_goals_in_another_unit_than_positions_are_refused(goals: str, lines: str) -> None:
    wave = 0.4 * np.sin(np.linspace(0.0, 9.0, 200))[:, None]
    parts = {goals: np.degrees(wave), lines: 0.9 * wave}
    nothing = np.full_like(wave, np.nan)
    log = RobotLog("a", ("j",), np.arange(200.0), speed=nothing, enabled=nothing != 0.0, **parts)
    with pytest.raises(PliantError, match=f"{goals}s look like degrees, the {lines}s like rad"):
        check_goals([log], ["j"])
    check_goals([dataclasses.replace(log, goal=log.position)], ["j"])


@pytest.mark.parametrize(("large", "small"), [("goal", "position"), ("position", "goal")])
def test_one_joints_goals_or_positions_in_degrees_are_refused(large: str, small: str) -> None:
    log = recording(motion())
    changed = getattr(log, large) * [1.0, np.degrees(1.0)]
    with pytest.raises(PliantError, match=f"the {large}s look like degrees") as caught:
        check_goals([dataclasses.replace(log, **{large: changed})], JOINTS)
    assert f"{large}_b [deg]" in str(caught.value)


def test_a_joint_that_is_stopped_short_of_its_goals_is_no_joint_in_degrees() -> None:
    log = recording(motion())
    line = log.position.copy()
    line[:, 0] = 0.01 * np.clip(log.goal[:, 0], 0.0, 1.0) * 3.0
    check_goals([dataclasses.replace(log, position=line)], JOINTS)


def test_goals_as_they_should_be_raise_no_doubt() -> None:
    assert not told(recording(motion()))


def test_goals_of_the_other_sign_are_told() -> None:
    log = recording(motion())
    (text,) = told(dataclasses.replace(log, goal=log.goal * [1.0, -1.0]))
    assert "b moves against its goals" in text


def test_a_fast_motion_half_a_period_late_is_no_other_sign() -> None:
    assert not told(recording(motion(2.0), late=12))


def test_exchanged_columns_of_goals_are_told() -> None:
    log = recording(motion())
    first, second = told(dataclasses.replace(log, goal=log.goal[:, ::-1]))
    assert "a follows goal_b" in first
    assert "b follows goal_a" in second


def test_goals_with_another_zero_are_told_with_the_option_that_finds_it() -> None:
    log = recording(motion())
    (text,) = told(dataclasses.replace(log, goal=log.goal + np.array([0.25, 0.0])))
    assert "a is -0.25 rad from its goals" in text
    assert "--fit a.command_offset=-0.3:-0.1" in text


def test_a_load_that_changes_with_the_pose_is_no_other_zero() -> None:
    """It pulls the joint 0.05 to 0.35 rad away: at the median more than a zero is asked for."""
    log = recording(motion())
    a, b = log.goal.T
    sag = 0.2 + 0.15 * (a - a.mean()) / np.abs(a - a.mean()).max()
    assert told(dataclasses.replace(log, position=np.column_stack([a - sag, b]))) == []


def test_no_recording_of_a_real_arm_raises_a_doubt() -> None:
    for log in read_robot_logs([ARM / "motions", ARM / "held_out"]):
        check_goals([log], log.joints)
        assert not [*doubtful_goals([log], log.joints)]
