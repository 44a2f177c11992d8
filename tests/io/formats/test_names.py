"""Names of recorded joints are matched to those of a model."""

import pytest

from pliant.errors import PliantError
from pliant.io.formats.names import check_names, proposal

MODEL = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]


def test_other_spellings_of_the_same_names_are_matched() -> None:
    others = [
        "main_shoulder_pan",
        "ShoulderLift",
        "elbow_flex_joint",
        "arm/wrist-flex",
        "Wrist_Roll.pos",
        "motor_gripper",
    ]
    assert list(proposal(others, MODEL).values()) == MODEL


def test_joints_that_differ_by_a_number_are_not_exchanged() -> None:
    assert proposal(["joint_1", "joint_3"], ["joint2", "joint3"]) == {"joint_3": "joint3"}


def test_the_message_has_the_option_to_type() -> None:
    with pytest.raises(PliantError) as caught:
        check_names(["main_gripper", "wrist_roll"], MODEL)
    assert "add --rename main_gripper=gripper;" in str(caught.value)


def test_names_without_likeness_are_not_guessed() -> None:
    with pytest.raises(PliantError, match="no such joint in the model; found 'tail'"):
        check_names(["tail"], MODEL)


def test_known_names_pass() -> None:
    check_names(MODEL[1:3], MODEL)
