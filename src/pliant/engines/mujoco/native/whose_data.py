"""Whether data were made for the model that they are stepped with, for native callbacks.

MuJoCo does not compare the two. `init` leaves a stamp with each data, which tells the laws, the sizes
and where each actuator's state lies; `compute` compares it with the model's. Copies of a model, and
models that differ in numbers alone, have the same stamp.

`plugin_data` holds the stamp, which is odd, or the address of parameters with the stamp before them:
those of an actuator that MuJoCo alone has read, see `mujoco.plugin.written`.
"""

from pliant.engines.mujoco.native.structs import MjData, MjModel
from pliant.lower.memory import integers_at

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
