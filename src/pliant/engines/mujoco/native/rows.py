"""Places of an actuator's parameters and state, for native callbacks.

Those that `attach` or `load_model` completed have theirs in `actuator_user` and `act`. Those that
MuJoCo alone has read, one after another: state and rates in `plugin_state`, parameters where
`plugin_data` points; see `engines.spec.slots`.

`init` locks the models that it accepts, see `mujoco.plugin.locked`.
"""

from pliant.engines.mujoco.native.memory import (
    compiled,
    integer_at,
    number_at,
    pointer,
    set_integer_at,
    size,
)
from pliant.engines.mujoco.plugin.fields import DATA, DYNPRM, MODEL
from pliant.engines.spec.slots import FORM, LOCK, STATE, WRITTEN_FORM

__all__ = [
    "first_state",
    "is_written",
    "lock",
    "no_room",
    "parameters_of",
    "rates_of",
    "state_of",
]


@compiled
def first_state(model: int, instance: int) -> int:
    """Place of a plugin instance's state in `plugin_state`, locked or not."""
    first = integer_at(pointer(model, MODEL.plugin_stateadr), instance)
    return first if first >= -1 else LOCK - first


@compiled
def lock(model: int, instance: int) -> None:
    """Let no other process load the model by MuJoCo alone; again changes nothing."""
    first = first_state(model, instance)
    set_integer_at(pointer(model, MODEL.plugin_stateadr), instance, LOCK - first)


@compiled
def is_written(model: int, actuator: int) -> bool:
    """Whether MuJoCo alone has read it."""
    row = pointer(model, MODEL.actuator_dynprm) + 8 * DYNPRM * actuator
    return number_at(row, FORM) == WRITTEN_FORM


@compiled
def no_room(model: int, instance: int, before: int, states: int) -> bool:
    """Whether the plugin's state is too small for the actuator with `before` others before it."""
    first = first_state(model, instance)
    count = integer_at(pointer(model, MODEL.plugin_statenum), instance)
    return (
        first < 0
        or first + count > size(model, MODEL.npluginstate)
        or 2 * (STATE + states) * (before + 1) > count
    )


@compiled
def parameters_of(model: int, data: int, instance: int, actuator: int, written: bool) -> int:
    """The address of its parameters."""
    if written:
        return integer_of(pointer(data, DATA.plugin_data), instance)
    return pointer(model, MODEL.actuator_user) + 8 * actuator * size(model, MODEL.nuser_actuator)


@compiled
def integer_of(array: int, index: int) -> int:
    """Element `index` of the array of addresses at `array`."""
    return pointer(array, 8 * index)


@compiled
def state_of(
    model: int, data: int, instance: int, actuator: int, written: bool, before: int, states: int
) -> int:
    """The address of its state."""
    if written:
        first = first_state(model, instance)
        return pointer(data, DATA.plugin_state) + 8 * (first + 2 * (STATE + states) * before)
    return pointer(data, DATA.act) + 8 * integer_at(pointer(model, MODEL.actuator_actadr), actuator)


@compiled
def rates_of(
    model: int, data: int, instance: int, actuator: int, written: bool, before: int, states: int
) -> int:
    """The address of its state's rates."""
    if written:
        here = state_of(model, data, instance, actuator, written, before, states)
        return here + 8 * (STATE + states)
    first = integer_at(pointer(model, MODEL.actuator_actadr), actuator)
    return pointer(data, DATA.act_dot) + 8 * first
