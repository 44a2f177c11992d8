"""A file that an interrupted piece of work leaves, so that the same work continues.

Plain JSON, written whole. It says of which task it is, and is refused by any other.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log
from pliant.io.sealed_file import SEAL, read_sealed, sealed

Task = Mapping[str, Any]

FORMAT = 1


def state_text(task: Task, parts: Mapping[str, Any]) -> str:
    """What is written: the task, and what was done of it."""
    return sealed({"pliant_checkpoint": FORMAT, "task": task, **parts})


def read_state(path: Path, task: Task, parts: tuple[str, ...]) -> list[dict[str, Any]]:
    """What was done of `task`, one mapping for each of `parts`.

    Raises:
        PliantError: the file is no checkpoint, or one of another task; the error says what differs.
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
            "is no checkpoint",
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
    """What is asked for and stands there, where they differ: "search.seed 2, there 1"."""
    if isinstance(asked, dict) and isinstance(there, dict):
        a, b = cast("dict[str, Any]", asked), cast("dict[str, Any]", there)
        keys = dict.fromkeys([*a, *b])
        parts = [differences(a.get(k), b.get(k), f"{name}.{k}" if name else k) for k in keys]
        return [word for part in parts for word in part]
    if asked == there:
        return []
    if asked is None or there is None:
        return [f"{name} only {'there' if asked is None else 'here'}"]
    if name == "actuator" or name.startswith(("logs.", "actuators.")):
        return [f"{name} is another"]
    return [f"{name} {asked}, there {there}"]


def digest(*parts: bytes) -> str:
    """SHA-256 of several pieces, each by itself."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def actuator_digest(actuator: Actuator) -> str:
    """Of its file and of the source of its laws: the file only names a law of one's own."""
    laws = [part.path.read_bytes() for part in (actuator.topology, *actuator.laws.values())]
    return digest(actuator_text(actuator).encode(), *laws)


def contents_digest(log: Log) -> str:
    """Of all that a fit sees of a log: a repair, or a constant that was given, changes it."""
    known = [log.time, log.position, log.goal, log.enabled.astype(float)]
    known += [] if log.voltage is None else [log.voltage]
    given = f"{log.mass!r} {log.length!r} {log.arm_mass!r} {log.gain!r} {log.supply!r}"
    return digest(given.encode(), *(np.ascontiguousarray(part).tobytes() for part in known))
