"""Actuators put on the joints of a spec, for any engine: new ones, or in the place of the model's.

1. check which joints can have one, and which already do
2. the first former on a joint becomes ours; without one, a new actuator is added
3. set transmission and limits that were asked for
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any, Literal, cast

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.against import with_warnings
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.formers import (
    LIMITS,
    ON_JOINT,
    Former,
    delete,
    former_of,
    formers_on,
    fresh_actuator,
    make_fresh,
    named,
    ratio_of,
    second_of,
    unplug,
)
from pliant.engines.spec.joints import checked_joints, compiled_copy, references, takes_position
from pliant.engines.spec.keyframes import Block, Snapshot, restore
from pliant.engines.spec.limits import Ranges, ranges_of
from pliant.engines.spec.names import PREFIX, joint_named
from pliant.engines.spec.sticking import SOLIMP
from pliant.errors import PliantError, check_known
from pliant.io.actuator_file import load_actuator

Pairs = Iterable[tuple[str, Actuator | str | Path]]
Wanted = Mapping[str, Actuator | str | Path] | Pairs
"""Joint name to actuator: a name of the catalogue, a TOML file, or an `Actuator`."""
Limits = Literal["model", "joint"] | bool
"""Ranges of command and force that hold: none; those that the model's actuators or their defaults
have ("model", or True); for positions the joint's own range ("joint")."""
BESIDE = ".joint"
"""Behind the name of a joint: its actuator, where one of something else is called like the joint."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """Options of `attach`, the same for every engine.

    Attributes:
        replace: whether actuators that the joints already have are replaced.
        exclude_base_collision: whether contacts between a joint's body and a base welded to the world are ignored.
        transmission: joint to its travel [rad, m] for one radian of the actuator.
        limits: see `Limits`.
        keep_armature: whether joints keep the armature that the model gives them.
    """

    replace: bool = False
    exclude_base_collision: bool = False
    transmission: Mapping[str, float] = field(default_factory=dict[str, float])
    limits: Limits = False
    keep_armature: bool = False


@dataclass(frozen=True)
class Placed:
    """An actuator of a spec and what it is to be.

    Attributes:
        entry: the spec's. actuator: whose numbers it gets. formers: in whose place it is.
        left: fields for which the model has defaults, or the former had values, not taken.
    """

    entry: mujoco.MjsActuator
    actuator: Actuator
    formers: tuple[Former, ...] = ()
    left: tuple[str, ...] = ()


def loaded(actuators: Wanted) -> list[tuple[str, Actuator]]:
    """Joint and actuator of each pair, read where it is a name of the catalogue or a TOML file."""
    pairs = cast("Pairs", actuators.items() if isinstance(actuators, Mapping) else actuators)
    return [(joint, a if isinstance(a, Actuator) else load_actuator(a)) for joint, a in pairs]


def check_joints(
    spec: mujoco.MjSpec, wanted: Sequence[tuple[str, Actuator]], wishes: Wishes
) -> None:
    """Refuse joints that cannot have an actuator, or have one that is not to be replaced."""
    if wishes.limits not in (False, True, "model", "joint"):
        raise PliantError(
            "unknown", field="limits", found=wishes.limits, accepted=["model", "joint"]
        )
    joints = [joint for joint, _ in wanted]
    checked_joints(spec, joints)
    for joint in joints:
        there = formers_on(spec, joint)
        if there and not wishes.replace:
            raise taken(joint, there[0])
    _check_transmission(spec, joints, wishes.transmission)


def taken(name: str, there: mujoco.MjsActuator, kind: str = "joint") -> PliantError:
    """The refusal of a joint, a tendon or a site that has an actuator."""
    return PliantError(
        f"the {kind} has an actuator already: {named(there)}",
        field=f"{kind} {name}",
        accepted="replace=True (--replace), to replace it by this one",
    )


def place(
    spec: mujoco.MjSpec, wanted: Sequence[tuple[str, Actuator]], wishes: Wishes
) -> list[Placed]:
    """Put an actuator without numbers on each joint; `check_joints` comes before."""
    unplug(spec, [entry for joint, _ in wanted for entry in formers_on(spec, joint)])
    there = {joint: formers_on(spec, joint) for joint, _ in wanted}
    # Before any is deleted, so that the numbers are those of the model as it was.
    records = {joint: records_of(spec, there[joint], actuator) for joint, actuator in wanted}
    of_joints = _joint_ranges(spec) if wishes.limits else {}
    limits: dict[str, Ranges] = {}
    for joint, actuator in wanted:
        gear = 1.0 / wishes.transmission.get(joint, 1.0)
        if wishes.limits in (True, "model"):
            former: mujoco.MjsActuator = [*there[joint], _of_defaults(spec)][0]
            limits[joint] = ranges_of(former, actuator, gear, joint, of_joints)
        elif joint in of_joints and takes_position(actuator):
            limits[joint] = Ranges(np.sort(of_joints[joint] * gear))
    placed = [
        _placed(spec, joint, actuator, wishes, (there[joint], records[joint]))
        for joint, actuator in wanted
    ]
    for one in placed:
        limits.get(one.entry.target, Ranges()).limit(one.entry)
    return placed


def _of_defaults(spec: Any) -> mujoco.MjsActuator:
    return spec.default.actuator


def _joint_ranges(spec: mujoco.MjSpec) -> dict[str, Floats]:
    """Joint to its range [rad, m], of those that have one; a spec may hold it in degrees."""
    model = compiled_copy(spec)
    return {
        model.joint(j).name: model.jnt_range[j].copy()
        for j in range(model.njnt)
        if model.jnt_limited[j]
    }


def keep_keyframes(spec: mujoco.MjSpec, before: Snapshot | None, placed: Sequence[Placed]) -> None:
    """Rewrite the keyframes, once the actuators are complete.

    A position command of a former keeps its position; any other command, and a missing one, becomes the pose of
    its keyframe, because a torque is not a position. State is at rest.
    """
    if before is None:
        return
    ours = {one.entry.id: one for one in placed}

    def new(entry: mujoco.MjsActuator, pose: dict[str, float], old: Block | None) -> Block | None:
        one = ours.get(entry.id)
        if one is None:
            return old
        rest = np.zeros(max(entry.actdim, 0))
        return Block(np.array([_goal(one, pose, old)]), rest)

    gone = {former.place for one in placed for former in one.formers if former.deleted}
    kept = [k for k in range(len(before.blocks[0])) if k not in gone]
    restore(spec, before, [*kept, *[None] * (len(spec.actuators) - len(kept))], new)


def told(spec: mujoco.MjSpec, attachment: Attachment, placed: Sequence[Placed]) -> Attachment:
    """The attachment, with the actuators that gave way and the defaults that were left out."""
    formers = {one.entry.name: one.formers for one in placed}
    left = sorted({field for one in placed for field in one.left})
    notes = [f"not taken from the model's actuator defaults: {', '.join(left)}"] if left else []
    notes += [
        f"{one.entry.target}: its actuator is called {one.entry.name!r}, because another one has the joint's name"
        for one in placed
        if not one.formers and one.entry.name != one.entry.target
    ]
    whole = dataclasses.replace(
        attachment,
        joints=tuple(
            dataclasses.replace(entry, formers=formers.get(entry.name, ()))
            for entry in attachment.joints
        ),
        notes=(*attachment.notes, *notes),
    )
    return with_warnings(spec, whole)


def _goal(one: Placed, pose: Mapping[str, float], old: Block | None) -> float:
    if not takes_position(one.actuator):
        return 0.0
    gear, former = ratio_of(one.entry), one.formers[0] if one.formers else None
    ours = former is not None and former.kind.startswith(PREFIX)
    if one.entry.trntype in ON_JOINT:
        place = pose[one.entry.target]
        if old is not None and old.said and former and (ours or former.kind == "position"):
            place = float(old.commands[0]) / former.gear
        return place * gear
    if old is None or former is None:
        return 0.0
    # Of tendons and sites, lengths that MuJoCo measures from 0; Pliant's from the reference pose.
    asked = float(old.commands[0])
    length = asked if former.kind == "position" and old.said else old.length
    return (asked if ours and old.said else length - old.rest) / former.gear * gear


def records_of(
    spec: mujoco.MjSpec, there: Sequence[mujoco.MjsActuator], actuator: Actuator
) -> list[Former]:
    """Records of actuators that are about to give way, and of a second command with them."""
    if not there:
        return []
    records = [former_of(spec, entry, deleted=entry is not there[0]) for entry in there]
    second = second_of(spec, there[0])
    if second is not None and references(actuator) < 2:
        records.append(former_of(spec, second, deleted=True))
    return records


def _placed(
    spec: mujoco.MjSpec,
    joint: str,
    actuator: Actuator,
    wishes: Wishes,
    formers: tuple[list[mujoco.MjsActuator], list[Former]],
) -> Placed:
    placed = seated(spec, joint, actuator, formers)
    if wishes.limits in (True, "model"):
        placed = dataclasses.replace(placed, left=tuple(f for f in placed.left if f not in LIMITS))
    if placed.formers:
        _free(joint_named(spec, joint), placed.formers[0])
    placed.entry.trntype = mujoco.mjtTrn.mjTRN_JOINT
    placed.entry.gear[0] = 1.0 / wishes.transmission.get(joint, 1.0)
    return placed


def seated(
    spec: mujoco.MjSpec,
    target: str,
    actuator: Actuator,
    formers: tuple[Sequence[mujoco.MjsActuator], Sequence[Former]],
) -> Placed:
    """An actuator with MuJoCo's own numbers in the place of the first of its formers, or a new one."""
    there, records = formers
    if not there:
        entry, left = fresh_actuator(spec, free_name(spec, target), target)
        return Placed(entry, actuator, (), left)
    entry, *others = there
    second = second_of(spec, entry)
    if second is not None and references(actuator) < 2:
        others.append(second)
    entry.name = entry.name or free_name(spec, target)
    for other in others:
        delete(spec, other, entry)
    make_fresh(entry, {"group"})
    return Placed(entry, actuator, tuple(records))


def free_name(spec: mujoco.MjSpec, joint: str) -> str:
    """The joint's own name; one behind it where an actuator of something else has that."""
    names = {entry.name for entry in spec.actuators}
    return next(n for n in _names_for(joint) if n not in names)


def _names_for(joint: str) -> Iterator[str]:
    yield joint
    yield f"{joint}{BESIDE}"
    yield from (f"{joint}{BESIDE}{k}" for k in count(2))


def _free(joint: mujoco.MjsJoint, former: Former) -> None:
    """Take from a joint what a servo of Pliant gave it; what it had before that is not known."""
    if not former.kind.startswith(PREFIX) or tuple(joint.solimp_friction) != SOLIMP:
        return
    plain = mujoco.MjSpec().worldbody.add_body().add_joint()
    for name in ("armature", "frictionloss", "solref_friction", "solimp_friction"):
        setattr(joint, name, getattr(plain, name))


def check_given(transmission: Mapping[str, float], names: Sequence[str]) -> None:
    """Refuse transmissions of what gets no actuator."""
    for name in transmission:
        check_known(name, names, "no actuator is attached there", "transmission")


def _check_transmission(
    spec: mujoco.MjSpec, joints: Sequence[str], transmission: Mapping[str, float]
) -> None:
    check_given(transmission, joints)
    for joint, travel in transmission.items():
        if travel == 0.0 or not isfinite(travel):
            raise PliantError("moves nothing", field=f"transmission: {joint}", found=travel)
    for joint in joints:
        if (
            joint_named(spec, joint).type == mujoco.mjtJoint.mjJNT_SLIDE
            and joint not in transmission
        ):
            raise PliantError(
                "needs a transmission: the actuator is rotary and the joint slides",
                field=f"joint {joint}",
                accepted=f'transmission={{"{joint}": metres for one radian}}'
                f" (--transmission {joint}=METRES)",
            )
