"""The packages of this engine, which are an extra."""

import importlib
import importlib.util
from importlib.metadata import version
from typing import Any

from pliant.errors import PliantError

EXTRA = "pip install 'pliant[warp]'"


def warp_and_mujoco_warp() -> tuple[Any, Any]:
    """The modules `warp` and `mujoco_warp`.

    Raises:
        PliantError: one is not installed, or too old to have callbacks.
    """
    for name in ("warp", "mujoco_warp"):
        if importlib.util.find_spec(name) is None:
            raise PliantError(f"the package {name} is not installed", accepted=EXTRA)
    wp = importlib.import_module("warp")
    mjw = importlib.import_module("mujoco_warp")
    if not hasattr(mjw, "Callback"):
        raise PliantError(
            "this mujoco_warp has no callbacks",
            found=version("mujoco-warp"),
            accepted=f"3.11 or newer: {EXTRA}",
        )
    return wp, mjw
