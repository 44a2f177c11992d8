"""The friction rows of the constraint solver, written from native callbacks.

A DoF with `dof_frictionloss > 0` has one row among MuJoCo's constraints: after the `ne`
equality rows, in ascending order of the DoF, one per DoF of a tree that is awake. What the
solver reads is not `dof_frictionloss` but the row's own `efc_frictionloss`, and, when it
works island by island, the copy `iefc_frictionloss`. A `compute` callback runs after the
rows were made and before they are solved, so what it writes here acts in the same step.

All functions are compiled; `model` and `data` are addresses.
"""

from pliant.engines.mujoco.native.memory import (
    inlined,
    integer,
    integer_at,
    number,
    number_at,
    pointer,
    set_number_at,
)
from pliant.engines.mujoco.plugin.fields import DATA, MODEL
from pliant.engines.spec.sticking import PLACEHOLDER

__all__ = ["NO_ROW", "friction_row", "hold", "is_bare", "row_force", "set_budget"]

NO_ROW = -1
_FRICTION_OF_DOF = 1  # mjCNSTR_FRICTION_DOF
_PGS = 0  # mjSOL_PGS
_DISCRETE = 4  # mjINT_DISCRETE


@inlined
def friction_row(data: int, dof: int, guess: int) -> int:
    """The row of `dof`, or `NO_ROW`: it sleeps, or was compiled without friction.

    The search starts at `guess`, the row after that of the previous DoF, and finds it there
    at once when DoFs are asked for in ascending order. Start with a guess of 0.
    """
    first = integer(data, DATA.ne)
    count = integer(data, DATA.nf)
    types = pointer(data, DATA.efc_type)
    ids = pointer(data, DATA.efc_id)
    begin = guess - first if first <= guess < first + count else 0
    for k in range(count):
        row = first + (begin + k) % count
        if integer_at(ids, row) == dof and integer_at(types, row) == _FRICTION_OF_DOF:
            return row
    return NO_ROW


@inlined
def is_bare(data: int, row: int) -> bool:
    """Whether the joint has no friction of its own, but for what gives it row `row`; before `set_budget`."""
    return number_at(pointer(data, DATA.efc_frictionloss), row) <= PLACEHOLDER


@inlined
def set_budget(data: int, row: int, budget: float) -> None:
    """Let row `row` resist with at most `budget` (N m or N) in this step."""
    set_number_at(pointer(data, DATA.efc_frictionloss), row, budget)
    if integer(data, DATA.nisland) > 0:
        twin = integer_at(pointer(data, DATA.map_efc2iefc), row)
        set_number_at(pointer(data, DATA.iefc_frictionloss), twin, budget)


@inlined
def hold(model: int, data: int, row: int, slip: float) -> None:
    """Let row `row` ask for rest at the end of this step, with compliance `slip`.

    MuJoCo's friction is a damper that saturates: below its budget it creeps, by
    v = h slip a, with slip = 1 - impedance and a the acceleration it withstands. Here its
    target acceleration becomes -v/h, whatever `solref` and the timestep, and the slip
    becomes what is asked for, whatever `solimp`. Then the row is the stop-torque rule
    τ_f = clip(-(J v/h + τ), ±budget).

    Args:
        model: address of the mjModel.
        data: address of the mjData.
        row: from `friction_row`.
        slip: 1e-4 (the least that `solimp` allows) to 1e-6. Less makes the solver iterate
            more, and from 1e-7 on its residue shows as creep under the implicit integrators.

    Left out: the integrator `discrete`, which derives both again after the callbacks, from
    `solref` and `solimp` (`sticking.stick` sets those), and the compliance under PGS and
    noslip, which have used it before.
    """
    if integer(model, MODEL.opt_integrator) == _DISCRETE:
        return
    h = number(model, MODEL.opt_timestep)
    velocity = number_at(pointer(data, DATA.efc_vel), row)
    set_number_at(pointer(data, DATA.efc_aref), row, -velocity / h)
    dual = integer(model, MODEL.opt_solver) == _PGS
    if not dual and integer(model, MODEL.opt_noslip_iterations) == 0:
        _set_compliance(data, row, slip * number_at(pointer(data, DATA.efc_diagA), row))


@inlined
def _set_compliance(data: int, row: int, compliance: float) -> None:
    set_number_at(pointer(data, DATA.efc_R), row, compliance)
    set_number_at(pointer(data, DATA.efc_D), row, 1.0 / compliance)
    if integer(data, DATA.nisland) > 0:
        twin = integer_at(pointer(data, DATA.map_efc2iefc), row)
        set_number_at(pointer(data, DATA.iefc_R), twin, compliance)
        set_number_at(pointer(data, DATA.iefc_D), twin, 1.0 / compliance)


@inlined
def row_force(data: int, row: int) -> float:
    """Force of row `row` in the last solve (N m or N); for `advance`."""
    return number_at(pointer(data, DATA.efc_force), row)
