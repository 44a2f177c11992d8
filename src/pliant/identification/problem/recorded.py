"""Logs as a caller may give them: read already, or named."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pliant.errors import check_kind
from pliant.io.log import Log, read_logs

Recorded = str | Path | Sequence[str | Path]
"""Files of logs, or folders of them."""

_ACCEPTED = "what read_logs returned, or files and folders of logs"


def recorded(logs: Sequence[Log] | Recorded) -> Sequence[Log]:
    """The logs, those that are named read.

    Raises:
        PliantError: one cannot be used, or it is no log.
    """
    if isinstance(logs, str | Path):
        return read_logs(logs)
    check_kind(logs, Iterable, "logs", _ACCEPTED)
    given = list(logs)
    for log in given:
        check_kind(log, (Log, str, Path), "logs", _ACCEPTED)
    named = [log for log in given if isinstance(log, str | Path)]
    return [*(log for log in given if isinstance(log, Log)), *(read_logs(named) if named else ())]
