"""A robot whose recordings are simulated: of its file, or of a model and actuators for its joints."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pliant.cli.fitting import joints_of
from pliant.io.actuator_file import load_actuator
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot


def model_of(path: Path) -> Path:
    """The model that a robot's file names, or the model itself."""
    return read_recorded_robot(path).model if path.suffix.lower() == ".toml" else path


def recorded_robot(
    path: Path,
    attach: tuple[str, ...],
    joints: Sequence[str],
    *,
    of: str = "attach",
    gives_way: bool,
) -> RecordedRobot:
    """The robot of a file (*.toml), or of a model and what `attach` says of its `joints`.

    Args:
        of: the option that says it. gives_way: actuators that the model has there give way.

    Raises:
        PliantError: the file, an actuator or a pattern cannot be used, or nothing is said of a model.
    """
    if path.suffix.lower() == ".toml":
        robot = read_recorded_robot(path)
    else:
        chosen = joints_of(attach, of, joints)
        robot = RecordedRobot(
            model=path, actuators={joint: load_actuator(name) for joint, name in chosen.items()}
        )
    return replace(robot, wishes=replace(robot.wishes, replace=gives_way or robot.wishes.replace))
