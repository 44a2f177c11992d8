"""Journal of a search, optionally in a file: a killed run resumes and gives the same result.

Plain JSON, rewritten whole after every Jacobian. It names its task; any other task refuses it. It has the best point
of each finished part of the search, and the last point of a descent in progress.
"""

import copy
import hashlib
import json
import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.search.least_squares import DescentState
from pliant.io.output import check_output, write_whole
from pliant.io.search_state import SEAL, read_sealed, sealed


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the unit cube, its cost, and the error reported for it."""

    at: Floats
    cost: float
    error: float


@dataclass(frozen=True, eq=False)
class PartResult:
    """A finished part of the search: its best point, and the evaluations it took."""

    best: Point
    evaluations: int


Task = Mapping[str, Any]

FORMAT = 1


class SavedWork:
    """The parts of a task that are done, in a file that names the task.

    Args:
        path: of the file, resumed if it exists. None keeps nothing.
        task: everything that determines the work. parts: names of the mappings in `done`.

    Raises:
        PliantError: the file cannot be written, is not a checkpoint, or is one of another task; the
            error says what differs.
    """

    def __init__(self, path: Path | None, task: Task, *parts: str) -> None:
        self.path = path
        self.task: Task = json.loads(json.dumps(task))
        self.done: dict[str, dict[str, Any]] = {part: {} for part in parts}
        if path is not None:
            check_output(path, overwrite=True)
            if path.exists():
                self._read(path)

    def write(self) -> None:
        """Keep what is done.

        Raises:
            PliantError: it cannot be written.
        """
        if self.path is not None:
            state = {"pliant_checkpoint": FORMAT, "task": self.task, **self.done}
            write_whole(self.path, sealed(state))

    def _read(self, path: Path) -> None:
        try:
            state = read_sealed(path)
        except PliantError as error:
            if error.field == SEAL:
                raise
            state = {}
        done: dict[str, Any] = {part: state.get(part, {}) for part in self.done}
        known = all(isinstance(d, dict) for d in done.values())
        if state.get("pliant_checkpoint") != FORMAT or not known:
            raise PliantError(
                "is not a checkpoint",
                file=path,
                accepted="a name that is free, or a file that an interrupted search left",
            )
        if differs := differences(self.task, state.get("task", {})):
            raise PliantError(
                "is the checkpoint of another search",
                file=path,
                found="; ".join(differs),
                accepted="the same command, another file, or none (delete it to start again)",
            )
        self.done = done


def differences(asked: Any, there: Any, name: str = "") -> list[str]:
    """Differences between this task and the one in the file: "search.seed 2, there 1"."""
    if isinstance(asked, dict) and isinstance(there, dict):
        a, b = cast("dict[str, Any]", asked), cast("dict[str, Any]", there)
        keys = dict.fromkeys([*a, *b])
        parts = [differences(a.get(k), b.get(k), f"{name}.{k}" if name else k) for k in keys]
        return [word for part in parts for word in part]
    if asked == there:
        return []
    if asked is None or there is None:
        return [f"{name} only {'there' if asked is None else 'here'}"]
    if re.fullmatch("[0-9a-f]{64}", f"{asked}"):
        return [f"{name} is another"]
    return [f"{name} {asked}, there {there}"]


def digest(*parts: bytes) -> str:
    """SHA-256 of several pieces, each by itself."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


SHARE = 0.02
"""Largest share of the time spent on writing within a part: if a Jacobian takes less than 50 times as
long as writing it, several are written together."""


class Journal:
    """Finished parts of a search, and the state of its descents, so that none is repeated.

    Args:
        path: file that keeps it; None: kept in memory only.
        task: everything that determines the search; see `FitTask.fingerprint`.

    Attributes:
        ahead: prefix of the name of each part.

    Raises:
        PliantError: see `SavedWork`.
    """

    def __init__(self, path: Path | None = None, task: Task | None = None) -> None:
        self._work = SavedWork(path, task or {}, "finished", "descents")
        self._next, self.ahead = 0.0, ""

    def chapter(self, name: str) -> "Journal":
        """The same for one search of a search that consists of several."""
        part = copy.copy(self)
        part.ahead = f"{name}: "
        return part

    def finished(self, part: str) -> PartResult | None:
        """Result of a part, if it was finished."""
        d = self._work.done["finished"].get(self.ahead + part)
        return None if d is None else _done(d)

    def finish(self, part: str, done: PartResult) -> None:
        """A part is finished."""
        self._work.done["finished"][self.ahead + part] = _plain(done)
        self._work.done["descents"].pop(self.ahead + part, None)
        self._write()

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """Latest stage of a descent, with its result so far."""
        d = self._work.done["descents"].get(self.ahead + part)
        if d is None:
            return None
        stage = DescentState(np.array(d["at"]), d["damping"], d["jacobians"], d["stuck"])
        return stage, _done(d["done"])

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """A descent is here."""
        plain = {**vars(stage), "at": stage.at.tolist(), "done": _plain(done)}
        self._work.done["descents"][self.ahead + part] = plain
        if time.monotonic() >= self._next:
            self._write()

    def remove(self) -> None:
        """The search is done."""
        if self._work.path is not None:
            self._work.path.unlink(missing_ok=True)

    def _write(self) -> None:
        began = time.monotonic()
        try:
            self._work.write()
        except PliantError as error:  # the result matters more than its checkpoint
            warnings.warn(f"no checkpoint: {error}", RuntimeWarning, stacklevel=2)
        ended = time.monotonic()
        self._next = ended + (ended - began) / SHARE


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
