"""Sampling delay, supply and temperature of new recordings, with the actuators as they are.

`recorders_beside` finds what differs between groups of them; `find_ages` the age of recorded positions:

1. the error of each half of each log with other ages, then closer around the best
2. how far the halves disagree on it

It is taken where it is clearly another than none, as a zero is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification.problem.mounting_offsets import ALL, AUTO, check_kind, day_of
from pliant.identification.problem.posterior import Posterior, expected
from pliant.identification.problem.recorder_parameters import (
    AGE,
    Apart,
    apart_of,
    put_all,
    with_parts,
)
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.search.least_squares import polish
from pliant.io.log import Log
from pliant.words import counted

COARSE, FINE = 17, 9
"""Values tried over the range, then around the best."""
CLEAR = 3.0
"""Standard errors by which it must be another."""
GAIN = 0.05
"""Share by which the error must fall: more than for a zero, because a late command looks alike."""


@dataclass(frozen=True)
class AgeFound:
    """Age of the positions of one day.

    Attributes:
        recorded: day, or `ALL` or `NEW`. logs: how many. age: [s] as found.
        before, after: [rad] mean error without and with it. spread: [s] standard error.
    """

    recorded: str
    logs: int
    age: float
    before: float
    after: float
    spread: float

    @property
    def clear(self) -> bool:
        """Whether the logs show that it is not 0."""
        lower = self.before - self.after > GAIN * self.before
        return lower and abs(self.age) > CLEAR * self.spread

    def __str__(self) -> str:
        return (
            f"recorder of {self.recorded} ({counted(self.logs, 'log')}): {AGE.said(self.age)} than "
            f"where the actuator was fitted; error {1e3 * self.before:.1f} -> "
            f"{1e3 * self.after:.1f} mrad"
        )


def find_ages(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    settings: JointSettings | None = None,
    whose: str = ALL,
) -> tuple[list[Log], list[AgeFound]]:
    """Logs with positions of the times beside them, and what was found; nothing of the actuator moves.

    Args:
        actuator: as it is. logs: of one day or several. settings: of the joint engine.
        whose: what logs of one day are called.
    """
    engine = JointEngine(actuator, settings=settings)
    return ages_found(logs, day_of, lambda some, ages: _errors(engine, some, ages), whose=whose)


def ages_found(
    logs: Sequence[LogT],
    group_of: Callable[[LogT], str],
    errors: Callable[[Sequence[LogT], Floats], Floats],
    *,
    whose: str = ALL,
) -> tuple[list[LogT], list[AgeFound]]:
    """Logs with positions of the times beside them, where that is clear, and what was found of each group.

    Args:
        logs: as recorded. group_of: log to the recorder that it shares.
        errors: logs and (A,) ages [s] to the mean error (A, 2 L) [rad] of the halves of each.
        whose: what logs of one group are called.
    """
    groups = list(dict.fromkeys(map(group_of, logs)))
    made, found = list(logs), list[AgeFound]()
    for group in groups:
        places = [k for k, log in enumerate(logs) if group_of(log) == group]
        name = group if len(groups) > 1 and group else whose
        one = _found(name, [logs[k] for k in places], errors)
        found.append(one)
        for k in places if one.clear else ():
            made[k] = younger(logs[k], one.age)
    return made, found


def _found(
    name: str, logs: Sequence[LogT], errors: Callable[[Sequence[LogT], Floats], Floats]
) -> AgeFound:
    ages = _around()
    each = errors(logs, ages)
    more = _around(float(ages[int(np.argmin(each.mean(axis=1)))]))
    ages, each = np.append(ages, more), np.append(each, errors(logs, more), axis=0)
    of_all = each.mean(axis=1)
    k = int(np.argmin(of_all))
    best = ages[np.argmin(each, axis=0)]
    spread = float(best.std(ddof=1) / np.sqrt(len(best)))
    return AgeFound(name, len(logs), float(ages[k]), float(of_all[0]), float(of_all[k]), spread)


def _around(value: float | None = None) -> Floats:
    """Ages to try: none first, over the range, or close to one."""
    if value is None:
        return np.append(0.0, np.linspace(AGE.low, AGE.high, COARSE))
    width = (AGE.high - AGE.low) / (COARSE - 1)
    return np.linspace(value - width, value + width, FINE)


def _errors(engine: JointEngine, logs: Sequence[Log], ages: Floats) -> Floats:
    """(A, 2 L) mean error [rad] of the halves of each log, with positions of each age."""
    rows: list[list[float]] = []
    for age in ages.tolist():
        batch = LogBatch([younger(log, age) for log in logs], engine)
        positions, _ = engine.batch(engine.values()[None], batch)
        off = np.abs(np.nan_to_num(positions[0] - batch.measured, nan=10.0))
        halves = [half for part in batch.per_block(off) for half in np.array_split(part, 2)]
        rows.append([float(half.mean()) for half in halves])
    return np.array(rows)


JACOBIANS = 12


def recorders_beside(
    rig: Rig[LogT], logs: Sequence[LogT], recorder_by: str | None = AUTO
) -> tuple[list[LogT], list[Apart]]:
    """Logs without what differs between their recorders, and what that is; nothing of the actuators moves.

    The group of the most logs counts as it was recorded.

    Args:
        rig: the joint or robot as it is. logs: new to it.
        recorder_by: what logs of one recorder share; "auto": the day.

    Raises:
        PliantError: no such property of recordings.
    """
    check_kind("recorder_by", recorder_by)
    by, none = rig.recorder_kind(logs, recorder_by), np.empty(0)
    parts = rig.recorder_parts()
    space = with_parts(Space((), none, none, none), parts, logs, by) if by else None
    if by is None or space is None or not space.names:
        return list(logs), []
    work = rig.one_by_one().coarse()
    goal = Posterior(work.apart(by).residuals(logs, space), expected(space))
    end = polish(goal, space.to_cube(space.start), JACOBIANS)
    found = apart_of(parts, by, logs, space.values(end))
    return put_all(parts, found, logs), found
