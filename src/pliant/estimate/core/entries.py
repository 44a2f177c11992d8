"""The steps of `stream`, compiled once and kept on disk.

The compiler's cache does not see that another file has changed. The functions that it keeps stand
in a generated module, which is named by the content of all files of this folder.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from pliant.estimate.core.state import Array, Integers
from pliant.lower.build import build
from pliant.lower.link import Linker

_TEXT = '''"""Entries of the stiffness estimator's core; sources {sources}."""

from numba import njit

from pliant.estimate.core import stream

_place, _advance, _run = stream.place, stream.advance, stream.run
compiled = njit(cache=True, nogil=True, error_model="numpy")


@compiled
def place(x, k):
    return _place(x, k)


@compiled
def advance(x, k):
    return _advance(x, k)


@compiled
def run(x, k, q, theta, momentum, rest, news, out):
    _run(x, k, q, theta, momentum, rest, news, out)

'''


def _built() -> ModuleType:
    files = sorted(Path(__file__).parent.glob("*.py"))
    sources = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
    return build(_TEXT.format(sources=sources), "stiffness_estimator", Linker())


_module = _built()

place: Callable[[Array, Integers], bool] = _module.place
advance: Callable[[Array, Integers], bool] = _module.advance
run: Callable[[Array, Integers, Array, Array, Array, Array, Array, Array], None] = _module.run
