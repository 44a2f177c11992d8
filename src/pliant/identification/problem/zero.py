"""The zero of each mounting, found for an actuator whose own numbers stay as they are.

    1. the error of each half of each log at zeros over the whole range, then closer around the best
    2. how far the halves disagree on it

Only where it is far from the zero given, compared with that, it is taken: a recording of the
actuator's own mounting keeps that of its file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification.problem.mounting import (
    ALL,
    AUTO,
    MOUNTINGS,
    NEW,
    ZERO,
    check_kind,
    mounting_kind,
    mountings,
    zeroed,
)
from pliant.identification.problem.space import BENCH
from pliant.io.log import Log
from pliant.words import counted

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
