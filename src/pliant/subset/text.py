"""The text of a law file: of bounded size, read once, and parsed. The checked text is the one compiled."""

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
"""[bytes] Twice the size of the largest table that a law can be."""
DEEPEST = 60
"""Deepest nesting of statements and expressions, so that every pass over a tree fits Python's stack."""
LONGEST = 64
"""Most characters of a name."""
ROOM = 16 << 20
"""[bytes] Stack size for parsing. Python 3.12 and 3.13 crash on deeply nested text if the calling thread's stack
is small (512 kB: threads on macOS); with a large one they raise an error."""
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
    """The file at `path`, parsed; later calls return the same result even if the file has changed.

    Raises:
        PliantError: it is not a regular file of bounded size, not UTF-8, not Python, or nested too deeply.
    """
    text = read_text(path, largest=LARGEST).replace("\r\n", "\n").replace("\r", "\n")
    with located(path):
        tree = parsed(text, str(path))
        _check_depth(tree)
    return Text(path, text, tree)


def parsed(text: str, name: str) -> ast.Module:
    """The tree of a text, without Python's warnings about it, which do not concern the user."""
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
    """`ast.parse`, safe while other threads parse.

    CPython 3.11 counts the depth of a tree for the whole process: if another thread parses meanwhile, it
    raises "AST constructor recursion depth mismatch" for a valid text.
    """
    for _ in range(_TRIES - 1):
        try:
            with _PARSER_LOCK:
                return ast.parse(text, filename=name)
        except SystemError:  # other libraries parse without this lock
            continue
    return ast.parse(text, filename=name)


def _parsed_with_room(text: str, name: str) -> ast.Module:
    def parse() -> ast.Module:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in docstrings
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
    """Refuse nesting too deep for later passes, which recurse."""
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
        accepted=f"{DEEPEST} levels; use intermediate variables or separate functions",
    )
