"""Generated modules on disk: written once, named by their content, imported from there.

A compiler's own cache does not see that a function in another file has changed; a file named by the
hash of all that goes into it cannot be stale.
"""

import atexit
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from platformdirs import user_cache_path

from pliant.errors import PliantError
from pliant.lower.link import Linker
from pliant.lower.source import module_path


def cache_folder() -> Path:
    """Where generated modules live: $PLIANT_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("PLIANT_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("pliant", appauthor=False)


def build(text: str, stem: str, linker: Linker) -> ModuleType:
    """The module with source `text`, from the cache folder, or a temporary one if need be.

    Args:
        text: source of the module.
        stem: start of its name, for the people who look into the folder.
        linker: whose external modules take part in the hash.
    """
    name = f"{stem}_{_digest(text, linker)}"
    if name in sys.modules:
        return sys.modules[name]
    path = _written(cache_folder(), name, text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # a .py file always has both
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
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
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _written(folder: Path, name: str, text: str) -> Path:
    """The file `name` in `folder`, or in a temporary one where nothing can be written.

    A file that is there already does not help in a folder that is not writable: the compiler puts
    what it makes beside it.
    """
    path = folder / f"{name}.py"
    if path.exists() and os.access(folder, os.W_OK):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(draft).replace(path)
    except OSError as error:
        if folder == _temporary_folder():
            raise PliantError(
                "cannot be written",
                file=path,
                found=str(error),
                accepted="PLIANT_CACHE_DIR, naming a folder with room",
            ) from None
        return _written(_temporary_folder(), name, text)
    return path


@cache
def _temporary_folder() -> Path:
    """One for this process, removed when it ends."""
    folder = tempfile.mkdtemp(prefix="pliant_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
