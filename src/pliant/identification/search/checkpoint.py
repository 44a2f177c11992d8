"""The journal of a search, and the file that keeps it: a killed run continues, to the same result.

Plain JSON, written whole, after every Jacobian. It names its task, and is refused by any other. A finished part of
the search stands there with its best point; a descent goes on from its last one.
"""

import hashlib
import json
import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.search.least_squares import DescentState
from pliant.io.output import check_output, write_whole
from pliant.io.search_state import SEAL, read_sealed, sealed


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the unit cube, its cost, and its error as it is reported."""

    at: Floats
    cost: float
    error: float


@dataclass(frozen=True, eq=False)
class PartResult:
    """A part of the search that is finished: its best point, and what it took."""

    best: Point
    evaluations: int


class Journal(Protocol):
    """Journal of finished work, so that it need not be done again. This one keeps nothing."""

    def finished(self, part: str) -> PartResult | None:
        """Result of a part, if it was finished."""
        return None

    def finish(self, part: str, done: PartResult) -> None:
        """A part is finished."""

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """Latest stage of a descent, with its result so far."""
        return None

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """A descent is here."""


class NoJournal(Journal):
    """Notes nothing."""


class Chapter(Journal):
    """A part of a journal: what stands here has `name` before it.

    A search that consists of searches gives each its own.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal, self._name = journal, name

    def finished(self, part: str) -> PartResult | None:
        """See `Journal`."""
        return self._journal.finished(f"{self._name}: {part}")

    def finish(self, part: str, done: PartResult) -> None:
        """See `Journal`."""
        self._journal.finish(f"{self._name}: {part}", done)

    def stage(self, part: str) -> tuple[DescentState, PartResult] | None:
        """See `Journal`."""
        return self._journal.stage(f"{self._name}: {part}")

    def note(self, part: str, stage: DescentState, done: PartResult) -> None:
        """See `Journal`."""
        self._journal.note(f"{self._name}: {part}", stage, done)


Task = Mapping[str, Any]

FORMAT = 1


def state_text(task: Task, parts: Mapping[str, Any]) -> str:
    """The text that is written: the task, and the parts of it that are done."""
    return sealed({"pliant_checkpoint": FORMAT, "task": task, **parts})


def read_state(path: Path, task: Task, parts: tuple[str, ...]) -> list[dict[str, Any]]:
    """The parts of `task` that are done, one mapping for each of `parts`.

    Raises:
        PliantError: the file is not a checkpoint, or one of another task; the error says what differs.
    """
    try:
        state = read_sealed(path)
    except PliantError as error:
        if error.field == SEAL:
            raise
        state = {}
    there: Task = state.get("task", {})
    done: list[Any] = [state.get(part, {}) for part in parts]
    if state.get("pliant_checkpoint") != FORMAT or not all(isinstance(d, dict) for d in done):
        raise PliantError(
            "is not a checkpoint",
            file=path,
            accepted="a name that is free, or a file that an interrupted search left",
        )
    differs = differences(json.loads(json.dumps(task)), there)
    if differs:
        raise PliantError(
            "is the checkpoint of another search",
            file=path,
            found="; ".join(differs),
            accepted="the same command, another file, or none (delete it to begin anew)",
        )
    return done


def differences(asked: Any, there: Any, name: str = "") -> list[str]:
    """Differences between the task asked for and the one in the file: "search.seed 2, there 1"."""
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
