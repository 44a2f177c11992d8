"""One command line: read, run, and every way in which it can end."""

import _thread
import errno
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from types import FrameType
from typing import Any

from pliant.cli.command_line import advice, read
from pliant.cli.terminal import INTERRUPTED, Terminal, prepare_streams, printable
from pliant.errors import PliantError, PliantWarning, is_interrupt
from pliant.io.output import outputs_held


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, or the process's own; see `pliant.cli.main`."""
    with _interrupts() as heard:
        return _run(argv, heard)


def _run(argv: Sequence[str] | None, interrupts: list[int]) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    terminal = Terminal(as_json="--json" in words, verbose="--verbose" in words)
    debug = "--debug" in words or os.environ.get("PLIANT_DEBUG", "") not in ("", "0")
    # Results already report, once, what a warning would.
    warnings.simplefilter("ignore", PliantWarning)
    before, sys.unraisablehook = sys.unraisablehook, _unraisable
    try:
        if words == ["--version"]:
            sys.stdout.write(f"pliant {version('pliant')}\n")
            return 0
        with outputs_held():
            return read(words, terminal.note).run(terminal)
    except SystemExit as end:
        return _usage(end, words, terminal)
    except KeyboardInterrupt as stop:
        return _stopped(terminal, str(stop))
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - the reader has gone
        return 1
    except PliantError as error:
        if debug:
            traceback.print_exc()
        hint = None if error.file is None else advice(words, error.file)
        return _failed(terminal, _as_typed(error, words).as_dict(), 1, hint)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if debug:
            traceback.print_exc()
        if is_interrupt(error) or interrupts:
            return _stopped(terminal, "")
        return _failed(terminal, _as_error(error), 1)
    finally:
        sys.unraisablehook = before
        terminal.close()  # the cursor is hidden while a passing line stands


def _as_typed(error: PliantError, words: Sequence[str]) -> PliantError:
    """The error; if the argument was given as an option, under the option's name."""
    option = f"--{error.field}".replace("_", "-")
    given = {word.partition("=")[0] for word in words}
    return error.named(option) if error.file is None and option in given else error


def _usage(end: SystemExit, words: list[str], terminal: Terminal) -> int:
    """Exit status of a command line that asks for help, which has been shown, or cannot be read."""
    if not isinstance(end.code, str):
        return end.code or 0
    return _failed(terminal, {"error": end.code}, 2, advice(words, None))


def _stopped(terminal: Terminal, kept: str) -> int:
    error = {"error": f"interrupted; {kept or 'nothing was kept'}"}
    return _failed(terminal, error, INTERRUPTED)


def _failed(terminal: Terminal, error: dict[str, Any], code: int, hint: str | None = None) -> int:
    text = str(error["error"]) + (f"; {hint}" if hint else "")
    if terminal.as_json:
        with suppress(OSError):  # that may be what failed
            terminal.result({**error, "error": text})
            return code
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - it would fail again at the end
    terminal.note("pliant: " + printable(text).replace("\n", " "))
    return code


@contextmanager
def _interrupts() -> Generator[list[int]]:
    """Every Ctrl-C until the end. Some libraries (ctypes) make an error of it that no longer says so."""
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        signal.default_int_handler(number, frame)

    here = threading.current_thread() is threading.main_thread()
    usual = here and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, hear)
    try:
        yield heard
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _unraisable(what: Any) -> None:
    """Hear a Ctrl-C again that came where Python drops it: in what runs when an object goes."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(what)


FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF)


def _as_error(error: Exception) -> dict[str, Any]:
    if isinstance(error, OSError) and error.filename is None and error.errno in FULL:
        return PliantError("the output cannot be written", found=error.strerror).as_dict()
    if isinstance(error, OSError) and error.filename is not None:
        # A name too long, a disk that is gone: it is the system that says no.
        file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else None
        return PliantError("cannot be used", file=file, found=error.strerror).as_dict()
    kind = type(error).__name__
    return {
        "error": f"unexpected {kind}: {str(error)[:1000]}; this is a fault of Pliant: please report it with "
        "the output of the same command with --debug"
    }
