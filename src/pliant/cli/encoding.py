"""Text on a terminal that lacks a character: the nearest in ASCII instead of a stack trace."""

import codecs
import os
import sys
from io import TextIOWrapper

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


def prepare_streams() -> None:
    """Let stdout and stderr write what they can, and the nearest character where they cannot.

    One that is closed takes everything, and loses it.
    """
    for stream in range(3):
        _open(stream)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115, PTH123
    codecs.register_error("pliant.nearest", _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="pliant.nearest")


def _open(stream: int) -> None:
    """Occupy the number of a stream that is closed: a file with it would get what C code prints."""
    try:
        os.fstat(stream)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(NEAREST.get(c, "?") for c in missing), error.end
