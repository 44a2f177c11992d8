"""The steps of `stream`, compiled, for one pair of buffers."""

from ast import FunctionDef
from functools import cache
from pathlib import Path

import numpy as np

from pliant.arrays import Cube, Integers, Matrix, Vector
from pliant.estimate.core.state import OUTPUTS, WRITTEN, views
from pliant.lower.kernel import compiled_source
from pliant.lower.machine import Compiled
from pliant.lower.source import read_source
from pliant.subset.text import syntax_tree


class Core:
    """A compiled core on its buffers.

    Attributes:
        state: views of all that the buffers hold.
        place, advance: one sample; see `stream`.
    """

    def __init__(self, x: Vector, k: Integers) -> None:
        code = _compiled().functions
        self._x, self._k, self._run = x, k, code["run"]
        self.state = views(x, k)
        self.place = code["place"].bound(x, k)
        self.advance = code["advance"].bound(x, k)

    def run(self, *rows: Matrix) -> Cube:
        """A whole recording: columns of `stream.run`'s rows, (N, …) each; returns (N, OUTPUTS, n) estimates."""
        count = len(rows[0])
        whole = np.concatenate([one.reshape(count, -1) for one in rows], axis=1)
        out = np.empty((count, OUTPUTS, rows[0].shape[1]))
        self._run(self._x, self._k, whole, out)
        return out


@cache
def _compiled() -> Compiled:
    here = Path(__file__).parent
    stream, state = (read_source(here / f"{name}.py", name) for name in ("stream", "state"))
    state.functions |= {
        node.name: node for node in syntax_tree(WRITTEN).body if isinstance(node, FunctionDef)
    }
    return compiled_source(stream, ("place", "advance", "run"), "stiffness_estimator", [state])
