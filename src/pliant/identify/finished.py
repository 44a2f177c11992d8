"""Whole fits that are done, in a file: a sweep that was killed does only what is left."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pliant.identify.state_file import Task, read_state, state_text
from pliant.identify.whole_fit import Finished
from pliant.io.output import check_output, write_whole


class FinishedFits:
    """What each fit of a sweep came to, by name.

    Args:
        path: where; what stands there is continued. None keeps nothing.
        task: all that decides what the fits come to.

    Raises:
        PliantError: the place cannot be written, or what stands there is no checkpoint, or one of
            another sweep; the error says what differs.
    """

    def __init__(self, path: Path | None, task: Task) -> None:
        self.path = path
        self.fits: dict[str, Finished] = {}
        self._task: Task = json.loads(json.dumps(task))
        self._plain: dict[str, dict[str, Any]] = {}
        if path is None:
            return
        check_output(path, overwrite=True)
        if path.exists():
            (self._plain,) = read_state(path, self._task, ("fits",))
            self.fits = {name: Finished(**one) for name, one in self._plain.items()}

    def add(self, name: str, finished: Finished) -> None:
        """One more; from here on it is on disk.

        Raises:
            PliantError: it cannot be written.
        """
        self.fits[name] = finished
        if self.path is not None:
            self._plain[name] = asdict(finished)
            write_whole(self.path, state_text(self._task, {"fits": self._plain}))

    def remove(self) -> None:
        """The sweep is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
