"""Parameter sets of attached actuators, a row for each episode."""

from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.places import actuator_on
from pliant.errors import PliantError

Draws = Mapping[str, Mapping[str, ArrayLike]]
ARMATURE = "own.armature"


class Randomiser:
    """Writes rows of draws into a model, or into the fields of many.

    Args:
        model: with the actuators attached. attachment: what `attach` returned.
        draws: joint to parameter to its K values; row k of one joint is one set.

    Raises:
        PliantError: no such joint or parameter, or columns of different length.
    """

    def __init__(self, model: mujoco.MjModel, attachment: Attachment, draws: Draws) -> None:
        self._tables: list[tuple[int, int, list[int], int, Floats]] = []
        for joint, table in draws.items():
            columns = [attachment.column(joint, name) for name in table]
            rows = [np.asarray(values, np.float64) for values in table.values()]
            if not rows or len({row.shape for row in rows}) > 1 or rows[0].ndim != 1:
                raise PliantError(
                    "needs columns of the same length",
                    field=f"draws of {joint}",
                    found={name: np.shape(values) for name, values in table.items()},
                )
            dof = int(model.joint(joint).dofadr[0])
            armature = [*table].index(ARMATURE) if ARMATURE in table else -1
            place = actuator_on(model, joint)
            self._tables.append((place, dof, columns, armature, np.stack(rows, axis=1)))

    def redraw(self, model: mujoco.MjModel, random: np.random.Generator) -> None:
        """Give the model's actuators another row each."""
        self.redraw_rows(
            np.asarray(model.actuator_user)[None], np.asarray(model.dof_armature)[None], [0], random
        )

    def redraw_rows(
        self, user: Floats, armature: Floats, ids: ArrayLike, random: np.random.Generator
    ) -> None:
        """The same for simulations `ids` of (N, nu, P) `actuator_user` and (N, nv) armatures."""
        which = np.asarray(ids)
        for place, dof, columns, own, rows in self._tables:
            taken = rows[random.integers(len(rows), size=len(which))]
            user[which[:, None], place, columns] = taken
            if own >= 0:
                armature[which, dof] = taken[:, own]
