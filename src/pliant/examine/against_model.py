"""Recordings against the robot model that they are of: names of joints, units, signs, zeros."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pliant.examine.model import compiled, load_spec
from pliant.identification.problem.doubt import Doubt
from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog
from pliant.robots.doubts import doubts_and_zeros
from pliant.robots.model_fit import check_fits, check_joints
from pliant.robots.open_zeros import written


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
    # A recording tells no unit of goals: those of its joints that it has goals of count as servos.
    servos = [
        joint
        for joint in joints
        if all(log.commanded(joint) for log in logs)
        and any(log.enabled[:, log.column(joint)].any() for log in logs)
    ]
    doubts, zeros = doubts_and_zeros(path, model, logs, joints, servos)
    for doubt in doubts:
        yield _finding(doubt)
    if zeros:
        text = (
            f"moved by as much as this, would fit as well [rad, m]: {written(zeros)} (a recording of a joint "
            "at both its stops tells)"
        )
        yield Finding("zero", "zeros", text, "note", values=zeros)


def _finding(doubt: Doubt) -> Finding:
    joint = doubt.parameters[0] if doubt.parameters else None
    kind = doubt.kind if doubt.kind in ("sign", "exchanged") else "zero"
    return Finding(kind, f"position_{joint}" if joint else "joints", doubt.text, "warning")
