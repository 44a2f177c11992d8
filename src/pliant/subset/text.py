"""The text of a law file: read once, bounded, and parsed. What is checked is what is compiled."""

import ast
import hashlib
import os
import stat
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pliant.errors import PliantError

LARGEST = 1 << 20
"""[bytes] The largest table that may be a law has half of it."""
DEEPEST = 60
"""Nesting of statements and expressions; every pass over a tree stays within Python's stack."""
LONGEST = 64
"""Characters of a name."""


@dataclass(frozen=True, eq=False)
class Text:
    """One Python file: its text, and the syntax tree of that text."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def read(path: Path) -> Text:
    """The file at `path`, parsed; later calls give the same, whatever became of the file.

    Raises:
        PliantError: it is not a regular file of bounded size, no UTF-8, not Python, or too deep.
    """
    text = _content(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in docstrings
            tree = ast.parse(text, filename=str(path))
    except SyntaxError as error:
        raise PliantError(
            "is not Python", file=path, field=f"line {error.lineno}", found=error.msg
        ) from None
    except (ValueError, MemoryError, RecursionError) as error:
        found = str(error) or "nested too deeply"
        raise PliantError("is not Python that can be read", file=path, found=found) from None
    _check_depth(tree, path)
    return Text(path, text, tree)


def _content(path: Path) -> str:
    try:
        # Without O_NONBLOCK a FIFO would be waited for.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise PliantError("is not a regular file", file=path)
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise PliantError("is too large", file=path, accepted=f"at most {LARGEST} bytes")
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        if isinstance(error, PliantError):
            raise
        raise PliantError("cannot be read", file=path, found=str(error)) from None


def _check_depth(tree: ast.Module, path: Path) -> None:
    """Refuse what later passes, which recurse, could not walk."""
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    lines = (getattr(node, "lineno", None) for node in level)
    line = next((line for line in lines if line is not None), "?")
    raise PliantError(
        "is nested too deeply",
        file=path,
        field=f"line {line}",
        accepted=f"{DEEPEST} levels; intermediate variables, or functions of their own",
    )
