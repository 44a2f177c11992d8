"""The torque on a DoF that does not come from its own actuator, for native callbacks.

In `compute` MuJoCo already knows gravity, Coriolis and passive forces of this step
(`qfrc_bias`, `qfrc_passive`) and what the user applies (`qfrc_applied`, `xfrc_applied`).
What contacts, limits and other constraints do is solved later, so a callback can only know
it from the step before: `reaction`, called in `advance`, is the value to keep in `act`.
"""

from pliant.engines.mujoco.native.friction_rows import NO_ROW, row_force
from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers


def load(data: MjData, dof: int) -> float:
    """Gravity, Coriolis, passive and applied generalised force on `dof` in this step (N m).

    Left out: `xfrc_applied` (`wrench_torque`), constraints (`reaction`), other actuators.
    """
    return data.qfrc_passive[dof] - data.qfrc_bias[dof] + data.qfrc_applied[dof]


def reaction(data: MjData, dof: int, row: int) -> float:
    """Torque on `dof` of all constraints but the friction row `row`, in the last solve (N m)."""
    total = data.qfrc_constraint[dof]
    return total if row == NO_ROW else total - row_force(data, row)


def inertia(model: MjModel, data: MjData, dof: int) -> float:
    """Inertia of all that `dof` moves, without its armature, in this pose (kg m^2).

    Left out: what other joints' accelerations couple into it.
    """
    whole = data.M[model.M_rowadr[dof] + model.M_rownnz[dof] - 1]
    return whole - model.dof_armature[dof]


def any_wrench(model: MjModel, data: MjData) -> bool:
    """Has the user set `xfrc_applied` of any body? Ask once per step."""
    wrenches = data.xfrc_applied[0]
    found = False
    for k in range(6 * model.nbody):  # without a branch: vectorised
        found |= wrenches[k] != 0.0
    return found


def wrench_torque(model: MjModel, data: MjData, dof: int) -> float:
    """The generalised force of `xfrc_applied` on `dof` (N m): Jᵀ wrench of all it moves."""
    moved = model.dof_bodyid[dof]
    axis = data.cdof[dof]
    torque = 0.0
    for body in range(moved, model.nbody):
        wrench = data.xfrc_applied[body]
        if _is_zero(wrench) or not _carries(model, moved, body):
            continue
        arm, centre = data.xipos[body], data.subtree_com[model.body_rootid[body]]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            ri = arm[i] - centre[i]
            rj = arm[j] - centre[j]
            moment = ri * wrench[j] - rj * wrench[i]
            torque += axis[k] * (wrench[3 + k] + moment)
            torque += axis[3 + k] * wrench[k]
    return torque


def _is_zero(wrench: Numbers) -> bool:
    for k in range(6):
        if wrench[k] != 0.0:
            return False
    return True


def _carries(model: MjModel, ancestor: int, body: int) -> bool:
    """Whether `body` is `ancestor` or a descendant; a parent's number is smaller."""
    while body > ancestor:
        body = model.body_parentid[body]
    return body == ancestor
