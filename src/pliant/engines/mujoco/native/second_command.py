"""The actuator whose control is the second command of another one, for native callbacks.

It is known by its form and its joint, so that it is found wherever it stands: actuators may have
been added or deleted after `attach`, and models joined.
"""

from pliant.engines.mujoco.native.memory import (
    compiled,
    inlined,
    integer_at,
    number_at,
    pointer,
    size,
)
from pliant.engines.mujoco.plugin.fields import DYNPRM, MODEL
from pliant.engines.spec.slots import FORM, SECOND_FORM

__all__ = ["NO_SECOND", "second_command"]

NO_SECOND = -1


@inlined
def second_command(model: int, actuator: int, behind: float) -> int:
    """The actuator of the second command of `actuator`, or `NO_SECOND`.

    The search begins `behind` places after it, where `attach` put it, and ends there as a rule.
    """
    guess = actuator + behind
    if 0.0 <= guess < size(model, MODEL.nactuator) and _is_second(model, actuator, int(guess)):
        return int(guess)
    return _sought(model, actuator)


@compiled
def _sought(model: int, actuator: int) -> int:
    for other in range(size(model, MODEL.nactuator)):
        if _is_second(model, actuator, other):
            return other
    return NO_SECOND


@inlined
def _is_second(model: int, actuator: int, other: int) -> bool:
    joints, kinds = pointer(model, MODEL.actuator_trnid), pointer(model, MODEL.actuator_trntype)
    form = number_at(pointer(model, MODEL.actuator_dynprm), DYNPRM * other + FORM)
    return (
        form == SECOND_FORM
        and integer_at(joints, 2 * other) == integer_at(joints, 2 * actuator)
        and integer_at(kinds, other) == integer_at(kinds, actuator)
        and integer_at(pointer(model, MODEL.actuator_plugin), other) < 0
    )
