"""Mounting offsets: each mounting of a bench, and each calibration of a robot's joint, has its own encoder zero.

The zero belongs to the recording, not to the servo. A fit searches one for each group of logs ("zero of <group>", for a
robot "<joint>.zero of <group>") together with the actuator's parameters, and then applies it to the logs. If the
actuator is kept as it is, `nuisances` finds the zero.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pliant.errors import PliantError
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.simulation import AnyLog

ZERO = "plant.position_offset"
AUTO = "auto"
"""By length and day, where the logs differ in them; of a robot by day, else by folder."""
ALL = "all"
"""All logs are of one mounting."""
OF = "zero of "
"""Beginning of the name of a mounting's zero."""


def dated(name: str) -> str:
    """The date in the name of a recording; else nothing."""
    date = re.search(r"\d{4}-\d{2}-\d{2}|20\d{6}", name)
    return date[0] if date else ""


def day_of(log: AnyLog) -> str:
    """Day of the recording, where its name has a date; else nothing."""
    return dated(log.name)


def folder_of(log: AnyLog) -> str:
    """Folder of the recording, where it was read from a file; else nothing."""
    path: Path | None = getattr(log, "path", None)
    return "" if path is None else path.parent.name


def name_of(log: AnyLog) -> str:
    """Name of the recording."""
    return log.name


MOUNTINGS: dict[str, Callable[[Any], str]] = {
    "length": HOLD_OUT["length"],
    "mass": lambda log: f"{log.mass:g}kg",
    "load": HOLD_OUT["load"],
    "day": day_of,
    "length+day": lambda log: f"{log.length:g}m {day_of(log)}",
    "folder": folder_of,
    "log": name_of,
    ALL: lambda _log: "these logs",
}
"""Properties that logs of one mounting, or of one recorder, may share."""
KINDS = tuple(kind for kind in MOUNTINGS if kind != ALL)
"""Those that can be asked for."""
CALIBRATIONS = ("day", "folder", "log")
"""Those of a robot's recordings."""


def check_kind(field: str, kind: str | None, offered: Sequence[str] = KINDS) -> None:
    """Refuse a property that logs do not have.

    Raises:
        PliantError: it is none of those `offered`.
    """
    if kind not in (None, AUTO, *offered):
        said = "is not a mounting" if field.endswith("zero_by") else "is no property of recordings"
        said = "is no property of a robot's recordings" if offered is CALIBRATIONS else said
        raise PliantError(said, field=field, found=kind, accepted=[AUTO, *offered, "none"])


def different(logs: Sequence[AnyLog], kinds: Sequence[str]) -> list[str]:
    """The properties in which logs differ."""
    return [kind for kind in kinds if len(mountings(logs, kind)) > 1]


def mountings(logs: Sequence[AnyLog], zero_by: str) -> dict[str, list[int]]:
    """Mounting to its logs, by their places."""
    found: dict[str, list[int]] = {}
    for k, log in enumerate(logs):
        found.setdefault(MOUNTINGS[zero_by](log), []).append(k)
    return found
