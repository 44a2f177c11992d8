"""The process of a command: `pliant`, and `python -m pliant.cli`."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from pliant.cli import main
from pliant.cli.terminal import INTERRUPTED
from pliant.cli.uncut import hold_interrupts_while_importing


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
