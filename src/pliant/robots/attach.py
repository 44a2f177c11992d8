"""`pliant.attach`: the entry point to the engines that run actuators in a model."""

import dataclasses
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast, get_args

import mujoco

from pliant.assemble import Actuator
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.drums import add_drums, gears_of, tendons_among
from pliant.engines.spec.joints import checked_joints, has_budget, takes_position
from pliant.engines.spec.messages import Caution, warn
from pliant.engines.spec.placing import (
    Limits,
    Pairs,
    Wanted,
    Wishes,
    check_given,
    check_joints,
)
from pliant.engines.spec.sites import sites_among
from pliant.errors import PliantError, check_kind, check_known
from pliant.files import as_path
from pliant.io.actuator_file import load_actuator
from pliant.robots.robot_toml import RobotToml, actuators_of, by_joint, read_robot_toml, with_file

_NO_PAIRS, _PAIRS = "names no actuator", 'joint to actuator, such as {"elbow": "xl330_bam_m6"}'
_ON_LENGTHS = "pliant.engines.mujoco.attach"
Engine = Literal["mujoco", "mujoco_warp"]
"""MuJoCo or MuJoCo Warp."""


# So many options: they are those of both engines, which take one or two more between them.
def attach(
    spec: mujoco.MjSpec,
    actuators: Wanted | str | Path,
    *,
    transmission: Mapping[str, float] | None = None,
    limits: Limits = False,
    replace: bool = False,
    exclude_base_collision: bool = False,
    keep_armature: bool = False,
    engine: Engine = "mujoco",
) -> Attachment:
    """Add an actuator to each named joint of `spec`, before it is compiled.

    Each actuator is named like its joint, or like the one that it replaces. Its rotor inertia
    replaces the joint's armature, which becomes 0 if the motor is behind a spring or play. If it
    has friction on the joint's side, that replaces the joint's damping and frictionloss.
    `Attached.replaced` and `Attached.kept` list these numbers of the joint.

    Args:
        spec: the model, with its timestep and integrator set.
        actuators: joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`
            (`pliant.actuator` changes its parameters). A key may be a shell pattern ("left_*") or a
            regular expression (".*_hip_.*"); the most specific match of a joint is used, and
            the notes list the matches. A rigid servo on a tendon gets a drum on a hinge, named
            like the tendon; an actuator with a spring pulls the tendon itself. It can also replace
            the model's actuator between two sites (`site` and `refsite`), whose name is the key.
            Or the TOML file of a whole robot, with its transmission, limits and other settings.
        transmission: joint name to travel of the joint per radian of the actuator: [m] for a slide
            (a rack of 0.01 m/rad), [rad] for a hinge (a gear outside the actuator). Required for a
            slide, for a tendon unless it runs along hinges only, and for sites along a direction.
        limits: limits of command and force; by default none. "model" (or True): the ranges of the
            replaced actuators, or else of the model's defaults. "joint": the joint's own range, for
            positions; tendons and sites have none, and a warning says so.
        replace: replace actuators that these joints already have. The new one takes the name, the
            place and the control of the first, so that sensors and indices stay valid; further
            actuators of the joint are deleted. `Attached.formers` describes them.
        exclude_base_collision: ignore contacts (`<exclude>`) between a base that is welded to the
            world and a body that overlaps it in the reference pose, as in many URDFs.
        keep_armature: keep the armature of the model's joints instead of the actuators' rotor inertia.
        engine: "mujoco", MuJoCo itself; or "mujoco_warp": the compiled model is for
            `mujoco_warp.put_model` and `pliant.engines.mujoco_warp.install`, and MuJoCo itself would
            not move its joints.

    Raises:
        PliantError: there is no such engine; a joint is not in the model, is not a hinge or slide,
            has an actuator while `replace` is False, or is a slide without transmission; an actuator
            is unknown or refused, or is for a site without a refsite; MuJoCo refuses the model or is
            not recognised; the integrator is RK4 with MuJoCo Warp.

    Warns:
        PliantWarning: each of `Attachment.warnings`.
    """
    check_known(engine, get_args(Engine), "no such engine", field="engine")
    chosen = import_module(f"pliant.engines.{engine}.attach")
    _check_spec(spec)
    accepted = 'joint to its travel for one radian, such as {"lift": 0.01}'
    check_kind(transmission, (Mapping, type(None)), "transmission", accepted)
    pairs, of_file = _wanted(actuators)
    joints, matched = by_joint(spec, pairs)
    given = Wishes(
        replace=replace,
        exclude_base_collision=exclude_base_collision,
        transmission=transmission or {},
        limits=limits,
        keep_armature=keep_armature,
    )
    wishes = with_file(given, of_file, spec)
    travel, replace, limits = wishes.transmission, wishes.replace, wishes.limits
    names = [name for name, _ in joints]
    tendons = tendons_among(spec, names)
    apart = [*tendons, *sites_among(spec, names)]
    checked_joints(spec, names, others=apart)
    check_given(travel, names)
    if apart and limits in (True, "model"):
        kind = "a tendon: its ranges" if tendons else "sites: their actuator's ranges"
        raise PliantError(
            f"cannot limit {kind} are not those of {'its drum' if tendons else 'the motor'}",
            field="limits",
            found=limits,
        )
    gears = gears_of(spec, {name: x for name, x in travel.items() if name not in apart})
    wishes = dataclasses.replace(wishes, transmission=gears)
    sprung: list[Any] = []
    unlimited: list[Caution] = []
    if apart:
        loaded = {name: load_actuator(one) for name, one in joints}
        unlimited = [*_unlimited({name: loaded[name] for name in apart}, limits)]
        # Before anything is added, so that a refusal changes nothing.
        check_joints(spec, [one for one in loaded.items() if one[0] not in apart], wishes)
        drums = [name for name in tendons if has_budget(loaded[name])]
        springs = {name: loaded[name] for name in apart if name not in drums}
        sprung = _checked(spec, springs, travel, replace, engine)
        matched += add_drums(spec, drums, travel, replace=replace)
        joints = [(name, one) for name, one in joints if name not in springs]
    attachment = chosen.attach(spec, joints, wishes)
    if sprung:
        more = import_module(_ON_LENGTHS).attach_to_lengths(spec, sprung)
        told = [one.on(entry.joint) for entry in more for one in entry.steps.warnings]
        attachment = dataclasses.replace(
            attachment,
            joints=(*attachment.joints, *more),
            warnings=(*attachment.warnings, *told),
        )
    attachment = dataclasses.replace(
        attachment,
        notes=(*matched, *attachment.notes),
        warnings=(*attachment.warnings, *unlimited),
    )
    warn(attachment.warnings)
    return attachment


def _unlimited(apart: Mapping[str, Actuator], limits: Limits) -> Iterator[Caution]:
    """Warnings for tendons and sites that were asked to have the position limits of joints."""
    for name in apart if limits == "joint" else ():
        if takes_position(apart[name]):
            yield Caution(
                "limits",
                "limits='joint' has no effect on a tendon or between sites, because no joint's range applies"
                " to its command: set the ctrlrange of its actuator in the spec",
                name,
            )


def _checked(
    spec: mujoco.MjSpec,
    springs: Mapping[str, Actuator],
    travel: Mapping[str, float],
    replace: bool,
    engine: Engine,
) -> list[Any]:
    """Actuators for tendons themselves, and for sites, checked: `engines.mujoco.on_lengths.OnLength`."""
    if not springs:
        return []
    if engine != "mujoco":
        raise PliantError(
            "cannot run an actuator with a spring on a tendon, or between sites: it reads joints",
            field="engine",
            found=engine,
            accepted="mujoco; or this actuator on a joint",
        )
    found: list[Any] = import_module(_ON_LENGTHS).checked_lengths(
        spec, springs, travel, replace=replace
    )
    return found


def _wanted(actuators: Wanted | str | Path) -> tuple[Pairs, RobotToml]:
    """Joint or pattern and actuator, and what a robot's file says besides."""
    if isinstance(actuators, str | Path):
        path = as_path(actuators, "joint to actuator, or a robot's file: *.toml")
        file = read_robot_toml(path)
        return list(actuators_of(file, path).items()), file
    pairs = list(cast("Pairs", actuators.items() if isinstance(actuators, Mapping) else actuators))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:  # pyright: ignore[reportUnnecessaryIsInstance] of programs without types
            raise PliantError(_NO_PAIRS, field="actuators", found=pair, accepted=_PAIRS)
    return pairs, RobotToml(joints={})


def _check_spec(spec: Any) -> None:
    """Say in one line what to pass instead of a file or a compiled model."""
    if isinstance(spec, mujoco.MjSpec):
        return
    instead: dict[type[Any], str] = {
        mujoco.MjModel: "the MjSpec that it was compiled from: call attach before compile()",
        mujoco.MjData: "the MjSpec that its model was compiled from: call attach before compile()",
        tuple: "an MjSpec: the first of what load_model and load_urdf return",
        str: f"mujoco.MjSpec.from_file({str(spec)!r})",
        Path: f"mujoco.MjSpec.from_file({str(spec)!r})",
    }
    known: list[type[Any]] = [kind for kind in instead if isinstance(spec, kind)]
    accepted, found = instead[known[0]] if known else "an MjSpec", type(spec).__name__
    if found == "RootElement":  # of dm_control
        accepted = "mujoco.MjSpec.from_string(root.to_xml_string(), assets=root.get_assets())"
    raise PliantError("attach edits a mujoco.MjSpec", field="spec", found=found, accepted=accepted)
