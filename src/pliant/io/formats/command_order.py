"""Order of commands that have no names, by the motion that follows them."""

from collections.abc import Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.commands_told import left_by

MOST = 64
"""Joints that are compared: the effort is the square of it."""
CLEARLY = 0.3
"""Part of the variance left by the order assumed, which another leaves at most where it is the right one."""
UNLIKE = 0.05
"""Part of a joint's variance that its own commands leave, at least, to be doubted."""


def check_order(
    topic: str, joints: Sequence[str], time: Floats, position: Floats, goal: Floats
) -> None:
    """Refuse commands whose order, by the motion, is another than that of the positions.

    Args:
        topic: of the commands. joints: (J,) in the order of the positions. time: (N,) [s].
        position, goal: (N, J).

    Raises:
        PliantError: with the order that the motion shows.
    """
    if (
        not 1 < len(joints) <= MOST
        or not np.isfinite(position).all()
        or not np.isfinite(goal).all()
    ):
        return
    moved = [
        k for k in range(len(joints)) if np.ptp(position[:, k]) > 0.0 and np.ptp(goal[:, k]) > 0.0
    ]
    if len(moved) < len(joints):
        return
    left = np.array([[left_by(time, line, told) for told in goal.T] for line in position.T])
    meant = [int(k) for k in left.argmin(axis=1)]
    if len({*meant}) < len(meant):
        return  # two joints follow one command best: no order does
    changed = [k for k, other in enumerate(meant) if other != k]
    clear = all(left[k, k] > UNLIKE and left[k, meant[k]] < CLEARLY * left[k, k] for k in changed)
    if not changed or not clear:
        return
    order = ",".join(joints[meant.index(k)] for k in range(len(joints)))
    raise PliantError(
        "has no names, and by the motion its numbers are not in the order of the positions",
        field=topic,
        found=",".join(joints),
        accepted=f"--reading command_joints={order} (as the motion has it), or {','.join(joints)} if that is wrong",
    )
