"""The text of a law file: read once, bounded, and parsed. What is checked is what is compiled."""

import ast
import hashlib
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pliant.errors import PliantError, located
from pliant.files import read_text

LARGEST = 1 << 20
"""[bytes] The largest table that may be a law has half of it."""
DEEPEST = 60
"""Nesting of statements and expressions; every pass over a tree stays within Python's stack."""
LONGEST = 64
"""Characters of a name."""
ROOM = 16 << 20
"""[bytes] Stack on which a text is parsed. Python 3.12 and 3.13 crash on deep text where the stack of the
calling thread is small (512 kB: threads on macOS); with enough of it they raise."""
_ROOM_LOCK = threading.Lock()
_PARSER_LOCK = threading.Lock()
_TRIES = 3


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
    text = read_text(path, largest=LARGEST).replace("\r\n", "\n").replace("\r", "\n")
    with located(path):
        tree = parsed(text, str(path))
        _check_depth(tree)
    return Text(path, text, tree)


def parsed(text: str, name: str) -> ast.Module:
    """The tree of a text; Python's warnings of it are not the user's business."""
    try:
        return _parsed_with_room(text, name)
    except SyntaxError as error:
        raise PliantError("is not Python", field=f"line {error.lineno}", found=error.msg) from None
    except (MemoryError, RecursionError):
        raise PliantError("is nested too deeply", accepted=f"{DEEPEST} levels") from None
    except ValueError as error:  # a NUL
        before = text.partition("\0")[0].count("\n")
        raise PliantError("is not Python", field=f"line {before + 1}", found=str(error)) from None


def syntax_tree(text: str, name: str = "<text>") -> ast.Module:
    """`ast.parse`, whatever other threads parse.

    CPython 3.11 keeps the depth of a tree for the whole process: where another thread parses meanwhile,
    it raises "AST constructor recursion depth mismatch" of a text that is right.
    """
    for _ in range(_TRIES - 1):
        try:
            with _PARSER_LOCK:
                return ast.parse(text, filename=name)
        except SystemError:  # other libraries parse without the lock
            continue
    return ast.parse(text, filename=name)


def _parsed_with_room(text: str, name: str) -> ast.Module:
    def parse() -> ast.Module:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in docstrings
            return syntax_tree(text, name)

    with ThreadPoolExecutor(1) as pool:
        with _ROOM_LOCK:
            before = threading.stack_size(ROOM)
            try:
                future = pool.submit(parse)  # starts the thread
            finally:
                threading.stack_size(before)
        return future.result()


def _check_depth(tree: ast.Module) -> None:
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
        field=f"line {line}",
        accepted=f"{DEEPEST} levels; intermediate variables, or functions of their own",
    )
