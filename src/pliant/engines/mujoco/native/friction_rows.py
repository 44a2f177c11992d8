"""The friction rows of the constraint solver, written from native callbacks.

A DoF with `dof_frictionloss > 0` has one row among MuJoCo's constraints: after the `ne`
equality rows, in ascending order of the DoF, one per DoF of a tree that is awake. What the
solver reads is not `dof_frictionloss` but the row's own `efc_frictionloss`, and, when it
works island by island, the copy `iefc_frictionloss`. A `compute` callback runs after the
rows were made and before they are solved, so what it writes here acts in the same step.

In `compute` MuJoCo already knows gravity, Coriolis and passive forces of this step
(`qfrc_bias`, `qfrc_passive`) and what the user applies (`qfrc_applied`, `xfrc_applied`).
What contacts, limits and other constraints do is solved later, so a callback can only know
it from the step before: `reaction`, called in `advance`, is the value to keep in `act`.
"""

from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.spec.sticking import PLACEHOLDER

NO_ROW = -1
_FRICTION_OF_DOF = 1  # mjCNSTR_FRICTION_DOF
_PGS = 0  # mjSOL_PGS
_DISCRETE = 4  # mjINT_DISCRETE


def friction_row(data: MjData, dof: int, guess: int) -> int:
    """The row of `dof`, or `NO_ROW`: it sleeps, or was compiled without friction.

    The search starts at `guess`, the row after that of the previous DoF, and finds it there
    at once when DoFs are asked for in ascending order. Start with a guess of 0.
    """
    first, count = data.ne, data.nf
    begin = guess - first if first <= guess < first + count else 0
    for k in range(count):
        row = first + (begin + k) % count
        if data.efc_id[row] == dof and data.efc_type[row] == _FRICTION_OF_DOF:
            return row
    return NO_ROW


def is_bare(data: MjData, row: int) -> bool:
    """Whether the joint has no friction of its own, but for what gives it row `row`; before `set_budget`."""
    return data.efc_frictionloss[row] <= PLACEHOLDER


def set_budget(data: MjData, row: int, budget: float) -> None:
    """Let row `row` resist with at most `budget` (N m or N) in this step."""
    data.efc_frictionloss[row] = budget
    if data.nisland > 0:
        data.iefc_frictionloss[data.map_efc2iefc[row]] = budget


def hold(model: MjModel, data: MjData, row: int, slip: float) -> None:
    """Let row `row` ask for rest at the end of this step, with compliance `slip`.

    MuJoCo's friction is a damper that saturates: below its budget it creeps, by
    v = h slip a, with slip = 1 - impedance and a the acceleration it withstands. Here its
    target acceleration becomes -v/h, whatever `solref` and the timestep, and the slip
    becomes what is asked for, whatever `solimp`. Then the row is the stop-torque rule
    τ_f = clip(-(J v/h + τ), ±budget).

    Args:
        model, data: of the step.
        row: from `friction_row`.
        slip: 1e-4 (the least that `solimp` allows) to 1e-6. Less makes the solver iterate
            more, and from 1e-7 on its residue shows as creep under the implicit integrators.

    Left out: the integrator `discrete`, which derives both again after the callbacks, from
    `solref` and `solimp` (`sticking.stick` sets those), and the compliance under PGS and
    noslip, which have used it before.
    """
    if model.opt.integrator == _DISCRETE:
        return
    data.efc_aref[row] = -data.efc_vel[row] / model.opt.timestep
    if model.opt.solver != _PGS and model.opt.noslip_iterations == 0:
        _set_compliance(data, row, slip * data.efc_diagA[row])


def _set_compliance(data: MjData, row: int, compliance: float) -> None:
    data.efc_R[row] = compliance
    data.efc_D[row] = 1.0 / compliance
    if data.nisland > 0:
        twin = data.map_efc2iefc[row]
        data.iefc_R[twin] = compliance
        data.iefc_D[twin] = 1.0 / compliance


def row_force(data: MjData, row: int) -> float:
    """Force of row `row` in the last solve (N m or N); for `advance`."""
    return data.efc_force[row]


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
