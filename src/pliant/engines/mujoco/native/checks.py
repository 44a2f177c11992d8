"""Checks of a model's actuators before a native callback runs them: nothing is trusted.

A model comes from anywhere: it was edited after `attach`, saved by another process, or never
completed. `init` looks at every actuator once and refuses with a message; in each step the same
looks make an actuator that was disturbed since then fail like a number that is not finite.
"""

from typing import Any

import mujoco
import numpy as np
from numba import types
from numpy.typing import NDArray

from pliant.engines.mujoco.native.command_delay import lost_history
from pliant.engines.mujoco.native.memory import (
    byte_at,
    compiled,
    inlined,
    integer_at,
    number_at,
    numbers,
    pointer,
    size,
)
from pliant.engines.mujoco.native.rows import is_written, no_room, parameters_of
from pliant.engines.mujoco.native.second_command import NO_SECOND, second_command
from pliant.engines.mujoco.plugin.fields import DYNPRM, MODEL
from pliant.engines.mujoco.plugin.symbols import MJU_ERROR
from pliant.engines.spec.slots import (
    ACTUATOR_FORM,
    FINGERPRINT_DIGITS,
    FINGERPRINT_MARK,
    FORM,
    GRIP,
    MOBILITY,
    SECOND,
    STATE,
    SUBSTEPS,
)
from pliant.lower.drive import FINEST

__all__ = [
    "LARGEST",
    "NO_SECOND_COMMAND",
    "OTHER_DATA",
    "OTHER_LAWS",
    "SOUND",
    "beyond",
    "complain",
    "fault",
    "is_signed",
    "lost_second",
    "misplaced",
    "off_joint",
    "refuse",
    "same_laws",
    "unsound",
]

SOUND = -1
OTHER_LAWS = 0
INCOMPLETE = 1
NO_JOINT = 2
WRONG_JOINT = 3
NARROW_ROW = 4
NARROW_STATE = 5
NOT_FINITE = 6
NO_GEAR = 7
BAD_CHOICE = 8
NO_SECOND_COMMAND = 9
BAD_HISTORY = 10
OTHER_DATA = 11
OTHER_TIMESTEP = 12
_REASONS = {
    OTHER_LAWS: "was saved with other laws than this plugin's here; load the model with "
    "pliant.load_model, or pliant.load_binary",
    INCOMPLETE: "has not been completed; load the model with pliant.load_model, or add the "
    "actuator with pliant.attach",
    NO_JOINT: "acts on no joint, nor on a tendon or between sites that it could drive (pliant.attach put it there)",
    WRONG_JOINT: "acts on a joint that is neither hinge nor slide",
    NARROW_ROW: "has fewer numbers in actuator_user than parameters",
    NARROW_STATE: "has fewer activations than its state takes, or a dyntype that is not user",
    NOT_FINITE: "has a parameter in actuator_user that is not finite",
    NO_GEAR: "has a gear of 0, or one that is not finite",
    BAD_CHOICE: "has sub-steps, grip or mobility in actuator_dynprm that pliant.attach never sets",
    NO_SECOND_COMMAND: "has lost its second command, the actuator .preset on the same joint",
    BAD_HISTORY: "has a history of commands that is not in the model",
    OTHER_DATA: "is stepped with the data of another model; accepted: mujoco.MjData(model) of its own",
    OTHER_TIMESTEP: "was attached for another timestep; at this one its spring would need more "
    "sub-steps, or its delay more old commands, than it has: set spec.option.timestep, then attach",
}
_ROOM = 240


def _texts() -> NDArray[np.uint8]:
    """(R, _ROOM) C strings with a place for the actuator's name."""
    rows = [f"Pliant: actuator '%s' {_REASONS[k]}".encode() for k in range(len(_REASONS))]
    return np.array([list(row.ljust(_ROOM, b"\0")) for row in rows], dtype=np.uint8)


_TEXTS = _texts()
_TEXT = np.frombuffer(b"%s\0", np.uint8).copy()
_MARK = np.frombuffer(FINGERPRINT_MARK.encode(), np.uint8).copy()
_raise: Any = types.ExternalFunction(MJU_ERROR, types.void(types.intp, types.intp))
_TRN_JOINT, _TRN_TENDON = int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_TENDON)
_TRN_SITE = int(mujoco.mjtTrn.mjTRN_SITE)
_SLIDE, _HINGE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)
_DYN_USER = int(mujoco.mjtDyn.mjDYN_USER)
LARGEST = 1e300
"""Largest size of a parameter."""
_LEAST_GRIP, _MOST_GRIP = 1.0, 1e9


@compiled
def refuse(model: int, actuator: int, reason: int) -> None:
    """MuJoCo's error, naming the actuator; under Python it does not return."""
    name = pointer(model, MODEL.names)
    name += integer_at(pointer(model, MODEL.name_actuatoradr), actuator)
    _raise(_TEXTS.ctypes.data + _ROOM * reason, name)


@compiled
def complain(text: int) -> None:
    """MuJoCo's error with the C string at `text`; under Python it does not return."""
    _raise(_TEXT.ctypes.data, text)


@compiled
def is_signed(model: int, instance: int) -> bool:
    """Whether `attach` or `load_model` wrote the plugin instance: its first attribute says so."""
    text = pointer(model, MODEL.plugin_attr)
    text += integer_at(pointer(model, MODEL.plugin_attradr), instance)
    for k in range(len(_MARK)):
        if byte_at(text, k) != _MARK[k]:
            return False
    return True


@compiled
def same_laws(model: int, instance: int, laws: int) -> bool:
    """Whether the plugin instance was written for these laws."""
    if not is_signed(model, instance):
        return False
    text = pointer(model, MODEL.plugin_attr) + len(_MARK)
    text += integer_at(pointer(model, MODEL.plugin_attradr), instance)
    found = 0
    for k in range(FINGERPRINT_DIGITS):
        digit = int(byte_at(text, k))
        if digit == 0:
            return False
        found = 16 * found + (digit - 48 if digit < 58 else digit - 87)
    return found == laws


# Eight, of one instance and all that its laws count: callbacks have no object to carry them.
@compiled
def fault(
    model: int,
    data: int,
    instance: int,
    actuator: int,
    before: int,
    parameters: int,
    states: int,
    budget: bool,
) -> int:
    """Reason why `actuator` cannot be run, or `SOUND`. `before`: as in `rows.no_room`.

    One with a friction `budget` needs a joint of its own; one with a spring may be on a tendon,
    or between sites.

    Left out: the second command, `lost_second`, which few have.
    """
    row = pointer(model, MODEL.actuator_dynprm) + 8 * DYNPRM * actuator
    written = is_written(model, actuator)
    good = number_at(row, FORM) == ACTUATOR_FORM or (written and not is_signed(model, instance))
    if not good:
        return INCOMPLETE
    if off_target(model, actuator, budget or written):
        return NO_JOINT
    if not off_joint(model, actuator):
        joint = integer_at(pointer(model, MODEL.actuator_trnid), 2 * actuator)
        if integer_at(pointer(model, MODEL.jnt_type), joint) not in (_SLIDE, _HINGE):
            return WRONG_JOINT
    if not written and size(model, MODEL.nuser_actuator) < parameters:
        return NARROW_ROW
    if misplaced(model, actuator, instance, before, parameters, states, budget):
        return NARROW_STATE
    user = parameters_of(model, data, instance, actuator, written)
    if user == 0:
        return INCOMPLETE
    if beyond(numbers(user, parameters), parameters, LARGEST):
        return NOT_FINITE
    if not 0.0 < _gear(model, actuator) < LARGEST:
        return NO_GEAR
    if unsound(row):
        return BAD_CHOICE
    if lost_history(model, actuator):
        return BAD_HISTORY
    return SOUND


@compiled
def lost_second(model: int, actuator: int) -> bool:
    """Whether an actuator that takes two commands has no second one."""
    row = pointer(model, MODEL.actuator_dynprm) + 8 * DYNPRM * actuator
    return second_command(model, actuator, number_at(row, SECOND)) == NO_SECOND


@compiled
def misplaced(
    model: int,
    actuator: int,
    instance: int,
    before: int,
    parameters: int,
    states: int,
    budget: bool,
) -> bool:
    """Whether what the callbacks read and write would not be the actuator's own."""
    if is_written(model, actuator):
        return off_target(model, actuator, True) or no_room(model, instance, before, states)
    return off_target(model, actuator, budget) or _narrow(model, actuator, parameters, states)


@compiled
def off_target(model: int, actuator: int, joints_only: bool) -> bool:
    """Whether it acts on no joint of the model, nor, where that will do, on a tendon or between sites."""
    target = integer_at(pointer(model, MODEL.actuator_trnid), 2 * actuator)
    kind = integer_at(pointer(model, MODEL.actuator_trntype), actuator)
    if kind == _TRN_JOINT:
        return target < 0 or target >= size(model, MODEL.njnt)
    if joints_only or kind == _TRN_TENDON:
        return joints_only or target < 0 or target >= size(model, MODEL.ntendon)
    frame = integer_at(pointer(model, MODEL.actuator_trnid), 2 * actuator + 1)
    known = size(model, MODEL.nsite)
    return kind != _TRN_SITE or min(target, frame) < 0 or max(target, frame) >= known


@inlined
def off_joint(model: int, actuator: int) -> bool:
    """Whether a sound actuator acts on a tendon, or between sites."""
    return integer_at(pointer(model, MODEL.actuator_trntype), actuator) != _TRN_JOINT


@compiled
def _gear(model: int, actuator: int) -> float:
    """Size of its gear: on a site all six numbers count."""
    output = integer_at(pointer(model, MODEL.actuator_outadr), actuator)
    gear, count = pointer(model, MODEL.actuator_gear) + 48 * output, 1
    if integer_at(pointer(model, MODEL.actuator_trntype), actuator) == _TRN_SITE:
        count = 6
    total = 0.0
    for k in range(count):
        total += abs(number_at(gear, k))
    return total


@compiled
def _narrow(model: int, actuator: int, parameters: int, states: int) -> bool:
    first = integer_at(pointer(model, MODEL.actuator_actadr), actuator)
    width = STATE + states
    return (
        integer_at(pointer(model, MODEL.actuator_dyntype), actuator) != _DYN_USER
        or size(model, MODEL.nuser_actuator) < parameters
        or first < 0
        or integer_at(pointer(model, MODEL.actuator_actnum), actuator) < width
        or first + width > size(model, MODEL.na)
    )


@inlined
def unsound(row: int) -> bool:
    """Whether sub-steps, grip or mobility of a row of `actuator_dynprm` are out of range."""
    return not (
        1.0 <= number_at(row, SUBSTEPS) <= FINEST
        and _LEAST_GRIP <= number_at(row, GRIP) <= _MOST_GRIP
        and abs(number_at(row, MOBILITY)) < LARGEST
    )


@inlined
def beyond(values: Any, count: int, largest: float) -> bool:
    """Whether any of the first `count` values is NaN or larger than `largest`."""
    bad = False
    for k in range(count):  # without a branch: vectorised, it costs some nanoseconds
        bad |= not abs(values[k]) <= largest
    return bad
