"""Generated modules of Python and Warp, named by their content and run from the text at hand.

Warp's own cache does not see that a function in another file has changed; a module named by the hash of
its text cannot be stale. Its file is for Warp, and for people who look into the folder: it is written,
never read.
"""

import hashlib
import linecache
import sys
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
    """The file with `text`; where it cannot be, a name that stands for the text in memory."""
    file, content = f"{name}.py", text.encode()
    folder = cache.folder()
    if folder is not None and cache.kept(file) == content:
        return str(folder / file)
    path = cache.keep(file, content)
    if path is not None:
        return str(path)
    # Compilers ask for the source by this name.
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    return f"<{name}>"
