"""URDF files made for the Gazebo toolbox of compliant actuators, unchanged.

    spec, info = load_urdf("arm.urdf")
    print(info)                                 what was attached, set and left out
    robot = Robot(spec.compile(), info)

The URDF's damping and friction of a joint are the joint's; its base is fixed to the world, as with
the link `world` that such files have. MuJoCo reads the rest.       compliant_actuators: 3.2

Left out: a base that is free, worlds and sensors of Gazebo, the rate of the published topics.
"""

import dataclasses
from collections.abc import Collection, Iterable
from math import inf
from pathlib import Path

import mujoco

from pliant.assemble import Actuator
from pliant.engines.mujoco.attach import attach
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.cautions import warn
from pliant.engines.spec.names import actuator_named
from pliant.engines.spec.repairs import checked
from pliant.engines.spec.rows import set_substeps
from pliant.engines.spec.unlogged import unlogged
from pliant.engines.spec.urdf_model import urdf_spec
from pliant.errors import PliantError, located
from pliant.io.urdf_tags import PluginTags, UrdfFile, read_urdf
from pliant.robots.robot_info import JointSetting, RobotInfo
from pliant.robots.urdf_actuator import actuator_of

__all__ = ["load_urdf"]

_IDLE = {"spring_l_0": "the toolbox reads it and never uses it", "t_sample": "the step is MuJoCo's"}
_IDLE_MOTOR = "the toolbox never enforces it; enforce_max_vel does"
GAZEBO_STEP = 1e-3
"""[s]"""


def load_urdf(
    path: str | Path,
    *,
    timestep: float | None = None,
    strict: bool = False,
    packages: Iterable[str | Path] = (),
    repair: Collection[str] = (),
) -> tuple[mujoco.MjSpec, RobotInfo]:
    """Load a URDF, with the actuators that its plugin tags name.

    Args:
        path: the file. timestep: [s]; without it the file's own, or Gazebo's 1 ms.
        strict: refuse a file if any of it would be left out or read as something else.
        packages: folders of packages that the file names (`package://`); then folders above it,
            ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and installed packages are looked through.
        repair: "inertia": moments of inertia that no body can have become the nearest that one can;
            "meshes": shapes whose mesh MuJoCo cannot read are left out. The notes tell each.

    Returns:
        The spec, to be compiled, and what was set.

    Raises:
        PliantError: the URDF or a tag is refused, or the step is too large for a spring.
    """
    urdf = read_urdf(path)
    wanted = checked(repair)
    with located(urdf.path), unlogged():
        spec, told = urdf_spec(urdf.root, urdf.path, packages, wanted)
        _check_plugins(spec, urdf)
        spec.option.timestep = timestep or urdf.timestep or GAZEBO_STEP
        settings = {tags.joint: _setting(tags) for tags in urdf.plugins}
        actuators = {
            tags.joint: actuator_of(tags, urdf.joints[tags.joint], urdf.path)
            for tags in urdf.plugins
        }
        attachment = _attached(spec, actuators, urdf.plugins)
        notes = (*urdf.notes, *_notes(urdf.plugins), *told)
        if strict and notes:
            raise PliantError(notes[0], accepted="a file without it, or strict=False")
    warn(attachment.warnings)
    return spec, RobotInfo(attachment=attachment, settings=settings, notes=notes)


def _check_plugins(spec: mujoco.MjSpec, urdf: UrdfFile) -> None:
    """Refuse a plugin on a joint that does not move."""
    names = [joint.name for joint in spec.joints]
    for tags in urdf.plugins:
        if tags.joint not in names:
            raise PliantError(
                "the joint does not move", field=tags.field, found=tags.joint, accepted=names
            )


def _attached(
    spec: mujoco.MjSpec, actuators: dict[str, Actuator], plugins: Iterable[PluginTags]
) -> Attachment:
    """`attach`, with as many sub-steps as a tag asks for, or more where they are needed."""
    attachment = attach(spec, actuators)
    wanted = {tags.joint: tags.numbers.get("substeps", 0.0) for tags in plugins}
    entries = list(attachment.joints)
    for k, entry in enumerate(entries):
        count = int(wanted[entry.joint])
        if count > entry.steps.substeps:
            added = actuator_named(spec, entry.name)
            set_substeps(added, count)
            entries[k] = dataclasses.replace(
                entry, steps=dataclasses.replace(entry.steps, substeps=count)
            )
    return dataclasses.replace(attachment, joints=tuple(entries))


def _setting(tags: PluginTags) -> JointSetting:
    sign = tags.numbers.get("ext_tau_sign", 1.0)
    if sign not in (1.0, -1.0):
        raise PliantError(
            "is not a sign",
            field=f"{tags.field}: ext_tau_sign",
            found=sign,
            accepted="1, -1",
        )
    substeps = tags.numbers.get("substeps", 1.0)
    if substeps != int(substeps) or not 1 <= substeps < inf:
        raise PliantError(
            "is not a number of sub-steps",
            field=f"{tags.field}: substeps",
            found=substeps,
            accepted="1, 2, 3, ...",
        )
    return JointSetting(
        mode=tags.mode, ext_tau_sign=sign, takes_external_torque=tags.takes_external_torque
    )


def _notes(plugins: Iterable[PluginTags]) -> list[str]:
    notes: list[str] = []
    for tags in plugins:
        for tag in tags.numbers:
            why = _IDLE.get(tag)
            if tag.endswith("maxVel") and not tags.flag("enforce_max_vel"):
                why = _IDLE_MOTOR
            if why is not None:
                notes.append(f"{tags.joint}: {tag} changes nothing: {why}")
    return notes
