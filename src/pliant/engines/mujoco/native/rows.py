"""Places of an actuator's parameters and state, for native callbacks.

Those that `attach` or `load_model` completed have theirs in `actuator_user` and `act`. Those that
MuJoCo alone has read, one after another: state and rates in `plugin_state`, parameters where
`plugin_data` points; see `engines.spec.slots`.

`init` locks the models that it accepts, see `mujoco.moved`.
"""

from typing import Any

from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.spec.slots import FORM, LOCK, STATE, WRITTEN_FORM
from pliant.lower.memory import floats_at

topology: Any


def first_state(model: MjModel, instance: int) -> int:
    """Place of a plugin instance's state in `plugin_state`, locked or not."""
    first = model.plugin_stateadr[instance]
    return first if first >= -1 else LOCK - first


def lock(model: MjModel, instance: int) -> None:
    """Let no other process load the model by MuJoCo alone; again changes nothing."""
    model.plugin_stateadr[instance] = LOCK - first_state(model, instance)


def is_written(model: MjModel, actuator: int) -> bool:
    """Whether MuJoCo alone has read it."""
    return model.actuator_dynprm[actuator, FORM] == WRITTEN_FORM


def no_room(model: MjModel, instance: int, before: int) -> bool:
    """Whether the plugin's state is too small for the actuator with `before` others before it."""
    first = first_state(model, instance)
    count = model.plugin_statenum[instance]
    return (
        first < 0
        or first + count > model.npluginstate
        or 2 * (STATE + topology.N_STATE) * (before + 1) > count
    )


def parameters_of(
    model: MjModel, data: MjData, instance: int, actuator: int, written: bool
) -> Numbers:
    """Its parameters."""
    if written:
        return floats_at(data.plugin_data[instance])
    return model.actuator_user[actuator * model.nuser_actuator :]


def state_of(
    model: MjModel,
    data: MjData,
    instance: int,
    actuator: int,
    written: bool,
    before: int,
) -> tuple[Numbers, Numbers]:
    """Its state, and the state's rates."""
    if written:
        width = STATE + topology.N_STATE
        first = first_state(model, instance) + 2 * width * before
        return data.plugin_state[first:], data.plugin_state[first + width :]
    first = model.actuator_actadr[actuator]
    return data.act[first:], data.act_dot[first:]
