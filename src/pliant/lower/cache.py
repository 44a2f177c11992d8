"""The folder of compiled code: private to the user, and never a reason to fail.

Anyone who can write machine code that is loaded can run anything. So the folder is created with mode
0700, and refused if someone else owns it or can write to it; every file ends in its own hash. Code that
is damaged, or that does not fit on the disk, is compiled again: with one line of warning, at the cost
of a second.

Modules of Python and Warp are named by their content (`build`). Warp's own cache does not notice changes of functions in other files; a module named by the hash of its
text cannot be stale. The file is for Warp, and for people who look into the folder: it is written,
never read.
"""

import atexit
import hashlib
import linecache
import logging
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from platformdirs import user_cache_path

from pliant.errors import PliantError

_log = logging.getLogger("pliant")


def cache_folder() -> Path:
    """Folder of compiled code: $PLIANT_CACHE_DIR, or one in the user's cache folder."""
    chosen = os.environ.get("PLIANT_CACHE_DIR")
    home = Path(chosen).absolute() if chosen else user_cache_path("pliant", appauthor=False)
    return home / "compiled"


def folder() -> Path | None:
    """The folder in use: `cache_folder`, else a temporary one of this process, else none."""
    path = _usable(cache_folder())
    return None if path in _full else path


_full: set[Path] = set()


def keep(name: str, content: bytes) -> Path | None:
    """Write the file `name` atomically in the folder in use; None if there is no folder, or no space for it.

    Other processes may write the same file at the same time.
    """
    where = folder()
    if where is None:
        return None
    try:
        handle, draft = tempfile.mkstemp(dir=where, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            return Path(draft).replace(where / name)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        say(f"{where}: compiled code cannot be kept ({error.strerror or error})")
        _full.add(where)
        return None


def kept(name: str) -> bytes | None:
    """Content of the file `name`, if it exists."""
    where = folder()
    try:
        return None if where is None else (where / name).read_bytes()
    except OSError:
        return None


def kept_files() -> dict[Path, int]:
    """Files of compiled code in `cache_folder`, and temporary files of killed processes, each with its size [bytes].

    None if the folder is a link: Pliant keeps nothing there, and its target is not Pliant's.
    """
    if cache_folder().is_symlink():
        return {}
    found = [p for p in cache_folder().glob("*") if p.suffix in (".o", ".py", ".tmp")]
    return {path: path.stat().st_size for path in found if path.is_file()}


def cleared() -> dict[Path, int]:
    """Delete them."""
    found = kept_files()
    for path in found:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise PliantError("cannot be deleted", file=path, found=error.strerror) from None
    return found


@cache
def say(text: str) -> None:
    """Warn the user, once."""
    _log.warning("pliant: %s", text)


@cache
def _usable(wanted: Path) -> Path | None:
    problem = _problem(wanted)
    if problem is None:
        return wanted
    instead = _temporary_folder()
    if instead is None:
        say(f"{wanted}: {problem}; compiled code is not kept, so each start compiles again")
    else:
        say(f"{wanted}: {problem}; compiled code is kept for this process only")
    return instead


def _problem(path: Path) -> str | None:
    """Why compiled code cannot be kept at `path`; None if it can."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "geteuid") and (problem := _open_to_others(path)):
            return problem
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"\0")
            probe.flush()
    except OSError as error:
        return f"cannot be written ({error.strerror or error})"
    return None


def _open_to_others(path: Path) -> str | None:
    """Reason why someone else could put a file at `path`, or replace it; None if nobody can."""
    own = path.lstat()
    if not stat.S_ISDIR(own.st_mode):
        return "is a link" if stat.S_ISLNK(own.st_mode) else "is not a folder"
    if own.st_uid != os.geteuid():
        return "belongs to another user"
    if own.st_mode & 0o022:
        return "others may write there (empty it, then chmod 700)"
    if own.st_mode & 0o055:
        path.chmod(0o700)
    for parent in path.resolve().parents:
        there = parent.stat()
        if there.st_uid not in (0, os.geteuid()):
            return f"{parent} belongs to another user"
        if there.st_mode & 0o022 and not there.st_mode & stat.S_ISVTX:
            return f"others may write to {parent}"
    return None


@cache
def _temporary_folder() -> Path | None:
    """A folder for this process, removed when it ends; `mkdtemp` makes it private to the user."""
    try:
        path = tempfile.mkdtemp(prefix="pliant_")
    except OSError:
        return None
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


LONGEST = 60
"""Most characters of a module's name before its hash, as file names are limited."""


def build(text: str, stem: str) -> ModuleType:
    """The module with source `text`; its file is in the cache folder, if there is one.

    Args:
        text: source of the module.
        stem: start of its name, for people who look into the folder.
    """
    name = f"{stem[:LONGEST]}_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = _written(name, text)
    sys.modules[name] = module
    try:
        code = compile(text, module.__file__, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - written from the typed tree of checked laws
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _written(name: str, text: str) -> str:
    """The file with `text`; if it cannot be written, a name for the text in memory."""
    file, content = f"{name}.py", text.encode()
    where = folder()
    if where is not None and kept(file) == content:
        return str(where / file)
    path = keep(file, content)
    if path is not None:
        return str(path)
    # Compilers look up the source by this name.
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    return f"<{name}>"
