"""Output to the user: results on stdout, everything else on stderr; with --json one object.

Width, colours, encoding and lines that rewrite themselves are left to rich.
"""

import codecs
import json
import math
import os
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from pliant.view.watching import SearchPage

INTERRUPTED = 130
"""Exit status after Ctrl-C."""
EVERY = 5.0
"""[s] Between two lines of progress where no terminal can rewrite one."""
NAME = 20
"""Characters of the first column, usually a name, that a narrow terminal does not fold."""
WORD = 12
"""Longest word [characters] that a narrow column does not fold; longer words break into such pieces."""
BETWEEN = 3
"""Characters between two columns."""
WIDE = 160
"""Columns of a table in a pipe or a file, which have no width of their own."""
USUAL, HEIGHT = 80, 25
"""Columns of a terminal that does not report its size, and lines, which no output uses."""


class Terminal:
    """Terminal output of a command.

    Args:
        as_json: only one JSON object goes to stdout.
        verbose: also print what is left out by default.

    Attributes:
        page: of --watch, which is told of every search, choice and interval; None without it.
    """

    def __init__(self, *, as_json: bool = False, verbose: bool = False) -> None:
        self.as_json = as_json
        self.verbose = verbose
        self.page: SearchPage | None = None
        self._progress: Progress | None = None

    def say(self, text: str = "") -> None:
        """Lines of the result, for people; a terminal gets them wrapped."""
        self.copied(fitted(text, width_of(sys.stdout)))

    def copied(self, text: str) -> None:
        """A line to be copied into a program or a shell: in one piece at any width."""
        if not self.as_json:
            self.close()
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def paragraph(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A sentence or more of the result, wrapped to the terminal; later lines are indented."""
        if not self.as_json:
            self.close()
            _say_wrapped(_console(), text, indent, style)

    def note(self, text: str) -> None:
        """A line beside the result: what is going on, what to know."""
        self.close()
        sys.stderr.write(fitted(text, width_of(sys.stderr)) + "\n")
        sys.stderr.flush()

    def stage(self, text: str) -> None:
        """Show the current stage: a line that vanishes on a terminal, a note elsewhere."""
        if _rewrites(sys.stderr):
            self.passing(text)
        else:
            self.note(text)

    def aside(self, text: str) -> None:
        """A note that only --verbose shows."""
        if self.verbose:
            self.note(text)

    def passing(self, text: str, part: float | None = None) -> None:
        """A line that the next one replaces, only on a terminal; `part` of the whole is done."""
        if not _rewrites(sys.stderr):
            return
        if self._progress is None:
            self._progress = _progress()
            self._progress.add_task("")
            self._progress.start()
        total = None if part is None else 1.0
        self._progress.update(
            self._progress.task_ids[0], description=text, total=total, completed=part or 0.0
        )

    def result(self, values: Mapping[str, Any]) -> None:
        """The result for programs; a number that is not finite becomes null."""
        if self.as_json:
            sys.stdout.write(json.dumps(_plain(values), allow_nan=False, indent=2) + "\n")
            sys.stdout.flush()

    def close(self) -> None:
        """Take a passing line away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


class Pace:
    """Reports progress of long work: always on a terminal, else every few seconds."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.last = time.monotonic()

    def say(self, text: str, part: float | None = None) -> None:
        """Show `text`, if it is time to; `part` of the whole is done."""
        if _rewrites(sys.stderr):
            self.terminal.passing(text, part)
        elif time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            done = "" if part is None else f", {100.0 * part:.0f} % done"
            self.terminal.note(f"{text}{done}")


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()
) -> str:
    """A table as text, fitted to the terminal; the columns `numbers` are set flush right.

    Where the columns do not fit side by side, a row becomes a block, with a line for each cell.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    width = width_of(sys.stdout)
    if width is not None and _least(head, rows, numbers) > width:
        return fitted(_blocks(head, rows), width)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for k, name in enumerate(map(_line, head)):
        number = k in numbers
        table.add_column(
            Text(name),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
            min_width=0 if k else min(max((len(row[0]) for row in rows), default=0), NAME),
        )
    for row in rows:
        table.add_row(*(Text(_line(cell)) for cell in row))
    console = _console()
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def fitted(text: str, width: int | None) -> str:
    """`text` with its lines wrapped at words, later ones indented; None: as it is.

    A longer word stays whole: paths are there to be copied.
    """
    return text if width is None else "\n".join(_folded(x, width) for x in text.split("\n"))


def width_of(stream: TextIO) -> int | None:
    """Columns of a terminal; None of a pipe or a file."""
    if not stream.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:
        return USUAL


def printable(text: str) -> str:
    """`text` without control characters: what comes from a file does not steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _console() -> "Console":
    from rich.console import Console

    # Said outright, for rich takes every terminal without cursor control to be 80 wide.
    width = width_of(sys.stdout) or WIDE
    return Console(
        file=sys.stdout, width=width, height=HEIGHT, markup=False, highlight=False, emoji=False
    )


def _rewrites(stream: TextIO) -> bool:
    """Whether it is a terminal that can take a line back."""
    return stream.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")


def _folded(line: str, width: int) -> str:
    if len(line) <= width or "\x1b" in line:  # a table, which fits
        return line
    indent = " " * (min(len(line) - len(line.lstrip()), width // 4) + 2)
    wrap = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrap.fill(line)


def _least(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> int:
    """Width below which a table would break words after a few letters, or break numbers."""
    whole = 0
    for k, column in enumerate(zip(head, *rows, strict=True)):
        pieces = column if k in numbers else [word for cell in column for word in cell.split()]
        longest = max(map(len, pieces), default=0)
        whole += longest if k in numbers else min(longest, WORD if k else NAME)
    return whole + BETWEEN * (len(head) - 1)


def _blocks(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A block for each row: its first cell, and below it the others with the heads of their columns."""
    lines = [head[0]] if head[0] else []
    for first, *others in rows:
        lines += [_line(first)] if first else []
        said = zip(head[1:], others, strict=True)
        lines += [f"  {name}: {_line(x)}" if name else f"  {_line(x)}" for name, x in said if x]
    return "\n".join(lines)


def _say_wrapped(console: "Console", text: str, indent: int, style: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if not console.is_terminal:  # a pipe gets a line a sentence, to be searched
        console.file.write(printable(text) + "\n")
        return
    lines = Text(printable(text), style=style).wrap(console, max(console.width - indent, 20))
    for k, line in enumerate(lines):
        console.print(Padding(line, (0, 0, 0, indent if k else 0)), soft_wrap=True)


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    return Progress(
        SpinnerColumn("line"),
        BarColumn(bar_width=16),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _line(text: str) -> str:
    return in_encoding_of(sys.stdout, printable(text).replace("\n", " "))


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


NEAREST = {
    "–": "-",
    "—": "-",
    "−": "-",
    "±": "+-",
    "≥": ">=",
    "≤": "<=",
    "…": "...",
    "²": "^2",
    "³": "^3",
    "µ": "u",
    "τ": "tau",
    "·": "*",
    "×": "x",
    "°": " deg",
    "’": "'",
    "“": '"',
    "”": '"',
    "∞": "inf",
}
"""Substitutes for characters that a terminal lacks, to avoid an encoding error."""


def prepare_streams() -> None:
    """Let stdout and stderr write what they can, and the nearest character where they cannot.

    One that is closed takes everything, and loses it.
    """
    for stream in range(3):
        _open(stream)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="pliant.nearest")


def _open(stream: int) -> None:
    """Occupy the number of a stream that is closed: a file with it would get what C code prints."""
    try:
        os.fstat(stream)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def in_encoding_of(stream: TextIO, text: str) -> str:
    """`text` as the stream will show it, so that columns stand below each other."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "pliant.nearest").decode(encoding)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(NEAREST.get(c, "?") for c in missing), error.end


codecs.register_error("pliant.nearest", _nearest)
