"""The MuJoCo library that Python has loaded, and its struct of a plugin."""

import ctypes
from functools import cache
from pathlib import Path

import mujoco

from pliant.engines.mujoco.plugin.layout import ACCEPTED
from pliant.errors import PliantError

__all__ = ["Plugin", "library"]


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
