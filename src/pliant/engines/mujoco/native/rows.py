"""Places of an actuator's parameters and state, for native callbacks, and whether they fit timestep and data.

Actuators that `attach` or `load_model` completed have theirs in `actuator_user` and `act`. Those that
MuJoCo alone has read have them one after another: state and rates in `plugin_state`, parameters where
`plugin_data` points; see `engines.spec.slots`.

`init` locks the models that it accepts, see `mujoco.moved`.

Sub-steps, grip and mobility are chosen when an actuator is attached. Where a program changes the
timestep later, they follow it.

MuJoCo does not compare data with the model that they are stepped with. `init` leaves a stamp with each data, which tells the laws, the sizes
and where each actuator's state lies; `compute` compares it with the model's. Copies of a model, and
models that differ in numbers alone, have the same stamp.

`plugin_data` holds the stamp, which is odd, or the address of parameters with the stamp before them:
those of an actuator that MuJoCo alone has read, see `mujoco.plugin.written`.
"""

from typing import Any

from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.spec import slots
from pliant.engines.spec.steps import CREEP
from pliant.engines.spec.sticking import slip_needed
from pliant.lower.memory import floats_at, integers_at

topology: Any


def first_state(model: MjModel, instance: int) -> int:
    """Place of a plugin instance's state in `plugin_state`, locked or not."""
    first = model.plugin_stateadr[instance]
    return first if first >= -1 else slots.LOCK - first


def lock(model: MjModel, instance: int) -> None:
    """Let no other process load the model by MuJoCo alone; again changes nothing."""
    model.plugin_stateadr[instance] = slots.LOCK - first_state(model, instance)


def is_written(model: MjModel, actuator: int) -> bool:
    """Whether MuJoCo alone has read it."""
    return model.actuator_dynprm[actuator, slots.FORM] == slots.WRITTEN_FORM


def no_room(model: MjModel, instance: int, before: int) -> bool:
    """Whether the plugin's state is too small for the actuator with `before` others before it."""
    first = first_state(model, instance)
    count = model.plugin_statenum[instance]
    return (
        first < 0
        or first + count > model.npluginstate
        or 2 * (slots.STATE + topology.N_STATE) * (before + 1) > count
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
        width = slots.STATE + topology.N_STATE
        first = first_state(model, instance) + 2 * width * before
        return data.plugin_state[first:], data.plugin_state[first + width :]
    first = model.actuator_actadr[actuator]
    return data.act[first:], data.act_dot[first:]


ROUNDING = 1e-3
"""Part of a delay: XML keeps six digits of it and of the timestep."""


def is_other(row: Numbers, h: float) -> bool:
    """Whether `h` [s] is not what a row of `actuator_dynprm` was chosen for."""
    made = row[slots.MADE_FOR]
    return h != made and made > 0.0


def unprepared(model: MjModel, actuator: int, delay: float) -> bool:
    """Whether the model's timestep needs more sub-steps or old commands than the actuator has."""
    row = model.actuator_dynprm[actuator]
    h = model.opt.timestep
    kept = model.actuator_history[actuator, 0]
    return is_other(row, h) and (
        h > row[slots.LONGEST] > 0.0 or (kept > 0 and delay > (kept - 1) * h * (1.0 + ROUNDING))
    )


def mobility_of(row: Numbers, h: float) -> float:
    """Mobility [1/(kg m^2)] of a joint that may move in the sub-steps, else 0."""
    mobility = row[slots.MOBILITY]
    if mobility < 0.0:
        mobility = -mobility if h > row[slots.MADE_FOR] else 0.0
    return mobility


def slip_of(row: Numbers, h: float) -> float:
    """1 - impedance of the joint's friction row: creep grows with the timestep."""
    return slip_needed(h, row[slots.WITHHELD], CREEP) if is_other(row, h) else 1.0 / row[slots.GRIP]


_SIZE, _PLACE = 0x5851F42D4C957F2D, 0x2545F4914F6CDD1D
_JOINT, _STATE = 0x1B873593CC9E2D51, 0x369DEA0F31A53F85
"""Odd, and otherwise any."""


def stamp(model: MjModel, instance: int, laws: int) -> int:
    """An odd number that tells the plugin instance's laws and the layout of its data."""
    total = laws
    weight = 1
    for size in (
        model.nq,
        model.nv,
        model.nu,
        model.na,
        model.nbody,
        model.njnt,
        model.ngeom,
        model.nsite,
        model.ntendon,
        model.neq,
        model.nmocap,
        model.nuserdata,
        model.nsensordata,
        model.nactuator,
        model.nhistory,
        model.nplugin,
        model.npluginstate,
    ):
        weight *= _SIZE
        total += size * weight
    for i in range(model.nactuator):
        if model.actuator_plugin[i] == instance:
            joint, first = model.actuator_trnid[i, 0], model.actuator_actadr[i]
            total += (joint * _JOINT + first * _STATE) ^ (i * _PLACE)
    return total | 1


def stamp_data(data: MjData, instance: int, value: int) -> None:
    """Leave the stamp with data whose parameters are in the model."""
    data.plugin_data[instance] = value


def first_of(model: MjModel, instance: int) -> int:
    """First actuator of a plugin instance, which has one."""
    i = 0
    while model.actuator_plugin[i] != instance:
        i += 1
    return i


def has_stamp(data: MjData, instance: int) -> bool:
    """Whether the parameters are in the model: nothing but the stamp is with the data."""
    return data.plugin_data[instance] & 1 != 0


def of_another(model: MjModel, data: MjData, instance: int, laws: int) -> bool:
    """Whether the data were made for a model with other laws, or laid out in another way."""
    if instance >= data.nplugin:
        return True
    kept = data.plugin_data[instance]
    if kept & 1 == 0:
        if kept == 0:
            return True
        kept = integers_at(kept)[-1]
    return kept != stamp(model, instance, laws)
