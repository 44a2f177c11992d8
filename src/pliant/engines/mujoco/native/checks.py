"""Checks of a model's actuators before a native callback runs them: nothing is trusted.

A model can come from anywhere: edited after `attach`, saved by another process, or never completed.
`init` checks every actuator once and refuses with a message. In each step the same checks make an
actuator that was corrupted since then fail like a non-finite number.
"""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.engines.mujoco.native.commands import NO_SECOND, lost_history, second_command
from pliant.engines.mujoco.native.rows import is_written, no_room, parameters_of
from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.mujoco.plugin.table import MJU_ERROR
from pliant.engines.spec import slots
from pliant.lower.drive import FINEST
from pliant.lower.memory import bytes_at

topology: Any

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
REASONS = {
    OTHER_LAWS: "was saved with other laws than this plugin's here; load the model with "
    "pliant.load_model, or pliant.load_binary",
    INCOMPLETE: "has not been completed; load the model with pliant.load_model, or add the "
    "actuator with pliant.attach",
    NO_JOINT: "acts on no joint, and on no tendon or sites that it could drive (pliant.attach put it there)",
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
"""Check that failed, to the message behind the actuator's name."""
_ROOM = 240


def _texts() -> NDArray[np.uint8]:
    """(R, _ROOM) C strings with a place for the actuator's name."""
    rows = [f"Pliant: actuator '%s' {REASONS[k]}".encode() for k in range(len(REASONS))]
    return np.array([list(row.ljust(_ROOM, b"\0")) for row in rows], dtype=np.uint8)


_TEXTS = _texts()
_TEXT = np.frombuffer(b"%s\0", np.uint8).copy()
_MARK = np.frombuffer(slots.FINGERPRINT_MARK.encode(), np.uint8).copy()
_TRN_JOINT, _TRN_TENDON = int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_TENDON)
_TRN_SITE = int(mujoco.mjtTrn.mjTRN_SITE)
_SLIDE, _HINGE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)
_DYN_USER = int(mujoco.mjtDyn.mjDYN_USER)
LARGEST = 1e300
"""Largest size of a parameter."""
_LEAST_GRIP, _MOST_GRIP = 1.0, 1e9


def refuse(model: MjModel, actuator: int, reason: int) -> None:
    """MuJoCo's error, naming the actuator; under Python it does not return."""
    MJU_ERROR(_TEXTS[reason], model.names[model.name_actuatoradr[actuator] :])


def complain(text: int) -> None:
    """MuJoCo's error with the C string at the address `text`; under Python it does not return."""
    MJU_ERROR(_TEXT, bytes_at(text))


def is_signed(model: MjModel, instance: int) -> bool:
    """Whether `attach` or `load_model` wrote the plugin instance: its first attribute says so."""
    text = model.plugin_attr[model.plugin_attradr[instance] :]
    for k in range(len(_MARK)):
        if text[k] != _MARK[k]:
            return False
    return True


def same_laws(model: MjModel, instance: int, laws: int) -> bool:
    """Whether the plugin instance was written for these laws."""
    if not is_signed(model, instance):
        return False
    text = model.plugin_attr[model.plugin_attradr[instance] + len(_MARK) :]
    found = 0
    for k in range(slots.FINGERPRINT_DIGITS):
        digit = text[k]
        if digit == 0:
            return False
        found = 16 * found + (digit - 48 if digit < 58 else digit - 87)
    return found == laws


def fault(model: MjModel, data: MjData, instance: int, actuator: int, before: int) -> int:
    """Reason why `actuator` cannot be run, or `SOUND`. `before`: as in `rows.no_room`.

    One with a friction budget needs a joint of its own; one with a spring may be on a tendon,
    or between sites.

    Left out: the second command, `lost_second`, which few have.
    """
    row = model.actuator_dynprm[actuator]
    written = is_written(model, actuator)
    good = row[slots.FORM] == slots.ACTUATOR_FORM or (written and not is_signed(model, instance))
    if not good:
        return INCOMPLETE
    if off_target(model, actuator, topology.HAS_BUDGET or written):
        return NO_JOINT
    if not off_joint(model, actuator):
        kind = model.jnt_type[model.actuator_trnid[actuator, 0]]
        if kind not in (_SLIDE, _HINGE):
            return WRONG_JOINT
    if not written and model.nuser_actuator < topology.N_PARAMETERS:
        return NARROW_ROW
    if misplaced(model, actuator, instance, before):
        return NARROW_STATE
    if written and data.plugin_data[instance] == 0:
        return INCOMPLETE
    user = parameters_of(model, data, instance, actuator, written)
    if beyond(user, topology.N_PARAMETERS, LARGEST):
        return NOT_FINITE
    if not 0.0 < _gear(model, actuator) < LARGEST:
        return NO_GEAR
    if unsound(row):
        return BAD_CHOICE
    if lost_history(model, actuator):
        return BAD_HISTORY
    return SOUND


def lost_second(model: MjModel, actuator: int) -> bool:
    """Whether an actuator that takes two commands has no second one."""
    behind = model.actuator_dynprm[actuator, slots.SECOND]
    return second_command(model, actuator, behind) == NO_SECOND


def misplaced(model: MjModel, actuator: int, instance: int, before: int) -> bool:
    """Whether what the callbacks read and write would not be the actuator's own."""
    if is_written(model, actuator):
        return off_target(model, actuator, True) or no_room(model, instance, before)
    return off_target(model, actuator, topology.HAS_BUDGET) or _narrow(model, actuator)


def off_target(model: MjModel, actuator: int, joints_only: bool) -> bool:
    """Whether it acts on no joint of the model, nor, where that will do, on a tendon or between sites."""
    target = model.actuator_trnid[actuator, 0]
    kind = model.actuator_trntype[actuator]
    if kind == _TRN_JOINT:
        return target < 0 or target >= model.njnt
    if joints_only or kind == _TRN_TENDON:
        return joints_only or target < 0 or target >= model.ntendon
    frame = model.actuator_trnid[actuator, 1]
    return kind != _TRN_SITE or min(target, frame) < 0 or max(target, frame) >= model.nsite


def off_joint(model: MjModel, actuator: int) -> bool:
    """Whether a sound actuator acts on a tendon, or between sites."""
    return model.actuator_trntype[actuator] != _TRN_JOINT


def _gear(model: MjModel, actuator: int) -> float:
    """Size of its gear: on a site all six numbers count."""
    gear = model.actuator_gear[model.actuator_outadr[actuator]]
    total = 0.0
    for k in range(6 if model.actuator_trntype[actuator] == _TRN_SITE else 1):
        total += abs(gear[k])
    return total


def _narrow(model: MjModel, actuator: int) -> bool:
    first = model.actuator_actadr[actuator]
    width = slots.STATE + topology.N_STATE
    return (
        model.actuator_dyntype[actuator] != _DYN_USER
        or model.nuser_actuator < topology.N_PARAMETERS
        or first < 0
        or model.actuator_actnum[actuator] < width
        or first + width > model.na
    )


def unsound(row: Numbers) -> bool:
    """Whether sub-steps, grip or mobility of a row of `actuator_dynprm` are out of range."""
    return not (
        1.0 <= row[slots.SUBSTEPS] <= FINEST
        and _LEAST_GRIP <= row[slots.GRIP] <= _MOST_GRIP
        and abs(row[slots.MOBILITY]) < LARGEST
    )


def beyond(values: Numbers, count: int, largest: float) -> bool:
    """Whether any of the first `count` values is NaN or larger than `largest`."""
    bad = False
    for k in range(count):  # without a branch: vectorised, it costs some nanoseconds
        bad |= not abs(values[k]) <= largest
    return bad
