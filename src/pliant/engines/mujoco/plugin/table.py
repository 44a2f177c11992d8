"""Compiled callbacks as a MuJoCo actuator plugin, without a compiler or a shared library.

MuJoCo's plugin is a struct of C function pointers (`include/mujoco/mjplugin.h`, the same
from 3.11 to 4.0). `register` fills one in through ctypes with the addresses of machine code
and hands it to the library inside the wheel. From then on models that name the
plugin compile, and every thread that steps them calls the native code without Python.

Left out: sensors, passive forces, visualisation.
"""

import ctypes
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco

from pliant.engines.mujoco.plugin.library import Plugin, library
from pliant.errors import PliantError

__all__ = ["CALLBACKS", "register"]

CALLBACKS = ("nstate", "reset", "init", "compute", "advance")
"""Callbacks of an actuator's plugin; for their arguments see `native/kernel.py`."""


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
    functions: Mapping[str, int],
    *,
    attributes: Sequence[str] = (),
    keep_alive: Sequence[Any] = (),
) -> int:
    """Make `name` an actuator plugin of this process.

    Args:
        name: what models write in `<plugin plugin="…">`.
        functions: the address of each of `CALLBACKS`.
        attributes: the keys allowed in `<config>`.
        keep_alive: objects that own the functions.

    Returns:
        The plugin's slot. The same call again returns the same slot.

    Raises:
        PliantError: the name already stands for other functions or attributes.
    """
    with _lock:
        known = _registered.get(name)
        if known is None:
            _registered[name] = known = _Registered(
                *_hand_over(name, dict(functions), tuple(attributes), tuple(keep_alive))
            )
    if known.functions != functions or known.attributes != tuple(attributes):
        raise _taken(name)
    return known.slot


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
