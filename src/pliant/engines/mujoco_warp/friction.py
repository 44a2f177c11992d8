"""The friction of actuators in all worlds: work space of a step, and the solver's rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from pliant.engines.mujoco_warp.rows import set_rows
from pliant.engines.mujoco_warp.versions import warp_and_mujoco_warp

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
        _, self._mjw = warp_and_mujoco_warp()
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
        self._mjw.xfrc_accumulate(m, d, self.wrench)

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

    def has_run(self) -> bool:
        """Whether a step since the last question has run."""
        ran = int(self.ran.numpy()[0])
        before, self._seen = self._seen, ran
        return ran != before
