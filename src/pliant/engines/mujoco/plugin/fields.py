"""The offsets of the installed MuJoCo as constants, which compiled code folds in."""

import mujoco

from pliant.engines.mujoco.plugin.layout import layout

__all__ = ["DATA", "DYNPRM", "MODEL"]

MODEL, DATA = layout().model, layout().data
DYNPRM: int = mujoco.mjNDYN
"""Width of a row of `actuator_dynprm`."""
