"""The torque on a DoF that does not come from its own actuator, for native callbacks.

In `compute` MuJoCo already knows gravity, Coriolis and passive forces of this step
(`qfrc_bias`, `qfrc_passive`) and what the user applies (`qfrc_applied`, `xfrc_applied`).
What contacts, limits and other constraints do is solved later, so a callback can only know
it from the step before: `reaction`, called in `advance`, is the value to keep in `act`.

All functions are compiled; `model` and `data` are addresses.
"""

from pliant.engines.mujoco.native.friction_rows import NO_ROW, row_force
from pliant.engines.mujoco.native.memory import (
    compiled,
    inlined,
    integer_at,
    number_at,
    numbers,
    pointer,
    size,
)
from pliant.engines.mujoco.plugin.fields import DATA, MODEL

__all__ = ["any_wrench", "inertia", "load", "reaction", "wrench_torque"]


@inlined
def load(data: int, dof: int) -> float:
    """Gravity, Coriolis, passive and applied generalised force on `dof` in this step (N m).

    Left out: `xfrc_applied` (`wrench_torque`), constraints (`reaction`), other actuators.
    """
    return (
        number_at(pointer(data, DATA.qfrc_passive), dof)
        - number_at(pointer(data, DATA.qfrc_bias), dof)
        + number_at(pointer(data, DATA.qfrc_applied), dof)
    )


@inlined
def reaction(data: int, dof: int, row: int) -> float:
    """Torque on `dof` of all constraints but the friction row `row`, in the last solve (N m)."""
    total = number_at(pointer(data, DATA.qfrc_constraint), dof)
    return total if row == NO_ROW else total - row_force(data, row)


@inlined
def inertia(model: int, data: int, dof: int) -> float:
    """Inertia of all that `dof` moves, without its armature, in this pose (kg m^2).

    Left out: what other joints' accelerations couple into it.
    """
    own = integer_at(pointer(model, MODEL.M_rowadr), dof) + integer_at(
        pointer(model, MODEL.M_rownnz), dof
    )
    whole = number_at(pointer(data, DATA.M), own - 1)
    return whole - number_at(pointer(model, MODEL.dof_armature), dof)


@compiled
def any_wrench(model: int, data: int) -> bool:
    """Has the user set `xfrc_applied` of any body? Ask once per step."""
    count = 6 * size(model, MODEL.nbody)
    wrenches = numbers(pointer(data, DATA.xfrc_applied), count)
    found = False
    for k in range(count):  # without a branch: vectorised
        found |= wrenches[k] != 0.0
    return found


@compiled
def wrench_torque(model: int, data: int, dof: int) -> float:
    """The generalised force of `xfrc_applied` on `dof` (N m): Jᵀ wrench of all it moves."""
    moved = integer_at(pointer(model, MODEL.dof_bodyid), dof)
    axis = pointer(data, DATA.cdof) + 48 * dof
    torque = 0.0
    for body in range(moved, size(model, MODEL.nbody)):
        wrench = pointer(data, DATA.xfrc_applied) + 48 * body
        if _is_zero(wrench) or not _carries(model, moved, body):
            continue
        root = integer_at(pointer(model, MODEL.body_rootid), body)
        arm = pointer(data, DATA.xipos) + 24 * body
        centre = pointer(data, DATA.subtree_com) + 24 * root
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            ri = number_at(arm, i) - number_at(centre, i)
            rj = number_at(arm, j) - number_at(centre, j)
            moment = ri * number_at(wrench, j) - rj * number_at(wrench, i)
            torque += number_at(axis, k) * (number_at(wrench, 3 + k) + moment)
            torque += number_at(axis, 3 + k) * number_at(wrench, k)
    return torque


@inlined
def _is_zero(wrench: int) -> bool:
    for k in range(6):
        if number_at(wrench, k) != 0.0:
            return False
    return True


@inlined
def _carries(model: int, ancestor: int, body: int) -> bool:
    """Whether `body` is `ancestor` or a descendant; a parent's number is smaller."""
    parents = pointer(model, MODEL.body_parentid)
    while body > ancestor:
        body = integer_at(parents, body)
    return body == ancestor
