"""Whether data were made for the model that they are stepped with, for native callbacks.

MuJoCo does not compare the two. `init` leaves a stamp with each data, which tells the laws, the sizes
and where each actuator's state lies; `compute` compares it with the model's. Copies of a model, and
models that differ in numbers alone, have the same stamp.

`plugin_data` holds the stamp, which is odd, or the address of parameters with the stamp before them:
those of an actuator that MuJoCo alone has read, see `mujoco.plugin.written`.
"""

import hashlib

import numpy as np

from pliant.engines.mujoco.native.memory import (
    compiled,
    integer,
    integer_at,
    pointer,
    set_pointer,
    size,
)
from pliant.engines.mujoco.plugin.fields import DATA, MODEL

__all__ = ["first_of", "has_stamp", "of_another", "stamp", "stamp_data"]

_SIZES = (
    "nq nv nu na nbody njnt ngeom nsite ntendon neq nmocap nuserdata nsensordata nactuator nhistory "
    "nplugin npluginstate"
).split()


def _weight(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little", signed=True) | 1


_OFFSETS = np.array([getattr(MODEL, name) for name in _SIZES], np.int64)
_WEIGHTS = np.array([_weight(name) for name in _SIZES], np.int64)
_PLACE = np.int64(_weight("place"))
_JOINT = np.int64(_weight("joint"))
_STATE = np.int64(_weight("state"))


@compiled
def stamp(model: int, instance: int, laws: int) -> int:
    """An odd number that tells the plugin instance's laws and the layout of its data."""
    total = laws
    for k in range(len(_OFFSETS)):
        total += size(model, _OFFSETS[k]) * _WEIGHTS[k]
    for i in range(size(model, MODEL.nactuator)):
        if integer_at(pointer(model, MODEL.actuator_plugin), i) == instance:
            joint = integer_at(pointer(model, MODEL.actuator_trnid), 2 * i)
            first = integer_at(pointer(model, MODEL.actuator_actadr), i)
            total += (joint * _JOINT + first * _STATE) ^ (i * _PLACE)
    return total | 1


@compiled
def stamp_data(data: int, instance: int, value: int) -> None:
    """Leave the stamp with data whose parameters are in the model."""
    set_pointer(pointer(data, DATA.plugin_data), 8 * instance, value)


@compiled
def first_of(model: int, instance: int) -> int:
    """First actuator of a plugin instance, which has one."""
    i = 0
    while integer_at(pointer(model, MODEL.actuator_plugin), i) != instance:
        i += 1
    return i


@compiled
def has_stamp(data: int, instance: int) -> bool:
    """Whether the parameters are in the model: nothing but the stamp is with the data."""
    return pointer(pointer(data, DATA.plugin_data), 8 * instance) & 1 != 0


@compiled
def of_another(model: int, data: int, instance: int, laws: int) -> bool:
    """Whether the data were made for a model with other laws, or laid out in another way."""
    if instance >= integer(data, DATA.nplugin):
        return True
    kept = pointer(pointer(data, DATA.plugin_data), 8 * instance)
    if kept & 1 == 0:
        if kept == 0:
            return True
        kept = pointer(kept, -8)
    return kept != stamp(model, instance, laws)
