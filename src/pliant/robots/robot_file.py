"""A robot in a short TOML file: a model and which actuator on which joint.

model = "arm.xml"                           # MJCF or URDF, relative to this file
timestep = 0.001                            # [s], if not the model's
limits = "joint"                            # as `pliant.attach`; exclude_base_collision, keep_armature too
replace = true                              # actuators of the model on these joints give way
packages = ["../ros"]                       # folders of packages that a URDF names
repair = ["inertia"]                        # of a model that MuJoCo refuses, see `load_model`

[joints]
shoulder = { actuator = "qbmove_maker_pro", mode = 6 }
elbow = { actuator = "awas_ii", mode = 5, parameters = { "limit.max_def" = "200 mrad" } }
"finger_*" = { actuator = "xl330_bam_m6", parameters = { kp = 800 } }   # several joints
lift = { actuator = "mx106_bam_m4", transmission = 0.01 }               # [m] of the joint for 1 rad

[zeros.elbow]                               # of its recordings, if any; simulations leave it out
command_offset = 0.004                      # [rad, m] what to add to a recorded command
position_offset = 0.0                       # [rad, m] what to add to a recorded position

[energy.elbow]                              # [J] in the motions of an identification, for the record
drawn = 12.3

robot = load_robot("robot.toml")
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import mujoco
import tomlkit

from pliant.assemble import Actuator
from pliant.engines.mujoco.model_file import load_measured, load_model
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError, PliantWarning, check_known, located
from pliant.files import as_path
from pliant.io.model_xml import read_xml
from pliant.io.urdf_tags import device_plugins
from pliant.lower.law import Target
from pliant.robots.attach import attach
from pliant.robots.robot import JointSetting, Robot, RobotInfo
from pliant.robots.robot_toml import RobotToml, actuators_of, by_joint, read_robot_toml, with_file
from pliant.robots.urdf import load_urdf


@dataclass(frozen=True, kw_only=True)
class RecordedRobot:
    """A robot's file, as used to evaluate its recordings.

    Attributes:
        model: MJCF or URDF. actuators: joint to actuator. timestep: [s], if not the model's.
        offsets: "<joint>.command_offset" and "<joint>.position_offset" [rad, m] of the recordings.
        wishes: options of `pliant.attach`.
    """

    model: Path
    actuators: Mapping[str, Actuator]
    timestep: float | None = None
    offsets: Mapping[str, float] = field(default_factory=dict[str, float])
    wishes: Wishes = field(default_factory=Wishes)


def read_recorded_robot(path: str | Path) -> RecordedRobot:
    """Model, actuators and zeros of a robot's TOML file.

    Raises:
        PliantError: the file, an actuator or a mode is refused, or a zero is of no joint in it.
    """
    path = Path(path)
    file = read_robot_toml(path)
    with located(path):
        model = path.parent / _model(file)
        spec, _ = load_measured(model)
        entries = dict(by_joint(spec, file.joints.items())[0])
        for joint in file.zeros:
            check_known(joint, entries, "no such joint", field="zeros")
        return RecordedRobot(
            model=model,
            actuators=dict(by_joint(spec, actuators_of(file, path).items())[0]),
            timestep=file.timestep,
            offsets={
                f"{j}.{n}": x for j, zeros in file.zeros.items() for n, x in dict(zeros).items()
            },
            wishes=with_file(Wishes(), file, spec),
        )


def _model(file: RobotToml) -> str:
    if file.model is None:
        raise PliantError(
            "is missing", field="model", accepted="MJCF or URDF, relative to the file"
        )
    return file.model


def robot_file_text(
    model: str,
    actuators: Mapping[str, str],
    offsets: Mapping[str, float] | None = None,
    timestep: float | None = None,
    wishes: Wishes | None = None,
    energies: Mapping[str, Mapping[str, float]] | None = None,
) -> str:
    """The text of a robot's TOML file.

    Args:
        model: MJCF or URDF, relative to the file. actuators: joint to actuator, a name or file.
        offsets: as `RecordedRobot.offsets`. timestep: [s]. wishes: options of `attach`.
        energies: joint, or "robot", to quantity to what recorded motions of it spent [J].
    """
    document: dict[str, object] = {"model": model}
    if timestep is not None:
        document["timestep"] = timestep
    wishes = wishes or Wishes()
    if wishes.limits:
        document["limits"] = "joint" if wishes.limits == "joint" else "model"
    for name in ("exclude_base_collision", "replace", "keep_armature"):
        if getattr(wishes, name):
            document[name] = True
    entries: dict[str, dict[str, object]] = {j: {"actuator": n} for j, n in actuators.items()}
    for joint, travel in wishes.transmission.items():
        entries[joint]["transmission"] = travel
    document["joints"] = entries
    zeros: dict[str, dict[str, float]] = {}
    for name, value in (offsets or {}).items():
        joint, _, kind = name.rpartition(".")
        zeros.setdefault(joint, {})[kind] = value
    if zeros:
        document["zeros"] = zeros
    if energies:
        document["energy"] = energies
    return tomlkit.dumps(document)


def load_robot(path: str | Path, *, target: Target = "llvm") -> Robot:
    """Load a robot from a TOML file, a URDF with plugin tags, or an MJCF that names its actuators.

    Args:
        path: of the file.
        target: compiler of the laws for the robot's arrays: "llvm", or "python", which needs no
            compiling.

    Raises:
        PliantError: the file, the model, an actuator, a mode or the step is refused.
    """
    path = as_path(path, "a robot's file: *.toml, *.urdf, *.xml")
    spec, info = robot_in(path)
    if not info.attachment.joints:
        raise PliantError("no joint has an actuator of Pliant", file=path)
    with unlogged():
        model = spec.compile()
    return Robot(model, info, target=target)


def robot_in(path: Path, timestep: float | None = None) -> tuple[mujoco.MjSpec, RobotInfo]:
    """The spec, to be compiled, and what was set, of a robot's TOML file, a URDF or an MJCF.

    Args:
        path: of the file. timestep: [s] instead of the file's; an MJCF keeps its own.
    """
    if path.suffix.lower() == ".toml":
        return load_robot_file(path, timestep=timestep)
    if path.suffix.lower() == ".urdf":
        return load_urdf(path, timestep=timestep)
    spec, attachment = load_model(path)
    return spec, RobotInfo(attachment=attachment)


def load_robot_file(
    path: str | Path, *, timestep: float | None = None
) -> tuple[mujoco.MjSpec, RobotInfo]:
    """The spec, to be compiled, and what was set, of a robot's TOML file.

    Args:
        path: of the file. timestep: [s] instead of the file's.
    """
    path = as_path(path, "a robot's file: *.toml, *.urdf, *.xml")
    file = read_robot_toml(path)
    with located(path), unlogged():
        model = path.parent / _model(file)
        with located(path, "model"):
            spec, own = load_model(
                model,
                packages=[path.parent / folder for folder in file.packages],
                repair=file.repair,
            )
        if own.joints:
            raise PliantError(
                "its model already names actuators",
                field="model",
                found=file.model,
                accepted="a model without, or the model alone",
            )
        step = file.timestep if timestep is None else timestep
        if step is not None:
            spec.option.timestep = step
        attachment = attach(spec, path)
        entries, _ = by_joint(spec, file.joints.items())
        notes = _left_out(model)
    for note in notes:
        warnings.warn(note, PliantWarning, stacklevel=2)
    attachment = replace(attachment, notes=(*own.notes, *attachment.notes))
    settings = {
        name: JointSetting(
            mode=joint.mode,
            ext_tau_sign=float(joint.ext_tau_sign),
            takes_external_torque=joint.external_torque,
        )
        for name, joint in entries
    }
    return spec, RobotInfo(attachment=attachment, settings=settings, notes=notes)


def _left_out(model: Path) -> tuple[str, ...]:
    """Note that the robot's file replaces a URDF's own actuators."""
    names = device_plugins(read_xml(model)) if model.suffix.lower() == ".urdf" else []
    if not names:
        return ()
    listed = ", ".join(names)
    return (
        f"{model.name}: its own plugins ({listed}) are ignored: the actuators are those in [joints]",
    )
