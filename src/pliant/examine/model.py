"""Robot models on the command line, and recordings compared with them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import mujoco

from pliant.files import check_regular
from pliant.identification.problem.doubt import Doubt
from pliant.io.findings import Finding
from pliant.io.robot_log import RobotLog
from pliant.robots.doubts import doubts_and_zeros
from pliant.robots.model_fit import check_fits, check_joints
from pliant.robots.open_zeros import written

SHOWN = 30
"""Joints that a remark names."""


def load_spec(
    path: Path,
    *,
    replace: bool = False,
    packages: Sequence[str | Path] = (),
    repair: Sequence[str] = (),
) -> tuple[mujoco.MjSpec, str]:
    """The spec of an MJCF or URDF file, and what was set for actuators that it names itself.

    `replace` lets other actuators on their joints give way; `packages` and `repair` are those of
    `load_model`.
    """
    from pliant.engines.mujoco.model_file import load_model
    from pliant.robots.urdf import load_urdf

    check_regular(path)
    if path.suffix.lower() == ".urdf":
        spec, info = load_urdf(path, packages=packages, repair=repair)
        return spec, str(info)
    spec, attachment = load_model(path, replace=replace, packages=packages, repair=repair)
    return spec, str(attachment)


def compiled(spec: mujoco.MjSpec, path: Path) -> mujoco.MjModel:
    """The model of a spec.

    Raises:
        PliantError: MuJoCo refuses it.
    """
    from pliant.engines.spec.messages import refusal, unlogged

    try:
        with unlogged():
            return spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise refusal(error).located(path) from None


def joint_ranges(path: Path) -> dict[str, tuple[float, float]]:
    """Each limited joint of a model to its range [rad, m]."""
    from pliant.engines.mujoco.model_file import load_measured

    model = compiled(load_measured(path)[0], path)
    joints = [model.joint(k) for k in range(model.njnt)]
    return {
        joint.name: (float(joint.range[0]), float(joint.range[1]))
        for joint in joints
        if joint.range[0] < joint.range[1]
    }


def examine_model(path: Path, packages: Sequence[str | Path] = ()) -> list[str]:
    """Describe a model as it is before actuators are attached."""
    spec, statement = load_spec(path, packages=packages)
    model = compiled(spec, path)
    names = {
        int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
        int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
        int(mujoco.mjtJoint.mjJNT_BALL): "ball",
        int(mujoco.mjtJoint.mjJNT_FREE): "free",
    }
    joints = [
        f"{model.joint(k).name or '(no name)'} ({names[int(model.jnt_type[k])]})"
        for k in range(model.njnt)
    ]
    shown = ", ".join(joints[:SHOWN])
    more = f", and {len(joints) - SHOWN} more" if len(joints) > SHOWN else ""
    count = f"{len(joints)} joint" + ("" if len(joints) == 1 else "s")
    return [
        f"{count}: {shown}{more}" if joints else "has no joints",
        *filter(None, statement.splitlines()),
    ]


def against_model(path: Path, logs: Sequence[RobotLog]) -> Iterator[Finding]:
    """Findings about joints at odds with a model's.

    Raises:
        PliantError: the model cannot be read; it lacks a joint, with the names that are likely meant; or its
            joint cannot be where it was recorded, with the unit, sign or zero that would fit.
    """
    from pliant.engines.mujoco.model_file import load_measured

    model = compiled(load_measured(path)[0], path)
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
            f"could be moved by as much as this and fit equally well [rad, m]: {written(zeros)} (a recording of a joint "
            "at both its stops determines it)"
        )
        yield Finding("zero", "zeros", text, "note", values=zeros)


def _finding(doubt: Doubt) -> Finding:
    joint = doubt.parameters[0] if doubt.parameters else None
    kind = doubt.kind if doubt.kind in ("sign", "exchanged") else "zero"
    return Finding(kind, f"position_{joint}" if joint else "joints", doubt.text, "warning")
