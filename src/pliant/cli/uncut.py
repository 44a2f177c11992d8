"""Imports that Ctrl-C must not cut in two.

MuJoCo imports glfw, and glfw asks a child process for the version of its library. Interrupted there,
the child prints a traceback of its own into whatever the command says.
"""

import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

UNCUT = "glfw"


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        # A child inherits what is blocked; what came meanwhile is heard at the end.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().exec_module(module)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Finder(PathFinder):
    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != UNCUT:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def hold_interrupts_while_importing() -> None:
    """Let Ctrl-C wait in this process while glfw is imported. Does nothing on Windows."""
    if hasattr(signal, "pthread_sigmask") and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
