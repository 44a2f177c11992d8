"""Mounting offsets of a bench: each mounting of it has an encoder zero of its own.

The zero is the recording's, not the servo's. In a fit it is searched beside the actuator's parameters, one for each
mounting, and then stands in the logs (`Log.zero`). For an actuator that stays as it is, `find_zeros` finds it:

    1. the error of each half of each log at zeros over the whole range, then closer around the best
    2. how far the halves disagree on it

It is taken only where it is far from the zero given, compared with that: a recording of the actuator's own mounting
keeps that of its file.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.simulation import AnyLog
from pliant.identification.problem.space import BENCH, Space
from pliant.io.log import Log
from pliant.words import counted

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


MOUNTINGS: dict[str, Callable[[Any], str]] = {
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


POINTS = 41
"""Zeros tried at once, over the range, then around the best."""
ROUNDS = 3
CLEAR = 3.0
"""Standard errors by which the zero must be another."""
GAIN, LEAST = 0.02, 2e-4
"""Share and amount [rad] by which the error must fall."""


@dataclass(frozen=True)
class ZeroFound:
    """The zero of one mounting.

    Attributes:
        mounting: "0.05m", or `ALL` or `NEW`. logs: how many it has.
        given, zero: [rad] as the actuator's file has it, and as found.
        before, after: [rad] mean error with each.
        spread: [rad] standard error of the zero.
    """

    mounting: str
    logs: int
    given: float
    zero: float
    before: float
    after: float
    spread: float

    @property
    def clear(self) -> bool:
        """Whether the logs show that the given zero is not theirs."""
        lower = self.before - self.after > max(GAIN * self.before, LEAST)
        return lower and abs(self.zero - self.given) > CLEAR * self.spread

    def __str__(self) -> str:
        return (
            f"zero of {self.mounting} ({counted(self.logs, 'log')}): {1e3 * self.zero:.1f} mrad "
            f"instead of {1e3 * self.given:.1f}; error {1e3 * self.before:.1f} -> "
            f"{1e3 * self.after:.1f} mrad"
        )


def find_zeros(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    zero_by: str | None = AUTO,
    given: Mapping[str, float] | None = None,
    settings: JointSettings | None = None,
) -> tuple[list[Log], list[ZeroFound]]:
    """Find the encoder zero of each mounting, with the actuator unchanged.

    Args:
        actuator: as it is. logs: those that have a zero keep it.
        zero_by: what the logs of one mounting share, see `MOUNTINGS`; "auto": length and day where
            they differ, else all logs are of one mounting; None: nothing is found.
        given: mounting to the zero [rad] to compare with; the others have that of the actuator.
        settings: of the joint engine.

    Raises:
        PliantError: no such mounting.
    """
    check_kind("zero_by", zero_by)
    open_ = [log for log in logs if log.zero is None]
    engine = JointEngine(actuator, settings=settings)
    if zero_by is None or not open_ or ZERO not in engine.names:
        return list(logs), []
    kind = mounting_kind(open_) if zero_by == AUTO else zero_by
    groups = mountings(open_, kind) if kind else {ALL: [*range(len(open_))]}
    known = dict(given or {})
    found = [
        _found(engine, name, [open_[k] for k in members], known.get(name))
        for name, members in groups.items()
    ]
    taken = known | {one.mounting: one.zero for one in found if one.clear}
    if kind is None and len(open_) < len(logs):
        found = [replace(one, mounting=NEW) for one in found]
    return _zeroed(logs, kind, taken), found


def _zeroed(logs: Sequence[Log], kind: str | None, zeros: Mapping[str, float]) -> list[Log]:
    kept = {id(log) for log in logs if log.zero is not None}
    kind = kind or next(iter(MOUNTINGS))
    known = zeros if ALL not in zeros else {MOUNTINGS[kind](log): zeros[ALL] for log in logs}
    moved = zeroed(logs, kind, known)
    return [old if id(old) in kept else new for old, new in zip(logs, moved, strict=True)]


def _found(engine: JointEngine, name: str, logs: Sequence[Log], known: float | None) -> ZeroFound:
    given = float(engine.values()[engine.names.index(ZERO)]) if known is None else known
    low, high = BENCH[ZERO]
    at = np.append(np.linspace(low, high, POINTS), given)
    batch = LogBatch(logs, engine)
    errors = _errors(engine, batch, at)
    for _ in range(ROUNDS - 1):
        width = 2.0 * (high - low) / (POINTS - 1)
        best = float(at[int(np.argmin(errors.mean(axis=1)))])
        low, high = best - width, best + width
        more = np.linspace(low, high, POINTS)
        at, errors = np.append(at, more), np.append(errors, _errors(engine, batch, more), axis=0)
    of_all = errors.mean(axis=1)
    k = int(np.argmin(of_all))
    before = float(of_all[POINTS])  # the zero given stands behind the first points
    return ZeroFound(
        name, len(logs), given, float(at[k]), before, float(of_all[k]), _spread(at, errors)
    )


def _errors(engine: JointEngine, batch: LogBatch, zeros: Floats) -> Floats:
    """(Z, 2 L) mean error [rad] of the halves of each log, with each zero."""
    candidates = np.repeat(engine.values()[None], len(zeros), axis=0)
    candidates[:, engine.names.index(ZERO)] = zeros
    positions, _ = engine.batch(candidates, batch)
    parts = batch.per_block(np.abs(np.nan_to_num(positions - batch.measured, nan=10.0)))
    halves = [half.mean(axis=1) for part in parts for half in np.array_split(part, 2, axis=1)]
    return np.array(halves).T


def _spread(at: Floats, errors: Floats) -> float:
    """[rad] Standard error of the zero, from how far the halves of the logs disagree on it."""
    each = at[np.argmin(errors, axis=0)]
    return float(each.std(ddof=1) / np.sqrt(len(each)))
