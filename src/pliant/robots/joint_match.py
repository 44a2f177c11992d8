"""Recorded joints whose names are unlike the model's: which of its joints they may be, by order and range.

Recordings and models list an arm's joints from its base to its tip, and numbers in names count that way.
An order is proposed only if motion and ranges allow it, and no other choice of joints in that order; where
the order does not fit, the one exchange that does. Motion within the ranges is no proof: it is for the
user to agree.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, islice, permutations
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.engines.mujoco.model_file import load_model
from pliant.errors import PliantError, located
from pliant.io.formats.names import check_names, proposal
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import within

MOST = 10_000
"""Choices that are looked at; of more, none is proposed."""

Ends = tuple[float, float]


def check_joints(path: Path, logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
    """Refuse joints that a model lacks, and propose which of its joints they are.

    Args:
        path: of the model. logs: recordings. joints: with actuators, or led; those that are not recorded
            are refused where they are attached.

    Raises:
        PliantError: with the option that renames them, where names, or order and ranges, tell.
    """
    known = {joint.name for joint in load_model(path)[0].joints}
    joints = [joint for joint in joints if all(joint in log.joints for log in logs)]
    missing = [joint for joint in joints if joint not in known]
    if not missing:
        return
    ends = _ends(plain_model(path, []))
    free = {name: one for name, one in ends.items() if name not in joints}
    arms = several_arms(joints, list(ends))
    if arms:
        raise PliantError(
            f"the recording has {len(arms)} robots ({', '.join(f'{arm}*' for arm in arms)}), the model "
            f"one: choose with --rename '{arms[0]}*=*' --reading leave_out="
            + ",".join(f"'{arm}*'" for arm in arms[1:]),
            file=path,
            field="joint",
            found=missing[0],
            accepted=list(ends),
        )
    alike = proposal(missing, list(free))
    if set(alike) == set(missing):
        with located(path):
            check_names(joints, list(ends))
    lines = {
        joint: np.concatenate([log.position[:, log.column(joint)] for log in logs])
        for joint in _ordered([joint for joint in missing if joint not in alike])
    }
    left = {name: one for name, one in free.items() if name not in alike.values()}
    meant = alike | by_order(lines, left)
    if set(meant) != set(missing):
        raise PliantError(
            "no such joint in the model, and neither names nor order and ranges tell which it is",
            file=path,
            field="joint",
            found=missing[0],
            accepted=list(ends),
        )
    pairs = ",".join(f"{theirs}={meant[theirs]}" for theirs in missing)
    raise PliantError(
        "joints of the recording are not in the model; by their order, in which their motion is within "
        f"the model's ranges, they may be these: --rename {pairs}",
        file=path,
        field="joint",
        found=missing[0],
        accepted=list(ends),
    )


def several_arms(recorded: Sequence[str], known: Sequence[str]) -> list[str]:
    """Beginnings of names, such as left_ and right_, after each of which the names are a model's.

    Empty if there are not several, or if some joint has no such name.
    """
    found: list[str] = []
    for joint in recorded:
        ends = [name for name in known if joint.endswith(name)]
        arm = joint.removesuffix(max(ends, key=len, default=joint))
        if not ends or not arm:
            return []
        found.append(arm)
    arms = list(dict.fromkeys(found))
    return arms if len(arms) > 1 and all(found.count(arm) > 1 for arm in arms) else []


def by_order(lines: Mapping[str, Floats], free: Mapping[str, Ends]) -> dict[str, str]:
    """Recorded joint to the model's, the only choice that ranges allow; empty where they allow more.

    Args:
        lines: joint to its recorded positions, in order. free: joint of the model to its range.
    """
    fits = {
        (joint, name): within(line, *ends)
        for joint, line in lines.items()
        for name, ends in free.items()
    }
    ways = list(islice(combinations(free, len(lines)), MOST + 1))
    found = [way for way in ways if all(fits[pair] for pair in zip(lines, way, strict=True))]
    if not found and len(free) == len(lines):
        ways = list(islice(permutations(free), MOST + 1))
        found = [way for way in ways if all(fits[pair] for pair in zip(lines, way, strict=True))]
    if len(found) != 1 or len(ways) > MOST:
        return {}
    return dict(zip(lines, found[0], strict=True))


def _ordered(names: Sequence[str]) -> list[str]:
    """Names by the numbers that they end in; as recorded, where not all of them do."""
    numbers = [re.search(r"(\d+)\D*$", name) for name in names]
    if not all(numbers):
        return list(names)
    return sorted(names, key=lambda name: int(re.findall(r"\d+", name)[-1]))


def _ends(model: mujoco.MjModel) -> dict[str, Ends]:
    """Hinges and slides of a model, from its base on, to their ranges [rad, m]."""
    kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    joints = [model.joint(k) for k in range(model.njnt) if int(model.jnt_type[k]) in kinds]
    return {
        joint.name: (float(joint.range[0]), float(joint.range[1]))
        if joint.range[0] < joint.range[1]
        else (-np.inf, np.inf)
        for joint in joints
        if joint.name
    }
