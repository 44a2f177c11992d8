"""Functions that compiled code calls."""

import ctypes

from pliant.engines.mujoco.plugin.table import library
from pliant.lower.memory import Symbol
from pliant.lower.types import INTEGER, NOTHING


@ctypes.CFUNCTYPE(*[ctypes.c_ssize_t] * 5)
def _finish(model: int, data: int, instance: int, stamp: int) -> int:
    from pliant.engines.mujoco.plugin import written

    return written.answer(written.finish, model, data, instance, stamp)


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


FINISH = Symbol("finish", _address(_finish), INTEGER)
"""`written.finish(model, data, instance, stamp)`: 0, or the address of a text."""

MJU_ERROR = Symbol("mju_error", _address(library().mju_error), NOTHING)
"""`mju_error(const char* format, const char* text)`, which leaves the caller as an exception does.

It is variadic; with two pointers and no number the call is the same in the calling conventions of
Linux.
"""
