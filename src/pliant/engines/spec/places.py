"""Addresses of an attached actuator in a compiled model: of a joint, of a tendon, or between sites."""

from typing import Any

import mujoco
import numpy as np

from pliant.engines.spec.slots import FORM, SECOND_FORM
from pliant.errors import PliantError

_TENDON, _SITE = int(mujoco.mjtTrn.mjTRN_TENDON), int(mujoco.mjtTrn.mjTRN_SITE)
_TARGETS: tuple[tuple[int, int], ...] = (
    (int(mujoco.mjtObj.mjOBJ_JOINT), int(mujoco.mjtTrn.mjTRN_JOINT)),
    (int(mujoco.mjtObj.mjOBJ_TENDON), _TENDON),
)
"""Kinds of what an actuator acts on, and their transmissions."""


def actuator_on(model: mujoco.MjModel, joint: str) -> int:
    """The number of Pliant's actuator on a joint, or a tendon, of this name; or between sites, of its own.

    Raises:
        PliantError: the model has none there.
    """
    for kind, transmission in _TARGETS:
        known = mujoco.mj_name2id(model, kind, joint)
        here = model.actuator_trntype == transmission
        here &= (model.actuator_trnid[:, 0] == known) & (model.actuator_plugin >= 0)
        if known >= 0 and here.any():
            return int(np.argmax(here))
    known = mujoco.mj_name2id(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), joint)
    if known >= 0 and _kind(model, known) == _SITE and model.actuator_plugin[known] >= 0:
        return known
    raise PliantError(
        "the model has no actuator of Pliant here",
        field=f"joint {joint}",
        accepted="the model compiled after `attach`",
    )


def off_joint(model: mujoco.MjModel, actuator: int) -> bool:
    """Whether an actuator acts on a tendon itself, or between sites, and not on a joint."""
    return _kind(model, actuator) in (_TENDON, _SITE)


def target_of(model: mujoco.MjModel, actuator: int) -> str:
    """The name of the joint or tendon that an actuator acts on; its own between sites."""
    target, kind = int(model.actuator_trnid[actuator, 0]), _kind(model, actuator)
    if kind == _SITE:
        return str(model.actuator(actuator).name)
    return str((model.tendon(target) if kind == _TENDON else model.joint(target)).name)


def ratio_in(model: mujoco.MjModel, actuator: int) -> float:
    """Transmission ratio of an actuator; of sites along its direction, which is never negative."""
    gear = model.actuator_gear[model.actuator_outadr[actuator]]
    return float(np.linalg.norm(gear) if _kind(model, actuator) == _SITE else gear[0])


def _kind(model: mujoco.MjModel, actuator: int) -> int:
    return int(model.actuator_trntype[actuator])


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
    same &= model.actuator_trntype == model.actuator_trntype[actuator]
    here = same & (model.actuator_dynprm[:, FORM] == SECOND_FORM)
    if not here.any():
        raise PliantError(
            "the actuator of its second command was deleted",
            field=f"actuator {model.actuator(actuator).name}",
        )
    return int(np.argmax(here))
