"""What the user sees: results on stdout, everything else on stderr; under --json one object."""

import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

INTERRUPTED = 130
"""Exit status after Ctrl-C."""
EVERY = 5.0
"""[s] Between two lines of progress where no terminal can rewrite one."""


class Terminal:
    """Where a command writes.

    Args:
        as_json: nothing but one JSON object goes to stdout.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self._open_line = False

    def say(self, text: str = "") -> None:
        """A line of the result, for people."""
        if not self.as_json:
            self._close_line()
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def note(self, text: str) -> None:
        """A line beside the result: what is going on, what to know."""
        self._close_line()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def passing(self, text: str) -> None:
        """A line that the next one replaces; only on a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._open_line = True

    def result(self, values: Mapping[str, Any]) -> None:
        """The result for programs; a number that is not finite becomes null."""
        if self.as_json:
            sys.stdout.write(json.dumps(_plain(values), allow_nan=False, indent=2) + "\n")
            sys.stdout.flush()

    def _close_line(self) -> None:
        if self._open_line:
            sys.stderr.write("\r\x1b[K")
            self._open_line = False


class Pace:
    """Says where something long is: always on a terminal, else every few seconds."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.last = time.monotonic()

    def say(self, text: str) -> None:
        """Show `text`, if it is time to."""
        if sys.stderr.isatty():
            self.terminal.passing(text)
        elif time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            self.terminal.note(text)


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()
) -> str:
    """An aligned text table; the columns `numbers` are set flush right."""
    cells = [[_line(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if k in numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def printable(text: str) -> str:
    """`text` without control characters: what comes from a file does not steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _line(text: str) -> str:
    return printable(text).replace("\n", " ")


def _plain(value: Any) -> Any:
    """Values that JSON knows."""
    if isinstance(value, Mapping):
        named = cast("Mapping[Any, Any]", value)
        return {str(key): _plain(part) for key, part in named.items()}
    if isinstance(value, (list, tuple)):
        listed = cast("Sequence[Any]", value)
        return [_plain(part) for part in listed]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _plain(value.item()) if hasattr(value, "item") else str(value)
