"""The packages of this engine, which are an extra."""

from importlib.metadata import version
from typing import Any

from pliant.errors import PliantError
from pliant.extras import extra_module, installed_by

EXTRA = "warp"


def warp_and_mujoco_warp() -> tuple[Any, Any]:
    """The modules `warp` and `mujoco_warp`."""
    wp, mjw = (extra_module(name, EXTRA) for name in ("warp", "mujoco_warp"))
    if not hasattr(mjw, "Callback"):
        raise PliantError(
            "this mujoco_warp has no callbacks",
            found=version("mujoco-warp"),
            accepted=f"3.11 or newer: {installed_by(EXTRA)}",
        )
    return wp, mjw
