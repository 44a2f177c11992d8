"""Functions of MuJoCo that compiled code calls, under names that the linker finds."""

import ctypes
from typing import Any

import llvmlite.binding as llvm

from pliant.engines.mujoco.plugin.library import library

MJU_ERROR = "pliant_mju_error"
"""`mju_error(const char* format, const char* text)`, which leaves the caller as an exception does.

It is variadic; with two pointers and no number the call is the same in the calling conventions of
Linux.
"""

FINISH = "pliant_finish"
"""`written.finish(model, data, instance, stamp)`: 0, or the address of a text."""


@ctypes.CFUNCTYPE(*[ctypes.c_ssize_t] * 5)
def _finish(model: int, data: int, instance: int, stamp: int) -> int:
    from pliant.engines.mujoco.plugin import written

    return written.answer(written.finish, model, data, instance, stamp)


_linker: Any = llvm
_linker.add_symbol(FINISH, ctypes.cast(_finish, ctypes.c_void_p).value)
_linker.add_symbol(MJU_ERROR, ctypes.cast(library().mju_error, ctypes.c_void_p).value)
