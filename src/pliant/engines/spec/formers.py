"""Actuators that a model has on a joint already, and what becomes of them with `replace`.

The first one on a joint becomes Pliant's: name, place, control, group, and all that refers to it
(sensors, tuples, code that counts) stay. Others on the same joint are deleted, and what refers to
them is turned to the one that stays, because MuJoCo would delete it too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.slots import FORM, SECOND_FORM

ON_JOINT = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
"""Transmissions to a joint. For hinges and slides they are one and the same."""
_DYN: Any = mujoco.mjtDyn
_OF_KEYS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


@dataclass(frozen=True)
class Former:
    """An actuator of the model whose joint has one of Pliant's instead.

    Attributes:
        name: its name; "" for none. place: its number among the model's actuators, before.
        kind: "motor", "position", "velocity", "general", or a plugin's name.
        gear: of the former. command_range, force_range: its limits, if it had any.
        readers: sensors and tuples that refer to it, which now refer to the one in its place.
        deleted: its place is gone, because it was not the first on its joint.
    """

    name: str
    place: int
    kind: str
    gear: float
    command_range: tuple[float, float] | None
    force_range: tuple[float, float] | None
    readers: tuple[str, ...]
    deleted: bool

    def __str__(self) -> str:
        text = f"{self.kind} {self.name!r}" if self.name else f"{self.kind} without a name"
        about = [] if self.gear == 1.0 else [f"gear {self.gear:g}"]
        if self.command_range is not None:
            about.append("commands {:g} to {:g}".format(*self.command_range))
        if self.readers:
            about.append(f"read by {', '.join(self.readers)}")
        if self.deleted:
            about.append("deleted: the actuators behind it moved up by one")
        return f"{text} ({', '.join(about)})" if about else text


def formers_on(spec: mujoco.MjSpec, joint: str) -> list[mujoco.MjsActuator]:
    """The actuators on a joint, but for second commands of Pliant's."""
    return [
        entry
        for entry in spec.actuators
        if entry.target == joint and entry.trntype in ON_JOINT and not is_second(entry)
    ]


def is_second(entry: mujoco.MjsActuator) -> bool:
    """Whether an actuator only carries the second command of one of Pliant's.

    Its name does not tell: a prefix or suffix may have been added to it.
    """
    forceless = entry.dyntype == mujoco.mjtDyn.mjDYN_NONE and float(entry.gainprm[0]) == 0.0
    return forceless and float(entry.dynprm[FORM]) == SECOND_FORM


def second_of(spec: mujoco.MjSpec, entry: mujoco.MjsActuator) -> mujoco.MjsActuator | None:
    """The actuator that carries the second command of `entry`, if there is one."""
    kinds = ON_JOINT if entry.trntype in ON_JOINT else (entry.trntype,)
    same = (one for one in spec.actuators if one.target == entry.target and is_second(one))
    return next((one for one in same if one.trntype in kinds), None)


def ratio_of(entry: mujoco.MjsActuator) -> float:
    """Its transmission ratio; of sites along its direction, which is never negative."""
    between = entry.trntype == mujoco.mjtTrn.mjTRN_SITE
    return float(np.linalg.norm(entry.gear)) if between else float(entry.gear[0])


def kind_of(entry: mujoco.MjsActuator) -> str:
    """MuJoCo's shortcut for an actuator like this, or its plugin's name."""
    if is_second(entry):
        return "second command"
    if entry.plugin.active or entry.plugin.plugin_name:
        return entry.plugin.plugin_name or entry.plugin.name
    if entry.gaintype != mujoco.mjtGain.mjGAIN_FIXED:
        return "general"
    if entry.biastype == mujoco.mjtBias.mjBIAS_NONE:
        return "motor" if entry.dyntype == mujoco.mjtDyn.mjDYN_NONE else "general"
    if is_position(entry):
        return "position"
    gain, (constant, stiffness, damping) = float(entry.gainprm[0]), entry.biasprm[:3]
    return "velocity" if (constant, stiffness, damping) == (0.0, 0.0, -gain) else "general"


def named(entry: mujoco.MjsActuator) -> str:
    """An actuator in words: its kind and its name."""
    return f"{kind_of(entry)} {entry.name!r}" if entry.name else f"{kind_of(entry)} without a name"


def is_position(entry: mujoco.MjsActuator) -> bool:
    """Whether its command is the position that it moves to, times its gear."""
    asked = asked_length(entry, np.array([0.0, 1.0]))
    return asked is not None and asked.tolist() == [0.0, 1.0]


def asked_length(entry: mujoco.MjsActuator, commands: Floats) -> Floats | None:
    """The position that it moves to, times its gear, at each command; None: it moves to none.

    Grippers have commands in counts: gain u + b_0 + b_1 length is 0 at another length than u.
    """
    fixed = entry.gaintype == mujoco.mjtGain.mjGAIN_FIXED and not entry.plugin.active
    # An integrator's command is a speed.
    integral = entry.dyntype not in (_DYN.mjDYN_NONE, _DYN.mjDYN_FILTER, _DYN.mjDYN_FILTEREXACT)
    affine = fixed and not integral and entry.biastype == mujoco.mjtBias.mjBIAS_AFFINE
    gain, constant, stiffness = (float(x) for x in (entry.gainprm[0], *entry.biasprm[:2]))
    if not affine or gain == 0.0 or not stiffness < 0.0:
        return None
    return (gain * commands + constant) / -stiffness


def former_of(spec: mujoco.MjSpec, entry: mujoco.MjsActuator, *, deleted: bool) -> Former:
    """The record of an actuator that is about to be replaced."""
    return Former(
        name=entry.name,
        place=int(entry.id),
        kind=kind_of(entry),
        gear=ratio_of(entry),
        command_range=limits_of(entry.ctrllimited, entry.ctrlrange),
        force_range=limits_of(entry.forcelimited, entry.forcerange),
        readers=tuple(sorted(name for name, _ in _readers(spec, entry.name))),
        deleted=deleted,
    )


def limits_of(limited: Any, range_: Any) -> tuple[float, float] | None:
    """A range, if it holds: said outright, or by being there."""
    low, high = (float(x) for x in range_)
    there = limited == mujoco.mjtLimited.mjLIMITED_AUTO and (low, high) != (0.0, 0.0)
    return (low, high) if there or limited == mujoco.mjtLimited.mjLIMITED_TRUE else None


def delete(spec: mujoco.MjSpec, entry: mujoco.MjsActuator, heir: mujoco.MjsActuator) -> None:
    """Delete an actuator; what refers to it refers to `heir` from then on.

    Keyframes stay as they are.
    """
    turn(spec, entry.name, heir.name)
    # In a compiled spec, MuJoCo deletes nothing, and says nothing, where a keyframe has another size.
    aside = [(key, {f: np.array(getattr(key, f)) for f in _OF_KEYS}) for key in spec.keys]
    for key, fields in aside:
        for field in fields:
            setattr(key, field, [])
    spec.delete(entry)
    for key, fields in aside:
        for field, numbers in fields.items():
            setattr(key, field, numbers)


def turn(spec: mujoco.MjSpec, old: str, new: str) -> None:
    """Let what refers to the actuator called `old` refer to the one called `new`."""
    actuator = int(mujoco.mjtObj.mjOBJ_ACTUATOR)
    for _, reader in _readers(spec, old):
        if isinstance(reader.objname, str):
            reader.objname = new
            continue
        reader.objname = [
            new if kind == actuator and name == old else name
            for kind, name in zip(reader.objtype, reader.objname, strict=True)
        ]


def _readers(spec: mujoco.MjSpec, name: str) -> Iterator[tuple[str, Any]]:
    """Sensors and tuples that refer to the actuator called `name`."""
    if not name:
        return
    actuator = mujoco.mjtObj.mjOBJ_ACTUATOR
    for sensor in spec.sensors:
        if sensor.objtype == actuator and sensor.objname == name:
            yield f"sensor {sensor.name}".strip(), sensor
    for group in spec.tuples:
        if (int(actuator), name) in zip(map(int, group.objtype), group.objname, strict=True):
            yield f"tuple {group.name}", group
