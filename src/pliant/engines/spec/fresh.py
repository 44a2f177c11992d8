"""Actuators added to a spec, free of the model's own defaults.

A model's `<default><general gear="150" …/>` is meant for the model's actuators; `MjSpec` gives it to
every new one.
"""

from collections.abc import Collection
from typing import Any

import mujoco
import numpy as np

LIMITS = frozenset({"ctrlrange", "ctrllimited", "forcerange", "forcelimited"})
"""Fields that limit command and torque."""
_IDENTITY = frozenset(
    "id name target trntype plugin classname compiler info signature type userdata default frame "
    "parent path name1 name2 objtype material axis refsite".split()
)


def fresh_actuator(
    spec: mujoco.MjSpec, name: str, joint: str, keep: Collection[str] = ()
) -> tuple[mujoco.MjsActuator, tuple[str, ...]]:
    """Add an actuator on a joint with MuJoCo's own defaults, but for the fields to `keep`.

    Returns:
        The actuator, and the fields for which the model has defaults that it did not take.
    """
    added = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    return added, make_fresh(added, keep)


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
