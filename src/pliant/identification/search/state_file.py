"""A file that an interrupted piece of work leaves, so that the same work continues.

Plain JSON, written whole. It names its task, and is refused by any other.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pliant.errors import PliantError
from pliant.io.search_state import SEAL, read_sealed, sealed

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
