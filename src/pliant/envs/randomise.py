"""Parameter sets of attached actuators, a row for each episode."""

from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.randomise import Draws, drawn_rows

__all__ = ["FIELDS", "Draws", "Randomiser"]

FIELDS = ("actuator_user", "actuator_dynprm", "dof_armature", "dof_frictionloss")
"""Fields of a model that draws write: the numbers, and all that depends on them."""


class Randomiser:
    """Writes rows of draws into a model, or into the fields of many.

    Args:
        model: with the actuators attached. attachment: what `attach` returned.
        draws: joint to parameter to its K values, or to a file of draws; row k of one joint is one
            set.

    Raises:
        PliantError: see `Attachment.randomise`.
    """

    def __init__(self, model: mujoco.MjModel, attachment: Attachment, draws: Draws) -> None:
        self._drawn = list(drawn_rows(attachment.joints, model, draws).values()) if draws else []

    def redraw(self, model: mujoco.MjModel, random: np.random.Generator) -> None:
        """Give the model's actuators another row each."""
        if not self._drawn:
            return
        self.redraw_rows(
            {name: np.asarray(getattr(model, name))[None] for name in FIELDS}, 0, random
        )
        mujoco.mj_setConst(model, mujoco.MjData(model))

    def redraw_rows(
        self, fields: Mapping[str, Floats], ids: ArrayLike, random: np.random.Generator
    ) -> None:
        """The same for simulations `ids` of fields with one row for each simulation."""
        which = np.atleast_1d(np.asarray(ids))
        for rows in self._drawn:
            taken = random.integers(len(rows.user), size=len(which))
            for name, place, values in (
                ("actuator_user", rows.actuator, rows.user),
                ("actuator_dynprm", rows.actuator, rows.dynprm),
                ("dof_armature", rows.dof, rows.armature),
                ("dof_frictionloss", rows.dof, rows.frictionloss),
            ):
                if values is not None:
                    fields[name][which, place] = values[taken]
