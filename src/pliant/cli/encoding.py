"""Text on a terminal that lacks a character: the nearest in ASCII instead of a stack trace."""

import codecs
import os
import sys
from io import TextIOWrapper
from typing import TextIO

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
