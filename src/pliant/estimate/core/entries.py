"""The steps of `stream`, compiled once and kept on disk.

The compiler's cache does not see that another file has changed. The functions that it keeps stand
in a generated module, which is named by the content of all files of this folder.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

from pliant.estimate.core.state import OUTPUTS, Array, Integers
from pliant.lower.build import build
from pliant.lower.link import Linker

_TEXT = '''"""Entries of the stiffness estimator's core; sources {sources}."""

from numba import njit

from pliant.estimate.core import stream

_place, _run = stream.place, stream.run
compiled = njit(cache=True, nogil=True, error_model="numpy")


@compiled
def place(x, k):
    return _place(x, k)


@compiled
def run(x, k, rows, out):
    return _run(x, k, rows, out)

'''


def _built() -> ModuleType:
    files = sorted(Path(__file__).parent.glob("*.py"))
    sources = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
    return build(_TEXT.format(sources=sources), "stiffness_estimator", Linker())


_module = _built()

place: Callable[[Array, Integers], bool] = _module.place
_run: Callable[[Array, Integers, Array, Array], bool] = _module.run
_NO_ROWS, _NO_OUT = np.zeros((0, 0)), np.zeros((0, OUTPUTS, 0))


def advance(x: Array, k: Integers) -> bool:
    """One sample; see `stream.run`."""
    return _run(x, k, _NO_ROWS, _NO_OUT)


def run(x: Array, k: Integers, *rows: Array) -> Array:
    """A whole recording: columns of `stream.run`'s rows, (N, …) each; returns (N, OUTPUTS, n) estimates."""
    count = len(rows[0])
    whole = np.concatenate([one.reshape(count, -1) for one in rows], axis=1)
    out = np.empty((count, OUTPUTS, rows[0].shape[1]))
    _run(x, k, whole, out)
    return out
