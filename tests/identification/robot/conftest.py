"""The two-link arm of the test data, its servos, and short motions of it."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.io.robot_log import RobotLog

ROOT = Path(__file__).parents[3]
ARM = ROOT / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"


@pytest.fixture(scope="session")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The arm without the actuators of its file."""
    path = tmp_path_factory.mktemp("arm") / ARM.name
    path.write_text(re.sub(r"<actuator>.*</actuator>", "", ARM.read_text(), flags=re.DOTALL))
    return path


@pytest.fixture(scope="session")
def arm_with_motors() -> Path:
    """The file as it is: R1 and R2 have motors."""
    return ARM


@pytest.fixture(scope="session")
def servos() -> dict[str, pliant.Actuator]:
    names = {"R1": "mx106_bam_m4", "R2": "mx64_bam_m4"}
    late = {
        joint: pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
        for joint, name in names.items()
    }
    return {
        joint: a.with_values({"timing.delay": 0.01}, "test", "assumed") for joint, a in late.items()
    }


@pytest.fixture(scope="session")
def swings() -> Callable[..., RobotLog]:
    """A log of sines; what was measured is not asked for."""

    def made(name: str = "swings", seconds: float = 1.2, sample: float = 4e-3, **parts: object):
        time = np.arange(0.0, seconds, sample)
        goal = np.column_stack([0.6 * np.sin(5.0 * time), -0.8 * np.sin(7.0 * time)])
        channels = {
            "position": 0.0 * goal,
            "goal": goal,
            "speed": np.full_like(goal, np.nan),
            "enabled": np.ones(goal.shape, bool),
            **parts,
        }
        return RobotLog(name, ("R1", "R2"), time, **channels)

    return made
