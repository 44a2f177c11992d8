"""Logs of a bench that was mounted anew in between: each mounting has a zero of its own.

The zero is the recording's, not the servo's: it is searched beside the actuator's parameters, one for
each mounting, and then stands in the logs (`Log.zero`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.simulation import AnyLog
from pliant.identification.problem.space import BENCH, Space
from pliant.io.log import Log

ZERO = "plant.position_offset"
AUTO = "auto"
"""By length and day, where the logs differ in them."""
ALL, NEW = "all logs", "new logs"
"""Logs that are not distinguished: all that were given, and those of them whose recording is not known yet."""
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


MOUNTINGS: dict[str, Callable[[Log], str]] = {
    "length": HOLD_OUT["length"],
    "mass": lambda log: f"{log.mass:g}kg",
    "load": HOLD_OUT["load"],
    "day": day_of,
    "length+day": lambda log: f"{log.length:g}m {day_of(log)}",
    "folder": folder_of,
    "log": name_of,
}
"""Properties that logs of one mounting may share."""


def check_kind(field: str, kind: str | None) -> None:
    """Refuse a property that logs do not have.

    Raises:
        PliantError: it is none of `MOUNTINGS`.
    """
    if kind not in (None, AUTO, *MOUNTINGS):
        said = "is not a mounting" if field.endswith("zero_by") else "is no property of recordings"
        raise PliantError(said, field=field, found=kind, accepted=[AUTO, *MOUNTINGS, "none"])


def mounting_kind(logs: Sequence[Log]) -> str | None:
    """The kind of mounting in which logs differ: length, day or both; None if in neither."""
    apart = [kind for kind in ("length", "day") if len({MOUNTINGS[kind](log) for log in logs}) > 1]
    return "+".join(apart) or None


def mountings(logs: Sequence[Log], zero_by: str) -> dict[str, list[int]]:
    """Mounting to its logs, by their places."""
    found: dict[str, list[int]] = {}
    for k, log in enumerate(logs):
        found.setdefault(MOUNTINGS[zero_by](log), []).append(k)
    return found


def zeroed(logs: Sequence[Log], zero_by: str, zeros: Mapping[str, float]) -> list[Log]:
    """The logs with the zeros [rad] of their mountings; those without a known one stay."""
    key = MOUNTINGS[zero_by]
    return [replace(log, zero=zeros.get(key(log), log.zero)) for log in logs]


def with_zeros(space: Space, names: Sequence[str]) -> Space:
    """A space with the zero of each mounting instead of a single one.

    Raises:
        PliantError: the single one is not searched.
    """
    if ZERO not in space.names:
        raise PliantError(
            "must be searched to find a zero for each mounting",
            field="zero_by",
            found=ZERO,
        )
    begun = float(space.start[space.names.index(ZERO)])
    rest = space.part([name for name in space.names if name != ZERO])
    low, high = (
        np.append(end, [BENCH[ZERO][k]] * len(names)) for k, end in enumerate((rest.low, rest.high))
    )
    start = np.append(rest.start, [begun] * len(names))
    every = (*rest.names, *(OF + name for name in names))
    return Space(every, low, high, np.clip(start, low, high))


class MountedEngine:
    """A joint engine whose candidates have a zero for each mounting.

    Attributes:
        names: of a candidate's numbers, the zeros last.

    Args:
        engine: of the joint. logs: laid out by the samples that `batch` is asked for.
        zero_by: what the logs of a mounting share. known: names in the space, some of zeros.
    """

    def __init__(
        self, engine: JointEngine, logs: Sequence[Log], zero_by: str, known: Sequence[str]
    ) -> None:
        self._engine, self._column = engine, engine.names.index(ZERO)
        groups = mountings(logs, zero_by)
        self.names = [*engine.names, *(name for name in known if name.startswith(OF))]
        self._parts = [
            (self._place(name), members, LogBatch([logs[k] for k in members], engine))
            for name, members in groups.items()
        ]

    def _place(self, mounting: str) -> int:
        """Column of a mounting's zero; that of the single one where it has none."""
        name = OF + mounting
        return self.names.index(name) if name in self.names else self._column

    def values(self) -> Floats:
        """(P,) the joint as it was given."""
        given = self._engine.values()
        return np.append(given, [given[self._column]] * (len(self.names) - len(given)))

    def batch(self, values: Floats, samples: LogBatch) -> tuple[Floats, int]:
        """(C, P) candidates to (C, M) positions, and how many steps that took."""
        out, steps = np.empty((len(values), len(samples.time))), 0
        begins, ends = samples.starts[:-1], samples.starts[1:]
        for place, members, logs in self._parts:
            own = values[:, : len(self._engine.names)].copy()
            own[:, self._column] = values[:, place]
            positions, more = self._engine.batch(own, logs)
            for k, part in zip(members, logs.per_block(positions), strict=True):
                out[:, begins[k] : ends[k]] = part
            steps += more
        return out, steps
