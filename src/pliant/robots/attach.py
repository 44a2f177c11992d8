"""`pliant.attach`: one door to the engines that run actuators in a model."""

import dataclasses
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Literal, cast, get_args

import mujoco

from pliant.assemble import Actuator
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.cautions import warn
from pliant.engines.spec.drums import add_drums, tendons_among
from pliant.engines.spec.patterns import by_joint
from pliant.engines.spec.placing import Limits, Wishes, check_joints
from pliant.errors import PliantError
from pliant.files import as_path
from pliant.io.actuator_file import load_actuator
from pliant.robots.robot_toml import RobotToml, actuators_of, read_robot_toml

Pairs = Iterable[tuple[str, Actuator | str | Path]]
Wanted = Mapping[str, Actuator | str | Path] | Pairs
Engine = Literal["mujoco", "mujoco_warp"]
"""MuJoCo itself, or MuJoCo Warp."""


# So many options: they are those of both engines, which take one or two more between them.
def attach(
    spec: mujoco.MjSpec,
    actuators: Wanted | str | Path,
    *,
    transmission: Mapping[str, float] | None = None,
    limits: Limits = False,
    replace: bool = False,
    exclude_base_collision: bool = False,
    engine: Engine = "mujoco",
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator is called like its joint, or as the one whose place it has. Rotor inertia, damping
    and dry friction of the joint become the actuator's, where it has its own; what was there before
    is reported.

    Args:
        spec: the model; its timestep and integrator should be set already.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`
            (`pliant.actuator` sets numbers of its own). Or the TOML file of a whole robot; what it
            says of transmission, limits, replacing and base collisions counts too.
            A tendon gets a drum with a hinge, called like it. A key may be a pattern, of the shell ("left_*") or a regular expression (".*_hip_.*");
            the most specific one has a joint, and the notes say what each matched.
        transmission: joint name to how far the joint moves for one radian of the actuator: [m] of a
            slide (a rack of 0.01 m/rad), [rad] of a hinge (a gear outside the actuator). A slide
            must have one, and so must a tendon that is not along hinges alone.
        limits: ranges of command and force that hold; none by default. "model" (or True): those of
            the replaced actuators, or of the model's defaults, of which nothing else is taken.
            "joint": positions stay in the joint's own range.
        replace: let actuators that are on these joints already give way. The new one has the name,
            the place and the control of the first, so that sensors and code that counts stay right;
            what else there was is deleted. `Attached.formers` says all of it.
        exclude_base_collision: let a body pass the base that is welded to the world, where it is
            within it in the reference pose (`<exclude>`), as many URDFs have it.
        engine: "mujoco", MuJoCo itself; or "mujoco_warp": the compiled model is for
            `mujoco_warp.put_model` and `pliant.engines.mujoco_warp.install`, and MuJoCo itself would
            not move its joints.

    Raises:
        PliantError: there is no such engine; a joint is not in the model, is no hinge or slide, has
            an actuator already that is not to be replaced, or slides without a transmission;
            an actuator is unknown or refused; MuJoCo refuses the model, or is not recognised;
            MuJoCo Warp is to integrate by RK4.

    Warns:
        PliantWarning: each of `Attachment.warnings`.
    """
    if engine not in get_args(Engine):
        raise PliantError("no such engine", field="engine", found=engine, accepted=get_args(Engine))
    chosen = import_module(f"pliant.engines.{engine}.attach")
    _check_spec(spec)
    pairs, of_file = _wanted(actuators)
    joints, matched = by_joint(spec, pairs)
    entries, _ = by_joint(spec, of_file.joints.items())
    travel = {joint: e.transmission for joint, e in entries if e.transmission is not None}
    travel |= {**(transmission or {})}
    replace = replace or of_file.replace
    limits = limits or of_file.limits or False
    tendons = tendons_among(spec, [name for name, _ in joints])
    if tendons and limits in (True, "model"):
        raise PliantError("a tendon's ranges are none of its drum", field="limits", found=limits)
    wishes = Wishes(
        transmission={name: x for name, x in travel.items() if name not in tendons},
        limits=limits,
        replace=replace,
        exclude_base_collision=exclude_base_collision or of_file.exclude_base_collision,
    )
    if tendons:
        loaded = [(name, load_actuator(one)) for name, one in joints]
        # Before anything is added, so that a refusal changes nothing.
        check_joints(spec, [one for one in loaded if one[0] not in tendons], wishes)
        on_tendons = {name: actuator for name, actuator in loaded if name in tendons}
        matched += add_drums(spec, on_tendons, travel, replace=replace)
    attachment = chosen.attach(spec, joints, **vars(wishes))
    attachment = dataclasses.replace(attachment, notes=(*matched, *attachment.notes))
    warn(attachment.warnings)
    return attachment


def _wanted(actuators: Wanted | str | Path) -> tuple[Pairs, RobotToml]:
    """Joint or pattern and actuator, and what a robot's file says besides."""
    if isinstance(actuators, str | Path):
        path = as_path(actuators, "joint to actuator, or a robot's file: *.toml")
        file = read_robot_toml(path)
        return list(actuators_of(file, path).items()), file
    pairs = cast("Pairs", actuators.items() if isinstance(actuators, Mapping) else actuators)
    return pairs, RobotToml(joints={})


def _check_spec(spec: object) -> None:
    """Say in one line what to pass instead of a file or a compiled model."""
    if isinstance(spec, mujoco.MjSpec):
        return
    instead = {
        mujoco.MjModel: "the MjSpec that it was compiled from: attach comes before compile()",
        str: f"mujoco.MjSpec.from_file({str(spec)!r})",
        Path: f"mujoco.MjSpec.from_file({str(spec)!r})",
    }
    accepted = next((text for kind, text in instead.items() if isinstance(spec, kind)), "an MjSpec")
    raise PliantError(
        "attach edits a mujoco.MjSpec", field="spec", found=type(spec).__name__, accepted=accepted
    )
