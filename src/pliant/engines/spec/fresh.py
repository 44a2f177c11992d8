"""Actuators added to a spec: free of the model's own defaults, or anew, each as it was.

A model's `<default><general gear="150" …/>` is meant for the model's actuators; `MjSpec` gives it to
every new one. In a spec that was copied, or attached to another, MuJoCo binds an actuator to its plugin
instance for good, whatever instance is named later; one that is added there is bound when it is compiled.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import mujoco
import numpy as np

from pliant.engines.spec.formers import delete, turn
from pliant.engines.spec.names import PREFIX
from pliant.errors import PliantError

__all__ = ["add_anew", "can_be_anew", "unplug"]


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

    Raises:
        PliantError: MuJoCo is older than 4.
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
