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
from functools import cache
from pathlib import Path
from typing import Any

import mujoco

from pliant.engines.mujoco.plugin.layout import ACCEPTED
from pliant.errors import PliantError
from pliant.lower.memory import Symbol
from pliant.lower.types import NOTHING

__all__ = ["CALLBACKS", "Plugin", "address_of", "library", "register"]


class Plugin(ctypes.Structure):
    """mjpPlugin of mjplugin.h. Function pointers are kept as plain addresses."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("nattribute", ctypes.c_int),
        ("attributes", ctypes.POINTER(ctypes.c_char_p)),
        ("capabilityflags", ctypes.c_int),
        ("needstage", ctypes.c_int),
        ("nstate", ctypes.c_void_p),
        ("nsensordata", ctypes.c_void_p),
        ("init", ctypes.c_void_p),
        ("destroy", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("reset", ctypes.c_void_p),
        ("compute", ctypes.c_void_p),
        ("advance", ctypes.c_void_p),
        ("visualize", ctypes.c_void_p),
        ("actuator_act_dot", ctypes.c_void_p),
        ("sdf_distance", ctypes.c_void_p),
        ("sdf_gradient", ctypes.c_void_p),
        ("sdf_staticdistance", ctypes.c_void_p),
        ("sdf_attribute", ctypes.c_void_p),
        ("sdf_aabb", ctypes.c_void_p),
    ]


@cache
def library() -> ctypes.CDLL:
    """The MuJoCo library that `import mujoco` has loaded, with the plugin functions typed.

    Raises:
        PliantError: it is not in the wheel, or its mjpPlugin is not the one known here.
    """
    pattern = f"*mujoco*{mujoco.mj_versionString()}*"
    folder = Path(mujoco.__file__).parent
    found = sorted(folder.glob(pattern)) or sorted(folder.glob("mujoco.dll"))
    if not found:
        raise PliantError(
            "the library of MuJoCo is not in its package", file=folder, accepted=pattern
        )
    loaded = ctypes.CDLL(str(found[0]))
    loaded.mjp_defaultPlugin.argtypes = [ctypes.c_void_p]
    loaded.mjp_defaultPlugin.restype = None
    loaded.mjp_registerPlugin.argtypes = [ctypes.c_void_p]
    loaded.mjp_registerPlugin.restype = ctypes.c_int
    loaded.mjp_getPlugin.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    loaded.mjp_getPlugin.restype = ctypes.c_void_p
    loaded.mjp_getPluginAtSlot.argtypes = [ctypes.c_int]
    loaded.mjp_getPluginAtSlot.restype = ctypes.c_void_p
    _check_size(loaded)
    return loaded


def _check_size(loaded: ctypes.CDLL) -> None:
    """mjp_defaultPlugin clears one mjpPlugin: as many bytes as ours, or it is another."""
    expected = ctypes.sizeof(Plugin)
    room = ctypes.create_string_buffer(b"\xa5" * (2 * expected), 2 * expected)
    loaded.mjp_defaultPlugin(room)
    cleared = len(room.raw.rstrip(b"\xa5"))
    if cleared != expected:
        raise PliantError(
            f"mjpPlugin has {cleared} bytes in this MuJoCo, not {expected}",
            field="installed mujoco",
            found=mujoco.__version__,
            accepted=ACCEPTED,
        )


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
            _registered[name] = known = _hand_over(
                name, dict(functions), tuple(attributes), tuple(keep_alive)
            )
    if known.functions != functions or known.attributes != tuple(attributes):
        raise _taken(name)
    return known.slot


def _hand_over(
    name: str,
    functions: dict[str, int],
    attributes: tuple[str, ...],
    kept_alive: tuple[Any, ...],
) -> _Registered:
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
    return _Registered(slot, functions, attributes, (plugin, keys, *kept_alive))


def _taken(name: str) -> PliantError:
    return PliantError(
        "another plugin of this process already has this name, with other functions",
        field="plugin",
        found=name,
        accepted="a name of its own for each set of functions",
    )


def address_of(function: object) -> int:
    """Address of a function of C, or of one that C can call."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


MJU_ERROR = Symbol("mju_error", address_of(library().mju_error), NOTHING)
"""`mju_error(const char* format, const char* text)`, which leaves the caller as an exception does.

It is variadic; with two pointers and no number the call is the same in the calling conventions of
Linux.
"""
