"""The actuator whose control is the second command of another one, for native callbacks.

It is known by its form and its joint, so that it is found wherever it stands: actuators may have
been added or deleted after `attach`, and models joined.
"""

from pliant.engines.mujoco.native.structs import MjModel
from pliant.engines.spec.slots import FORM, SECOND_FORM

NO_SECOND = -1


def second_command(model: MjModel, actuator: int, behind: float) -> int:
    """The actuator of the second command of `actuator`, or `NO_SECOND`.

    The search begins `behind` places after it, where `attach` put it, and ends there as a rule.
    """
    guess = actuator + behind
    if 0.0 <= guess < model.nactuator and _is_second(model, actuator, int(guess)):
        return int(guess)
    return _sought(model, actuator)


def _sought(model: MjModel, actuator: int) -> int:
    for other in range(model.nactuator):
        if _is_second(model, actuator, other):
            return other
    return NO_SECOND


def _is_second(model: MjModel, actuator: int, other: int) -> bool:
    return (
        model.actuator_dynprm[other, FORM] == SECOND_FORM
        and model.actuator_trnid[other, 0] == model.actuator_trnid[actuator, 0]
        and model.actuator_trntype[other] == model.actuator_trntype[actuator]
        and model.actuator_plugin[other] < 0
    )
