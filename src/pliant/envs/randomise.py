"""Parameter sets of attached actuators, a row for each episode."""

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.draws import Draws, rows_of
from pliant.engines.spec.places import actuator_on

__all__ = ["Draws", "Randomiser"]

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
        self._tables: list[tuple[int, int, list[int], Floats | None, Floats]] = []
        for joint, table in draws.items():
            columns = [attachment.column(joint, name) for name in table]
            dof = int(model.joint(joint).dofadr[0])
            armature = [*table].index(ARMATURE) if ARMATURE in table else -1
            place = actuator_on(model, joint)
            rows = rows_of(joint, table)
            rotor = rows[:, armature] * float(model.actuator_gear[place, 0]) ** 2
            self._tables.append((place, dof, columns, rotor if armature >= 0 else None, rows))

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
        for place, dof, columns, rotor, rows in self._tables:
            taken = random.integers(len(rows), size=len(which))
            user[which[:, None], place, columns] = rows[taken]
            if rotor is not None:
                armature[which, dof] = rotor[taken]
