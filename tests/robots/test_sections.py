"""Sections of a robot that are switched off, read back from what its motors do."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.errors import PliantError
from pliant.robots.robot import Robot
from pliant.robots.sections import Sections

ARM = Path(__file__).parents[2] / "examples" / "compliant_arm.toml"
UPPER, LOWER = {"upper": ["shoulder"]}, {"lower": ["elbow"]}


@pytest.fixture
def robot() -> Robot:
    return pliant.load_robot(ARM)


def moved(robot: Robot, steps: int = 300) -> list[float]:
    """[rad] By how much the motors of each joint follow a command."""
    before = robot.motor_1.position.copy()
    robot.reference_1 = before + 0.3
    robot.step(steps)
    return np.abs(robot.motor_1.position - before).tolist()


def test_a_section_that_is_off_does_not_follow_and_the_other_does(robot: Robot) -> None:
    sections = Sections(robot, UPPER | LOWER)
    sections.set("lower", False)
    assert sections.enabled == {"upper": True, "lower": False}
    upper, lower = moved(robot)
    assert upper > 0.2
    assert lower < 0.05
    sections.set("lower", True)
    assert moved(robot)[1] > 0.2


def test_what_hangs_on_a_section_goes_off_with_it_whatever_was_said_of_it(robot: Robot) -> None:
    sections = Sections(robot, LOWER | UPPER)
    sections.set("upper", False)
    sections.set("lower", True)
    assert sections.enabled == {"lower": False, "upper": False}
    assert max(moved(robot)) < 0.05
    sections.set("upper", True)
    assert sections.enabled == {"lower": True, "upper": True}


def test_all_on_is_the_robot_without_sections(robot: Robot) -> None:
    Sections(robot, UPPER | LOWER).set("upper", True)
    alone = pliant.load_robot(ARM)
    for one in (robot, alone):
        one.reference_1 = [0.4, -0.2]
        one.step(200)
    np.testing.assert_array_equal(robot.data.qpos, alone.data.qpos)


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ({"arm": []}, "has no joints"),
        ({"arm": ["elbw"]}, "no such joint"),
        ({"arm": ["elbow"], "hand": ["elbow"]}, "is in arm and in hand"),
    ],
)
def test_what_is_no_section_is_refused(
    robot: Robot, joints: dict[str, list[str]], words: str
) -> None:
    with pytest.raises(PliantError, match=words):
        Sections(robot, joints)


def test_an_unknown_section_is_named(robot: Robot) -> None:
    with pytest.raises(PliantError, match=r"legs.*upper"):
        Sections(robot, UPPER).set("legs", False)
