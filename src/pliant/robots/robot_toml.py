"""The form of a robot's TOML file: which actuator is on which joint; see `robot_file`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files, find
from pliant.errors import PliantError, located
from pliant.io.actuator_file import load_actuator
from pliant.io.overrides import overridden
from pliant.io.validated import Strict, read_toml, validated
from pliant.robots.mode import with_mode

__all__ = ["JointEntry", "RobotToml", "actuators_of", "read_robot_toml"]


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
    """Energies of an identification's motions [J]; nothing is made of them."""


def read_robot_toml(path: Path) -> RobotToml:
    """The file's content, checked.

    Raises:
        PliantError: it cannot be read, or has another form.
    """
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
    """Joint or pattern to its actuator, with its own numbers and in its mode.

    Raises:
        PliantError: an actuator, a parameter or a mode is refused.
    """
    return {name: _actuator(name, joint, path) for name, joint in file.joints.items()}


def _actuator(name: str, joint: JointEntry, path: Path) -> Actuator:
    with located(path, f"joints.{name}"):
        actuator = load_actuator(find("actuator", joint.actuator, actuator_files(), path))
        if joint.parameters:
            actuator = overridden(actuator, joint.parameters.items(), f"robot {path.name}")
    if joint.mode is None:
        return actuator
    with located(path, f"joints.{name}.mode"):
        return with_mode(actuator, joint.mode)
