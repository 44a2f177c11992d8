"""Addresses of an attached actuator in a compiled model."""

from typing import Any

import mujoco
import numpy as np

from pliant.engines.spec.slots import FORM, SECOND_FORM
from pliant.errors import PliantError


def actuator_on(model: mujoco.MjModel, joint: str) -> int:
    """The number of Pliant's actuator on a joint.

    Raises:
        PliantError: the model has none there.
    """
    known = mujoco.mj_name2id(model, int(mujoco.mjtObj.mjOBJ_JOINT), joint)
    here = _on_joints(model) & (model.actuator_trnid[:, 0] == known) & (model.actuator_plugin >= 0)
    if known < 0 or not here.any():
        raise PliantError(
            "the model has no actuator of Pliant here",
            field=f"joint {joint}",
            accepted="the model compiled after `attach`",
        )
    return int(np.argmax(here))


def control_of(model: mujoco.MjModel, joint: str) -> int:
    """Address in `ctrl` of the command of Pliant's actuator on a joint.

    Raises:
        PliantError: the model has none there.
    """
    number = actuator_on(model, joint)
    addresses: Any = getattr(model, "actuator_ctrladr", None)  # MuJoCo 4.0
    return number if addresses is None else int(addresses[number])


def second_command_of(model: mujoco.MjModel, actuator: int) -> int:
    """The number of the actuator whose control is the second command of `actuator`.

    Raises:
        PliantError: it was deleted.
    """
    same = model.actuator_trnid[:, 0] == model.actuator_trnid[actuator, 0]
    here = _on_joints(model) & same & (model.actuator_dynprm[:, FORM] == SECOND_FORM)
    if not here.any():
        raise PliantError(
            "the actuator of its second command was deleted",
            field=f"actuator {model.actuator(actuator).name}",
        )
    return int(np.argmax(here))


def _on_joints(model: mujoco.MjModel) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)
