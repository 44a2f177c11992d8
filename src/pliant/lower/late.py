"""Delayed commands and the torque of constraints, for the engines on Warp.

Not for calls from Python: the lowering links it into their kernels.
"""

from __future__ import annotations

from typing import Any

wp: Any


def arrived(now: wp.array[float], at: int, kept: int, present: float, age: float):
    """The command `age` steps ago, interpolated linearly."""
    if kept == 0 or age <= 0.0:
        return present
    k = int(wp.floor(age))
    part = age - float(k)
    newer = present
    if k > 0:
        newer = now[at + wp.min(k, kept) - 1]
    return newer + part * (now[at + wp.min(k + 1, kept) - 1] - newer)


def older(now: wp.array[float], at: int, k: int, present: float):
    """Entry `k` of the command history one step later."""
    if k == 0:
        return present
    return now[at + k - 1]


# Many arguments, because Warp takes arrays one by one.
def reaction_of(
    w: int,
    dof: int,
    h: float,
    qvel: wp.array2d[float],
    constraint: wp.array2d[float],
    row_force: wp.array2d[float],
    row: wp.array2d[int],
    budget: wp.array2d[float],
    warmstart: wp.array2d[float],
):
    """Torque on `dof` of all constraints except its friction, in the last solve."""
    reaction = constraint[w, dof]
    if row[w, dof] >= 0:
        held = row_force[w, row[w, dof]]
        reaction -= held
        if wp.abs(held) < budget[w, dof]:
            # The acceleration that stopped it is a poor guess for the next step: the solver
            # would start with the row sliding, and need iterations to find that it sticks.
            warmstart[w, dof] = -qvel[w, dof] / h
    return reaction
