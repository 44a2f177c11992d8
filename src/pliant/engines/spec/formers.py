"""Actuators that a model already has on a joint, and their treatment with `replace`.

The first one on a joint becomes Pliant's: name, place, control, group, and references to it (sensors, tuples,
code that counts) stay. Others on the same joint are deleted, and references to them are redirected to the one
that stays, because MuJoCo would delete those too.

A model's `<default><general gear="150" …/>` is meant for the model's actuators; `MjSpec` gives it to
every new one. In a spec that was copied, or attached to another, MuJoCo binds an actuator to its plugin
instance permanently, even if another is named later; an added one is bound when it is compiled.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.names import PREFIX
from pliant.engines.spec.slots import FORM, SECOND_FORM
from pliant.errors import PliantError

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
            about.append("deleted: the actuators after it moved up by one")
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


LIMITS = frozenset({"ctrlrange", "ctrllimited", "forcerange", "forcelimited"})
"""Fields that limit command and torque."""
_IDENTITY = frozenset(
    "id name target trntype plugin classname compiler info signature type userdata default frame "
    "parent path name1 name2 objtype material axis refsite".split()
)


def fresh_actuator(
    spec: mujoco.MjSpec, name: str, joint: str
) -> tuple[mujoco.MjsActuator, tuple[str, ...]]:
    """Add an actuator on a joint with MuJoCo's own defaults.

    Returns:
        The actuator, and the fields for which the model has defaults that it did not take.
    """
    added = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    return added, make_fresh(added)


def make_fresh(entry: mujoco.MjsActuator, keep: Collection[str] = ()) -> tuple[str, ...]:
    """Give an actuator MuJoCo's own defaults, but for its name, what it acts on, and `keep`.

    Returns:
        The fields that had other values.
    """
    return make_plain(entry, mujoco.MjSpec().add_actuator(), keep)


def make_plain(entry: Any, plain: Any, keep: Collection[str] = ()) -> tuple[str, ...]:
    """Give an element the values of a `plain` one, but for what it is and acts on, and `keep`.

    Returns:
        The fields that had other values.
    """
    left: list[str] = []
    for field in dir(plain):
        value = getattr(plain, field)
        if field.startswith("_") or callable(value) or field in _IDENTITY or field in keep:
            continue
        if not np.array_equal(getattr(entry, field), value):
            setattr(entry, field, value)
            left.append(field)
    return tuple(left)


def _give_instance(spec: mujoco.MjSpec, added: Any, numbers: Mapping[str, str]) -> None:
    """Numbers that stood in an actuator's own element, in an instance: an element is the reader's to make."""
    added.plugin.name = f"{added.name}.{added.plugin.plugin_name}"
    instance: Any = spec.add_plugin(
        name=added.plugin.name, plugin_name=added.plugin.plugin_name, active=True
    )
    instance.config = dict(numbers)


def unplug(spec: mujoco.MjSpec, entries: Iterable[mujoco.MjsActuator]) -> None:
    """Take the plugins of others, such as `mujoco.pid`, from actuators that are to be replaced.

    The name of the plugin stays, for the record. An instance that nobody else has goes too: MuJoCo
    refuses it. Objects that a program holds of these actuators, and of those behind, are of no use then.
    """
    foreign = [
        one
        for one in entries
        if one.plugin.active and not one.plugin.plugin_name.startswith(PREFIX)
    ]
    if not foreign:
        return
    if int(mujoco.__version__.partition(".")[0]) < 4:  # 3.11 ends the process when it deletes one
        raise PliantError(
            "this MuJoCo cannot take an actuator of another plugin out of a model",
            field=f"actuator {foreign[0].name!r} ({foreign[0].plugin.plugin_name})",
            found=f"mujoco {mujoco.__version__}",
            accepted="mujoco >=4, or a model without that actuator",
        )
    instances = {one.plugin.name for one in foreign} - {""}
    first = min(int(one.id) for one in foreign)
    for one in foreign:
        one.plugin.active, one.plugin.name = False, ""
    add_anew(spec, first)
    owners: tuple[Any, ...] = (spec.actuators, spec.sensors, spec.bodies, spec.geoms, spec.meshes)
    kept = {one.plugin.name for kind in owners for one in kind}
    for instance in [one for one in spec.plugins if one.name in instances - kept]:
        spec.delete(instance)


def can_be_anew(spec: mujoco.MjSpec, first: int) -> bool:
    """Whether the actuators from place `first` on can: a plugin's numbers cannot be copied."""
    behind = list(spec.actuators)[first:]
    return all(entry.plugin.name for entry in behind if entry.plugin.active)


def add_anew(spec: mujoco.MjSpec, first: int) -> None:
    """Delete the actuators from place `first` on and add them again, in their order.

    What refers to them by name still does. Objects that a program holds of them are of no use then.
    """
    for _ in range(first, len(spec.actuators)):
        entry: Any = spec.actuators[first]
        name, aside = entry.name, f"{entry.name}.anew"
        added: Any = spec.add_actuator(name=aside)
        make_plain(added, entry)
        for field in ("target", "trntype", "refsite", "userdata"):
            setattr(added, field, getattr(entry, field))
        for field in ("name", "plugin_name", "active") if entry.plugin.plugin_name else ():
            setattr(added.plugin, field, getattr(entry.plugin, field))
        if entry.plugin.active and not entry.plugin.name:
            _give_instance(spec, added, entry.plugin.config)
        delete(spec, entry, added)
        added.name = name
        turn(spec, aside, name)
