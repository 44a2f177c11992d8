"""The offsets of the installed MuJoCo as constants, which compiled code folds in."""

from pliant.engines.mujoco.native.layout import layout

__all__ = ["DATA", "MODEL"]

MODEL, DATA = layout().model, layout().data
