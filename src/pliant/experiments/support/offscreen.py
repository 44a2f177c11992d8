"""Drawing without a display: MuJoCo chooses its OpenGL on import, so this must run before."""

import os
import subprocess
import sys

_PROBE = "import mujoco; mujoco.GLContext(8, 8).free()"
_BINDINGS = ("egl", "osmesa")


def choose_offscreen() -> str | None:
    """Set MUJOCO_GL to a backend that works here, tested in a separate process.

    It does nothing if there is a display, MUJOCO_GL is set, or MuJoCo is already imported.

    Returns:
        The backend that was set, or None.
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
    """Whether MuJoCo was imported with a working OpenGL backend."""
    loaded = any(f"mujoco.{binding}" in sys.modules for binding in _BINDINGS)
    return loaded or "DISPLAY" in os.environ
