"""Actuators for many joints at once: `{"left_*": …, ".*_hip_.*": …}`.

A key that is a joint's name is that joint. Any other is a pattern: of the shell (`left_*`), or, where
that matches none, a regular expression for the whole name. Among keys that match, a name goes before
a pattern, and of two patterns the one with more letters of its own.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TypeVar

import mujoco

from pliant.engines.spec.joints import joints_said
from pliant.errors import PliantError

T = TypeVar("T")
_SIGNS = re.compile(r"[*?\[\].+()|^$\\{}]")
_SIMPLE = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def by_joint(
    spec: mujoco.MjSpec, wanted: Iterable[tuple[str, T]]
) -> tuple[list[tuple[str, T]], list[str]]:
    """Joint and value, in the order of the keys, and in words what each pattern matched.

    Raises:
        PliantError: a pattern matches no hinge or slide, or none that is left; two patterns that are
            equally specific match the same joint.
    """
    pairs = list(wanted)
    sites = [one for one in spec.actuators if one.trntype == mujoco.mjtTrn.mjTRN_SITE]
    known = [one.name for one in (*spec.joints, *spec.tendons, *sites) if one.name]
    simple = [joint.name for joint in spec.joints if joint.name and joint.type in _SIMPLE]
    names = [key for key, _ in pairs if key in known or not _SIGNS.search(key)]
    patterns = [key for key, _ in pairs if key not in names]
    taken = dict.fromkeys(names, "")
    for key in sorted(patterns, key=_letters, reverse=True):
        found = _matches(key, simple)
        for joint in found:
            before = taken.get(joint)
            if before and _letters(before) == _letters(key):
                raise PliantError(
                    "two patterns that are equally specific match one joint",
                    field=f"joint {joint}",
                    found=[before, key],
                    accepted="one of them, or the joint's own name",
                )
            taken.setdefault(joint, key)
        if key not in taken.values():
            raise PliantError(
                "matches no joint" if not found else "matches only joints of other keys",
                field="actuators",
                found=key,
                accepted=simple or joints_said(spec),
            )
    whole: list[tuple[str, T]] = []
    notes: list[str] = []
    for key, value in pairs:
        joints = [key] if key in names else [j for j in simple if taken.get(j) == key]
        whole += [(joint, value) for joint in joints]
        if key not in names:
            notes.append(f"{key!r} matched {', '.join(joints)}")
    return whole, notes


def _matches(pattern: str, joints: list[str]) -> list[str]:
    found = [joint for joint in joints if fnmatchcase(joint, pattern)]
    if found:
        return found
    try:
        return [joint for joint in joints if re.fullmatch(pattern, joint)]
    except re.error as error:
        raise PliantError(
            "is not a pattern",
            field="actuators",
            found=pattern,
            accepted=f"left_* or .*_hip ({error})",
        ) from None


def _letters(pattern: str) -> int:
    return len(_SIGNS.sub("", pattern))
