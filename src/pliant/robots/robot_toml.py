"""The form of a robot's TOML file: which actuator is on which joint; see `robot_file`.

A key that is a joint's name means that joint. Any other is a pattern: a shell pattern (`left_*`) or, if
that matches nothing, a regular expression for the whole name. Among matching keys, a name takes precedence
over a pattern, and of two patterns the one with more literal characters.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeVar

import mujoco
from pydantic import Field

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files, find
from pliant.engines.spec.joints import joints_said
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError, located
from pliant.io.actuator_file import load_actuator
from pliant.io.overrides import overridden
from pliant.io.validated import Strict, read_toml, validated
from pliant.robots.mode import with_mode


class JointEntry(Strict):
    """Entry of a joint, or of all joints that a pattern matches."""

    actuator: str
    mode: int | None = None
    ext_tau_sign: Literal[1, -1] = 1
    external_torque: bool = True
    parameters: dict[str, float | str] = Field(default={})
    transmission: float | None = None


class Zeros(Strict):
    """Offsets [rad, m] of the recordings of a joint."""

    command_offset: float = 0.0
    position_offset: float = 0.0


class RobotToml(Strict):
    """Content of the file."""

    model: str | None = None
    timestep: float | None = Field(default=None, gt=0.0)
    limits: Literal["model", "joint"] | None = None
    exclude_base_collision: bool = False
    replace: bool = False
    keep_armature: bool = False
    packages: list[str] = Field(default=[])
    repair: list[str] = Field(default=[])
    joints: dict[str, JointEntry]
    zeros: dict[str, Zeros] = Field(default={})
    energy: dict[str, dict[str, float]] = Field(default={})
    """Energies of an identification's motions [J], for information only."""


def read_robot_toml(path: Path) -> RobotToml:
    """The file's content, checked."""
    with located(path):
        if path.suffix.lower() != ".toml":
            accepted = f'*.toml, or joint to actuator: {{"elbow": "{path}"}}'
            raise PliantError("is not a robot's file", accepted=accepted)
        document = read_toml(path)
        if "joints" not in document and "topology" in document:
            accepted = "a file with [joints], each with its actuator"
            raise PliantError("is the file of an actuator, not of a robot", accepted=accepted)
        return validated(RobotToml, document)


def actuators_of(file: RobotToml, path: Path) -> Mapping[str, Actuator]:
    """Joint or pattern to its actuator, with its own numbers and in its mode."""
    return {name: _actuator(name, joint, path) for name, joint in file.joints.items()}


def with_file(wishes: Wishes, file: RobotToml, spec: mujoco.MjSpec) -> Wishes:
    """Options of `attach`: the given ones override those of a robot's file; with its joints' transmissions."""
    entries, _ = by_joint(spec, file.joints.items())
    travel = {joint: e.transmission for joint, e in entries if e.transmission is not None}
    return Wishes(
        replace=wishes.replace or file.replace,
        exclude_base_collision=wishes.exclude_base_collision or file.exclude_base_collision,
        transmission=travel | dict(wishes.transmission),
        limits=wishes.limits or file.limits or False,
        keep_armature=wishes.keep_armature or file.keep_armature,
    )


def _actuator(name: str, joint: JointEntry, path: Path) -> Actuator:
    with located(path, f"joints.{name}"):
        actuator = load_actuator(find("actuator", joint.actuator, actuator_files(), path))
        if joint.parameters:
            actuator = overridden(actuator, joint.parameters.items(), f"robot {path.name}")
    if joint.mode is None:
        return actuator
    with located(path, f"joints.{name}.mode"):
        return with_mode(actuator, joint.mode)


T = TypeVar("T")
_SIGNS = re.compile(r"[*?\[\].+()|^$\\{}]")
_SIMPLE = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def by_joint(
    spec: mujoco.MjSpec, wanted: Iterable[tuple[str, T]]
) -> tuple[list[tuple[str, T]], list[str]]:
    """Joint and value, in the order of the keys, and a note on what each pattern matched.

    Raises:
        PliantError: a pattern matches no hinge or slide, or none that is left; two patterns that are
            equally specific match the same joint.
    """
    pairs = list(wanted)
    sites = [one for one in spec.actuators if one.trntype == mujoco.mjtTrn.mjTRN_SITE]
    known = [one.name for one in (*spec.joints, *spec.tendons, *sites) if one.name]
    simple = [joint.name for joint in spec.joints if joint.name and joint.type in _SIMPLE]
    names = [key for key, _ in pairs if key in known or not _SIGNS.search(key)]
    patterns = [key for key, _ in pairs if key not in names]
    taken = dict.fromkeys(names, "")
    for key in sorted(patterns, key=_letters, reverse=True):
        found = _matches(key, simple)
        for joint in found:
            before = taken.get(joint)
            if before and _letters(before) == _letters(key):
                raise PliantError(
                    "two patterns that are equally specific match one joint",
                    field=f"joint {joint}",
                    found=[before, key],
                    accepted="one of them, or the joint's own name",
                )
            taken.setdefault(joint, key)
        if key not in taken.values():
            raise PliantError(
                "matches no joint" if not found else "matches only joints of other keys",
                field="actuators",
                found=key,
                accepted=simple or joints_said(spec),
            )
    whole: list[tuple[str, T]] = []
    notes: list[str] = []
    for key, value in pairs:
        joints = [key] if key in names else [j for j in simple if taken.get(j) == key]
        whole += [(joint, value) for joint in joints]
        if key not in names:
            notes.append(f"{key!r} matched {', '.join(joints)}")
    return whole, notes


def _matches(pattern: str, joints: list[str]) -> list[str]:
    found = [joint for joint in joints if fnmatchcase(joint, pattern)]
    if found:
        return found
    try:
        return [joint for joint in joints if re.fullmatch(pattern, joint)]
    except re.error as error:
        raise PliantError(
            "is not a pattern",
            field="actuators",
            found=pattern,
            accepted=f"left_* or .*_hip ({error})",
        ) from None


def _letters(pattern: str) -> int:
    return len(_SIGNS.sub("", pattern))
