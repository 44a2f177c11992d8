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

_linker: Any = llvm
_linker.add_symbol(MJU_ERROR, ctypes.cast(library().mju_error, ctypes.c_void_p).value)
