"""Robot models on the command line."""

from collections.abc import Sequence
from pathlib import Path

import mujoco

from pliant.errors import PliantError
from pliant.files import check_regular, readable_form

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

    Raises:
        PliantError: there is none, or it is refused.
    """
    from pliant.engines.mujoco.model_file import load_model
    from pliant.robots.urdf import load_urdf

    check_regular(path)
    if path.suffix.lower() not in (".xml", ".urdf", ".mjcf"):
        raise PliantError(
            "is not a model", file=path, accepted=readable_form(path, "*.xml, *.urdf")
        )
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
    """Each limited joint of a model to its range [rad, m].

    Raises:
        PliantError: the model cannot be read.
    """
    model = compiled(load_spec(path)[0], path)
    joints = [model.joint(k) for k in range(model.njnt)]
    return {
        joint.name: (float(joint.range[0]), float(joint.range[1]))
        for joint in joints
        if joint.range[0] < joint.range[1]
    }


def examine_model(path: Path, packages: Sequence[str | Path] = ()) -> list[str]:
    """Describe a model as it is before actuators are attached.

    Raises:
        PliantError: it is refused.
    """
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
