"""Check for recordings that stand inside fixed parts of the model, such as a table: a zero is off, or the table.

While a joint touches something, its search leaves the samples out; a recording that is inside all along
would be left out whole, and nothing would be fitted.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import NEAR, plain_model
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog

POSES = 200
"""Poses that are looked at, of all recordings together."""
SHARE = 0.5
"""Fraction of a recording, from which on it is told."""
SHIFTS = np.ravel([(x, -x) for x in np.arange(0.05, 1.6, 0.05)])
"""[rad, m] Zeros tried, the least first."""


def doubtful_places(path: Path, logs: Sequence[RobotLog], joints: Sequence[str]) -> Iterator[Doubt]:
    """Recordings most of whose poses are more than 2 cm inside fixed geometry, and zeros that bring them out.

    Args:
        path: of the model. logs: recordings. joints: all that are recorded.
    """
    # A link within the base that carries it is the model's matter, in all poses; `attach` tells that.
    model = plain_model(path, joints, exclude_base_collision=True)
    if not model.ngeom:
        return
    every = max(1, sum(len(log.time) for log in logs) // POSES)
    at = [int(model.joint(joint).qposadr[0]) for joint in joints]
    for log in logs:
        poses = log.position[::every, [log.column(joint) for joint in joints]]
        share = _sunken(model, at, poses)
        if share < SHARE:
            continue
        out = list(_ways_out(model, at, poses, joints))
        hint = f"; {' or '.join(out)} would bring it out" if out else ""
        yield Doubt(
            "zero",
            (),
            f"in {100 * share:.0f} % of {log.name} the arm stands more than {100 * NEAR:g} cm inside a fixed part of "
            f"the model: a joint's zero is off, or the part's place{hint}",
        )


def _ways_out(
    model: mujoco.MjModel, at: Sequence[int], poses: Floats, joints: Sequence[str]
) -> Iterator[str]:
    """For each joint the least shift of its positions, if there is one."""
    few = poses[:: max(1, len(poses) // 10)]
    for k, joint in enumerate(joints):
        for shift in SHIFTS:
            moved = few + shift * np.eye(len(joints))[k]
            low, high = model.joint(joint).range
            allowed = low == high or (moved[:, k].min() >= low and moved[:, k].max() <= high)
            if allowed and _sunken(model, at, moved) == 0.0:
                yield f"{shift:+.2g} at {joint}"
                break


def _sunken(model: mujoco.MjModel, at: Sequence[int], poses: Floats) -> float:
    """Share of the poses that are inside."""
    data = mujoco.MjData(model)
    inside = 0
    for pose in poses:
        data.qpos[at] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        still = model.body_weldid[model.geom_bodyid[data.contact.geom]] == 0
        inside += bool((data.contact.dist[still[:, 0] != still[:, 1]] < -NEAR).any())
    return inside / len(poses)
