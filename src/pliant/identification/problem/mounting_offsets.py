"""Mounting offsets of a bench: each mounting of it has an encoder zero of its own.

The zero is the recording's, not the servo's. In a fit it is searched beside the actuator's parameters, one for each
mounting, and then stands in the logs (`Log.zero`). For an actuator that stays as it is, `nuisances` finds it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import PliantError
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.simulation import AnyLog
from pliant.identification.problem.space import BENCH, Space
from pliant.io.log import Log

ZERO = "plant.position_offset"
AUTO = "auto"
"""By length and day, where the logs differ in them."""
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
"""Properties that logs of one mounting may share."""


def check_kind(field: str, kind: str | None) -> None:
    """Refuse a property that logs do not have.

    Raises:
        PliantError: it is none of `MOUNTINGS`.
    """
    offered = [AUTO, *(one for one in MOUNTINGS if one != ALL)]
    if kind not in (None, *offered):
        said = "is not a mounting" if field.endswith("zero_by") else "is no property of recordings"
        raise PliantError(said, field=field, found=kind, accepted=[*offered, "none"])


def mounting_kind(logs: Sequence[Log]) -> str | None:
    """The kind of mounting in which logs differ: length, day or both; None if in neither."""
    apart = [kind for kind in ("length", "day") if len({MOUNTINGS[kind](log) for log in logs}) > 1]
    return "+".join(apart) or None


def mountings(logs: Sequence[AnyLog], zero_by: str) -> dict[str, list[int]]:
    """Mounting to its logs, by their places."""
    found: dict[str, list[int]] = {}
    for k, log in enumerate(logs):
        found.setdefault(MOUNTINGS[zero_by](log), []).append(k)
    return found


def zeroed(logs: Sequence[Log], zero_by: str, zeros: Mapping[str, float]) -> list[Log]:
    """The logs with the zeros [rad] of their mountings; those without a known one stay."""
    key = MOUNTINGS[zero_by]
    return [replace(log, zero=zeros.get(key(log), log.zero)) for log in logs]


def with_zeros(space: Space, names: Sequence[str], begun: float) -> Space:
    """A space with the zero of each mounting instead of a single one, begun at one [rad]."""
    rest = space.part([name for name in space.names if name != ZERO])
    low, high = (
        np.append(end, [BENCH[ZERO][k]] * len(names)) for k, end in enumerate((rest.low, rest.high))
    )
    start = np.append(rest.start, [begun] * len(names))
    every = (*rest.names, *(OF + name for name in names))
    return Space(every, low, high, np.clip(start, low, high))
