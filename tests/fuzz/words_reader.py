"""Runs the command lines that it is told of, one after the other, and says how each ended.

A process of its own, as `reader`. A command that goes on is stopped as by Ctrl-C.
"""

import contextlib
import io
import json
import os
import resource
import signal
import threading
import time
from pathlib import Path
from typing import Any

LIMIT = 12 * 2**30
"""[bytes] Of address space, so that a command that asks for all memory ends, and not the machine."""


def ended(words: list[str], seconds: float) -> dict[str, Any]:
    """How the command line ended, which had `seconds` until Ctrl-C."""
    from pliant.cli import main

    out, err = io.StringIO(), io.StringIO()
    stop = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    stop.daemon = True
    began, code = time.monotonic(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            stop.start()
            code = main(words)
        except BaseException as error:  # noqa: BLE001 - that is what is looked for
            err.write(f"raised {type(error).__name__}: {error}")
            code = -1
        finally:
            with contextlib.suppress(KeyboardInterrupt):
                stop.cancel()
                stop.join()
    took = time.monotonic() - began
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": took}


def memory() -> int:
    """[bytes] Most that this process had."""
    status = Path("/proc/self/status").read_text("ascii")
    return 1024 * int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])


def main() -> None:
    """Answer each line of stdin, a JSON object; nothing else reads from it or writes to stdout."""
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    answers.write("ready\n")
    answers.flush()
    for line in asked:
        task = json.loads(line)
        answer = ended(task["words"], task["seconds"]) | {"memory": memory()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
