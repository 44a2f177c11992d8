"""A search as far as it got, on disk: a killed run continues, to the same result.

Plain JSON, written whole, after every Jacobian. A finished part of the search stands there with its best
point; a descent goes on from its last one.
"""

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import PliantError, located
from pliant.identification.search.journal import PartResult, Point
from pliant.identification.search.least_squares import DescentState
from pliant.identification.search.state_file import Task, read_state, state_text
from pliant.io.output import check_output, write_whole
from pliant.io.search_state import check_search

SHARE = 0.02
"""Largest share of the time that may be spent on writing within a part: where a Jacobian takes less than
50 times as long as writing it, several are written together."""


class Checkpoint:
    """The journal of a search in a file.

    Args:
        path: where; what stands there is continued.
        task: all that decides how the search goes; see `FitTask.fingerprint`.

    Raises:
        PliantError: the place cannot be written, or what stands there is not a checkpoint, or one of
            another search; the error says what differs.
    """

    def __init__(self, path: Path, task: Task) -> None:
        check_output(path, overwrite=True)
        self.path = path
        self._finished: dict[str, dict[str, Any]] = {}
        self._descents: dict[str, dict[str, Any]] = {}
        self._task = json.loads(json.dumps(task))
        self._next = 0.0
        if path.exists():
            self._read()

    def finished(self, part: str) -> PartResult | None:
        """See `Journal`."""
        d = self._finished.get(part)
        return None if d is None else _done(d)

    def finish(self, part: str, done: PartResult) -> None:
        """See `Journal`."""
        self._finished[part] = _plain(done)
        self._descents.pop(part, None)
        self._write()

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """See `Journal`."""
        d = self._descents.get(part)
        if d is None:
            return None
        return DescentState(np.array(d["at"]), d["damping"], d["jacobians"], d["stuck"]), _done(
            d["done"]
        )

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """See `Journal`."""
        self._descents[part] = {
            "at": stage.at.tolist(),
            "damping": stage.damping,
            "jacobians": stage.jacobians,
            "stuck": stage.stuck,
            "done": _plain(done),
        }
        self._write_now_and_then()

    def remove(self) -> None:
        """The search is done."""
        self.path.unlink(missing_ok=True)

    def _write_now_and_then(self) -> None:
        if time.monotonic() >= self._next:
            self._write()

    def _write(self) -> None:
        began = time.monotonic()
        parts = {"finished": self._finished, "descents": self._descents}
        try:
            write_whole(self.path, state_text(self._task, parts))
        except PliantError as error:  # what was found is worth more than the checkpoint of it
            warnings.warn(f"no checkpoint: {error}", RuntimeWarning, stacklevel=2)
        ended = time.monotonic()
        self._next = ended + (ended - began) / SHARE

    def _read(self) -> None:
        parts = ("finished", "descents")
        self._finished, self._descents = read_state(self.path, self._task, parts)
        with located(self.path):
            check_search(self._finished, self._descents)


def _plain(done: PartResult) -> dict[str, Any]:
    best = done.best
    return {
        "point": best.at.tolist(),
        "cost": best.cost,
        "error": best.error,
        "evaluations": done.evaluations,
    }


def _done(d: dict[str, Any]) -> PartResult:
    return PartResult(Point(np.array(d["point"]), d["cost"], d["error"]), d["evaluations"])
