"""Generated modules, named by their content and compiled from the text at hand.

A compiler's own cache does not see that a function in another file has changed; a module named by
the hash of all that goes into it cannot be stale. Its file is for that compiler, and for people who
look into the folder: it is written, never read.
"""

import hashlib
import linecache
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from pliant.lower import cache
from pliant.lower.link import Linker
from pliant.lower.source import module_path

LONGEST = 60
"""Characters of a module's name before its hash: file names have an end."""


def build(text: str, stem: str, linker: Linker) -> ModuleType:
    """The module with source `text`; its file is in the cache folder, where there is one.

    Args:
        text: source of the module.
        stem: start of its name, for the people who look into the folder.
        linker: whose external modules take part in the hash.
    """
    name = f"{stem[:LONGEST]}_{_digest(text, linker)}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = _written(cache.folder(), name, text)
    sys.modules[name] = module
    try:
        with cache.owned():
            code = compile(text, module.__file__, "exec", dont_inherit=True)
            exec(code, vars(module))  # noqa: S102 - text of the linker, from checked laws
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _digest(text: str, linker: Linker) -> str:
    parts = [text, version("numba"), sys.version]
    for module, _ in sorted(set(linker.externals.values()), key=str):
        path = module_path(module)
        if path is not None and module.startswith("pliant."):
            parts.append(path.read_text("utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


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
