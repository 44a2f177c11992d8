"""Friction rows of the solver of MuJoCo Warp, their work space, draws of parameters, and resets.

Rows stand in another order in every step and world, so each row looks up its degree of freedom.
"""

from collections.abc import Sequence
from typing import Any

import mujoco_warp
import numpy as np
import warp as wp

from pliant.engines.spec import sticking
from pliant.errors import PliantError

_NATIVE: Any = mujoco_warp  # which has no types
wp.set_module_options({"enable_backward": False})

FRICTION_OF_DOF = 1
"""mjCNSTR_FRICTION_DOF"""
PLACEHOLDER = wp.constant(sticking.PLACEHOLDER)


# So many arguments: Warp takes arrays one by one.
@wp.kernel
def set_rows(
    timestep: wp.array[float],
    kind: wp.array2d[int],
    dof: wp.array2d[int],
    count: wp.array[int],
    velocity: wp.array2d[float],
    invweight: wp.array2d[float],
    owned: wp.array[int],
    budget: wp.array2d[float],
    stiffening: wp.array2d[float],
    discrete: bool,
    row: wp.array2d[int],
    frictionloss: wp.array2d[float],
    aref: wp.array2d[float],
    inertia: wp.array2d[float],
):
    """Let each row of an owned DoF resist with its budget, and ask for rest after this step.

    The same rule as `friction_rows.hold` of the C engine; `discrete` derives the target and the
    compliance of a row again from the model, so there only the budget is set.
    """
    w, r = wp.tid()
    if r >= wp.min(count[w], kind.shape[1]):
        return
    if kind[w, r] != FRICTION_OF_DOF:
        return
    j = dof[w, r]
    if owned[j] == 0:
        return
    row[w, j] = r
    if budget[w, j] < 0.0:
        return
    if budget[w, j] > 0.0 or frictionloss[w, r] <= PLACEHOLDER:  # else it is the joint's own
        frictionloss[w, r] = budget[w, j]
    if not discrete:
        aref[w, r] = -velocity[w, r] / timestep[w % timestep.shape[0]]
        inertia[w, r] = stiffening[w, j] / invweight[w % invweight.shape[0], j]


# So many arguments: Warp takes arrays one by one.
@wp.kernel
def redraw(
    worlds: wp.array[bool],
    draw: wp.array[int],
    joint: int,
    table: wp.array2d[float],
    columns: wp.array[int],
    k: int,
    armature: int,
    dof: int,
    actuator: int,
    gear: wp.array2d[wp.spatial_vector],
    parameters: wp.array3d[float],
    dof_armature: wp.array2d[float],
):
    """Row `k` of each marked world's parameters from a random row of `table`."""
    w = wp.tid()
    if not worlds[w]:
        return
    state = wp.rand_init(draw[0] * 7919 + joint, w)
    taken = wp.randi(state, 0, table.shape[0])
    for c in range(columns.shape[0]):
        parameters[w, k, columns[c]] = table[taken, c]
    if armature >= 0:
        ratio = gear[w % gear.shape[0], actuator][0]
        dof_armature[w, dof] = parameters[w, k, armature] * ratio * ratio


@wp.kernel
def next_draw(draw: wp.array[int]):
    """Other random numbers from here on."""
    draw[0] += 1


wp.set_module_options({"enable_backward": False})


@wp.kernel
def clear(mask: wp.array[wp.bool], act: wp.array2d[float]):
    """Zero the rows that `mask` marks."""
    i, k = wp.tid()
    if mask[i]:
        act[i, k] = 0.0


DISCRETE = 4
"""mjINT_DISCRETE; the name exists from MuJoCo 3.13 on."""


class FrictionRows:
    """Budgets of some degrees of freedom, and the rows that resist with them.

    Attributes:
        wrench: (W, nv) generalised force of `xfrc_applied` in this step.
        budget: (W, nv) largest friction torque; below 0 the row stays as it is.
        grip: (W, nv) how much stiffer than its inertia a row holds.
        row: (W, nv) the row of the last step, or -1.
        ran: (1,) steps so far.
    """

    def __init__(self, nworld: int, nv: int, dofs: Sequence[int], *, discrete: bool) -> None:
        shape = (nworld, nv)
        self.wrench = wp.zeros(shape, dtype=float)
        self.budget = wp.full(shape, -1.0, dtype=float)
        self.grip = wp.zeros(shape, dtype=float)
        self.row = wp.full(shape, -1, dtype=int)
        self.ran = wp.zeros(1, dtype=int)
        owned = np.zeros(nv, np.int32)
        owned[list(dofs)] = 1
        self._owned = wp.array(owned, dtype=int)
        self._discrete = discrete
        self._seen = 0

    def gather(self, m: Any, d: Any) -> None:
        """Begin a step: what the user pushes with."""
        self.wrench.zero_()
        _NATIVE.xfrc_accumulate(m, d, self.wrench)

    def write(self, m: Any, d: Any) -> None:
        """End a step: let the rows resist with the budgets."""
        wp.launch(
            set_rows,
            dim=d.efc.type.shape,
            inputs=[
                m.opt.timestep,
                d.efc.type,
                d.efc.id,
                d.nefc,
                d.efc.vel,
                m.dof_invweight0,
                self._owned,
                self.budget,
                self.grip,
                self._discrete,
                self.row,
            ],
            outputs=[d.efc.frictionloss, d.efc.aref, d.efc.D],
        )

    def check_running(self, problem: str, found: str, remedy: str) -> None:
        """Refuse to go on if no step since the last question has run."""
        ran = int(self.ran.numpy()[0])
        before, self._seen = self._seen, ran
        if ran == before:
            raise PliantError(
                f"{problem} in any step since the last check", found=found, accepted=remedy
            )
