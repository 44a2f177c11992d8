"""Drawing without a display: MuJoCo chooses its OpenGL when imported, so this comes before."""

import os
import subprocess
import sys

_PROBE = "import mujoco; mujoco.GLContext(8, 8).free()"
_BINDINGS = ("egl", "osmesa")


def choose_offscreen() -> str | None:
    """Set MUJOCO_GL to what works here, tried in a process of its own.

    Nothing is done where there is a display, MUJOCO_GL is set, or MuJoCo is imported already.

    Returns:
        The binding that was set, or None.
    """
    if {"DISPLAY", "MUJOCO_GL"} & os.environ.keys() or "mujoco" in sys.modules:
        return None
    for binding in _BINDINGS:
        tried = subprocess.run(  # noqa: S603 - nothing in it comes from outside
            [sys.executable, "-c", _PROBE],
            env={**os.environ, "MUJOCO_GL": binding},
            capture_output=True,
            check=False,
        )
        if tried.returncode == 0:
            os.environ["MUJOCO_GL"] = binding
            return binding
    return None


def can_draw() -> bool:
    """Whether MuJoCo was imported with something to draw with."""
    loaded = any(f"mujoco.{binding}" in sys.modules for binding in _BINDINGS)
    return loaded or "DISPLAY" in os.environ
