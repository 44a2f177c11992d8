"""Actuators of a spec added anew, each as it was.

In a spec that was copied, or attached to another, MuJoCo binds an actuator to its plugin instance for
good, whatever instance is named later. An actuator that is added there is bound when it is compiled.
"""

from typing import Any

import mujoco

from pliant.engines.spec.formers import delete, turn
from pliant.engines.spec.fresh import make_plain

__all__ = ["add_anew", "can_be_anew"]


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
        if entry.plugin.active:
            for field in ("name", "plugin_name", "active"):
                setattr(added.plugin, field, getattr(entry.plugin, field))
        delete(spec, entry, added)
        added.name = name
        turn(spec, aside, name)
