"""Whole fits that are done, in a file: a sweep that was killed does only what is left.

Searches that are under way keep what they have done in files beside it.
"""

import glob
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pliant.identification.search.checkpoint import Task, digest, read_state, state_text
from pliant.identification.selection.fit_job import JobResult
from pliant.io.output import check_output, write_whole

_RESULTS = TypeAdapter(dict[str, JobResult])


class FinishedJobs:
    """Results of the fits of a sweep, by name.

    Args:
        path: where; what stands there is continued. None keeps nothing.
        task: all that decides what the fits come to.

    Raises:
        PliantError: the place cannot be written, or what stands there is not a checkpoint, or one of
            another sweep; the error says what differs.
    """

    def __init__(self, path: Path | None, task: Task) -> None:
        self.path = path
        self.results: dict[str, JobResult] = {}
        self._task: Task = json.loads(json.dumps(task))
        self._plain: dict[str, dict[str, Any]] = {}
        if path is None:
            return
        check_output(path, overwrite=True)
        if path.exists():
            (self._plain,) = read_state(path, self._task, ("fits",))
            self.results = _RESULTS.validate_python(self._plain)
            return
        for old in searches_of(path):
            old.unlink()
        self._write(path)

    def add(self, name: str, finished: JobResult) -> None:
        """One more; from here on it is on disk.

        Raises:
            PliantError: it cannot be written.
        """
        self.results[name] = finished
        if self.path is not None:
            self._plain[name] = asdict(finished)
            self._write(self.path)

    def searches(self, names: Iterable[str]) -> dict[str, Path]:
        """File for each fit, in which its search may keep what it has done."""
        if self.path is None:
            return {}
        whole = json.dumps(self._task).encode()
        return {
            name: self.path.with_name(
                f"{self.path.name}.search_{digest(whole, name.encode())[:16]}"
            )
            for name in names
        }

    def _write(self, path: Path) -> None:
        write_whole(path, state_text(self._task, {"fits": self._plain}))


def searches_of(path: Path) -> list[Path]:
    """Files of unfinished searches beside a checkpoint."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.search_*"))
