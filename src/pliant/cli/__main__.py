"""The process of a command: `pliant`, and `python -m pliant.cli`."""

import atexit
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import NoReturn

from pliant.cli import main
from pliant.cli.terminal import INTERRUPTED

UNCUT = "glfw"
"""Package whose import Ctrl-C must not cut in two."""


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
    """Let Ctrl-C wait in this process while glfw is imported. Does nothing on Windows.

    MuJoCo imports glfw, and glfw asks a child process for the version of its library. Interrupted there,
    the child prints a traceback of its own into whatever the command says.
    """
    if hasattr(signal, "pthread_sigmask") and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def process() -> NoReturn:
    """Run this process's command line, and end the process."""
    code = 1

    def leave() -> None:
        # Ctrl-C may have cut short the loading of a compiled library, which then makes Python abort
        # while it takes itself down.
        if code == INTERRUPTED:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)

    atexit.register(leave)  # before all others: they are run from the last to the first
    hold_interrupts_while_importing()
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left that it could stop
    sys.exit(code)


if __name__ == "__main__":
    process()
