"""Generated modules of Python and Warp, named by their content and run from the text at hand.

Warp's own cache does not see that a function in another file has changed; a module named by the hash of
its text cannot be stale. Its file is for Warp, and for people who look into the folder: it is written,
never read.
"""

import hashlib
import linecache
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from pliant.lower import cache

LONGEST = 60
"""Characters of a module's name before its hash: file names have an end."""


def build(text: str, stem: str) -> ModuleType:
    """The module with source `text`; its file is in the cache folder, where there is one.

    Args:
        text: source of the module.
        stem: start of its name, for the people who look into the folder.
    """
    name = f"{stem[:LONGEST]}_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = _written(cache.folder(), name, text)
    sys.modules[name] = module
    try:
        code = compile(text, module.__file__, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - written from the typed tree of checked laws
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _written(folder: Path | None, name: str, text: str) -> str:
    """The file `name` in `folder`; where it cannot be, a name that stands for the text in memory."""
    if folder is not None:
        path = folder / f"{name}.py"
        try:
            if _content(path) != text.encode():
                _write(path, text)
            return str(path)
        except OSError as error:
            cache.say(f"{folder}: nothing compiled can be kept ({error.strerror})")
            cache.give_up(folder)
    # Compilers ask for the source by this name.
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    return f"<{name}>"


def _write(path: Path, text: str) -> None:
    """Whole or not at all: other processes write the same file at the same time."""
    handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
