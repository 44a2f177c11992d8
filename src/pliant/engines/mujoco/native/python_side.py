"""Python's part in a model that MuJoCo alone reads, when its data are made."""

from typing import Any

from numba import types

from pliant.engines.mujoco.plugin.symbols import FINISH

__all__ = ["finish"]

finish: Any = types.ExternalFunction(
    FINISH, types.intp(types.intp, types.intp, types.intp, types.intp)
)
"""finish(model, data, instance, stamp): 0, or the address of a C string that says what is wrong."""
