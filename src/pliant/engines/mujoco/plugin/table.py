"""Compiled callbacks as a MuJoCo actuator plugin, without a compiler or a shared library.

MuJoCo's plugin is a struct of C function pointers (`include/mujoco/mjplugin.h`, the same
from 3.11 to 4.0). `register` fills one in through ctypes with the addresses of Numba
`cfunc`s and hands it to the library inside the wheel. From then on models that name the
plugin compile, and every thread that steps them calls the native code without Python.

Left out: sensors, passive forces, visualisation.
"""

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
from numba import types

from pliant.engines.mujoco.plugin.library import Plugin, library
from pliant.errors import PliantError
from pliant.lower.cache import cfunc

__all__ = ["ADVANCE", "COMPUTE", "INIT", "register"]

# Signatures for `numba.cfunc`: model and data are addresses.
COMPUTE = types.void(types.intp, types.intp, types.int32, types.int32)
"""compute(model, data, instance, capability)"""
ADVANCE = types.void(types.intp, types.intp, types.int32)
"""advance(model, data, instance)"""
INIT = types.int32(types.intp, types.intp, types.int32)
"""init(model, data, instance), which returns 0 or ends in MuJoCo's error"""
NSTATE = types.int32(types.intp, types.int32)
"""nstate(model, instance), while MuJoCo compiles the model"""
RESET = types.void(types.intp, types.intp, types.intp, types.int32)
"""reset(model, state, data, instance)"""


@cache
def _defaults() -> dict[str, Any]:
    """Callbacks of a plugin that has no state and accepts any model."""

    @cfunc(INIT)
    def ready(model: int, data: int, instance: int) -> int:
        return 0

    @cfunc(NSTATE)
    def no_state(model: int, instance: int) -> int:
        return 0

    @cfunc(RESET)
    def nothing_to_reset(model: int, state: int, data: int, instance: int) -> None:
        pass

    return {"init": ready, "nstate": no_state, "reset": nothing_to_reset}


@dataclass(frozen=True)
class _Registered:
    """A registered plugin, kept for the life of the process."""

    slot: int
    functions: dict[str, int]
    attributes: tuple[str, ...]
    kept_alive: tuple[Any, ...]


_registered: dict[str, _Registered] = {}
_lock = threading.Lock()


def register(
    name: str,
    *,
    compute: int,
    advance: int,
    init: int | None = None,
    nstate: int | None = None,
    reset: int | None = None,
    attributes: Sequence[str] = (),
    keep_alive: Sequence[Any] = (),
) -> int:
    """Make `name` an actuator plugin of this process.

    Args:
        name: what models write in `<plugin plugin="…">`.
        compute: address of a `COMPUTE` function; writes `actuator_force` and `act_dot`.
        advance: address of an `ADVANCE` function; runs after the state was integrated.
        init: address of an `INIT` function, called once for each mjData; None accepts any model.
        nstate, reset: of `NSTATE` and `RESET` functions; None: the plugin has no state of its own.
        attributes: the keys allowed in `<config>`.
        keep_alive: objects that own the functions (a `cfunc`, its module).

    Returns:
        The plugin's slot. The same call again returns the same slot.

    Raises:
        PliantError: the name already stands for other functions or attributes.
    """
    functions = {
        "init": _default("init") if init is None else init,
        "nstate": _default("nstate") if nstate is None else nstate,
        "reset": _default("reset") if reset is None else reset,
        "compute": compute,
        "advance": advance,
    }
    with _lock:
        known = _registered.get(name)
        if known is None:
            _registered[name] = known = _Registered(
                *_hand_over(name, functions, tuple(attributes), tuple(keep_alive))
            )
    if known.functions != functions or known.attributes != tuple(attributes):
        raise _taken(name)
    return known.slot


def _default(name: str) -> int:
    return _defaults()[name].address


def _hand_over(
    name: str,
    functions: dict[str, int],
    attributes: tuple[str, ...],
    kept_alive: tuple[Any, ...],
) -> tuple[int, dict[str, int], tuple[str, ...], tuple[Any, ...]]:
    library_ = library()
    if library_.mjp_getPlugin(name.encode(), None):
        raise _taken(name)  # mjp_registerPlugin would end the process
    keys = (ctypes.c_char_p * max(1, len(attributes)))(*(key.encode() for key in attributes))
    plugin = Plugin()
    library_.mjp_defaultPlugin(ctypes.byref(plugin))
    plugin.name = name.encode()
    plugin.nattribute, plugin.attributes = len(attributes), keys
    plugin.capabilityflags = int(mujoco.mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR)
    plugin.needstage = int(mujoco.mjtStage.mjSTAGE_ACC)
    for field, address in functions.items():
        setattr(plugin, field, address)
    slot = library_.mjp_registerPlugin(ctypes.byref(plugin))
    return slot, functions, attributes, (plugin, keys, *kept_alive)


def _taken(name: str) -> PliantError:
    return PliantError(
        "another plugin of this process already has this name, with other functions",
        field="plugin",
        found=name,
        accepted="a name of its own for each set of functions",
    )
