"""Text on a terminal that lacks a character: the nearest in ASCII instead of a stack trace."""

import codecs
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
    """Let stdout and stderr write what they can, and the nearest character where they cannot."""
    codecs.register_error("pliant.nearest", _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="pliant.nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(NEAREST.get(c, "?") for c in missing), error.end
