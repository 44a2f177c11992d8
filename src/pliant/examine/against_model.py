"""Recordings against the robot model that they are of: names of joints, units, zeros."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pliant.examine.model import compiled, load_spec
from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog
from pliant.robots.joint_match import check_joints
from pliant.robots.model_fit import check_fits, doubtful_zeros


def against_model(path: Path, logs: Sequence[RobotLog]) -> Iterator[Finding]:
    """Findings about joints at odds with a model's.

    Args:
        path: of the model. logs: of one data set.

    Raises:
        PliantError: the model cannot be read; it lacks a joint, with the names that are likely meant; or its
            joint cannot be where it was recorded, with the unit, sign or zero that would fit.
    """
    model = compiled(load_spec(path)[0], path)
    joints = logs[0].joints
    check_joints(path, logs, joints)
    check_fits(model, logs, joints)
    text = f"all {len(joints)} are in {path.name}, and move within its ranges"
    yield Finding("given", "joints", text, "note")
    for doubt in doubtful_zeros(model, logs, joints):
        yield Finding("zero", f"position_{doubt.parameters[0]}", doubt.text, "warning")
