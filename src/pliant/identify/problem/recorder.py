"""Age of the recorder's positions, found for an actuator whose own numbers stay as they are.

A bus that is read late, or a clock that is stamped early, belongs to the recording. What of it an actuator
has in its command delay is that of the bench it was fitted on; another bench has another.

    1. the error of each half of each log with positions of other ages, then closer around the best
    2. how far the halves disagree on it

It is taken where it is clearly another, as a zero is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identify.problem.mounting import day_of
from pliant.identify.problem.sampling import younger
from pliant.io.log import Log
from pliant.words import counted

EARLIEST, OLDEST = -0.02, 0.04
"""[s] Ages tried; an actuator from a slower bench asks for one below 0."""
COARSE, FINE = 13, 9
"""Ages tried over the range, then around the best."""
CLEAR = 3.0
"""Standard errors by which it must not be 0."""
GAIN = 0.05
"""Share by which the error must fall: more than for a zero, because a late command looks alike."""


@dataclass(frozen=True)
class AgeFound:
    """Age of the positions of one day.

    Attributes:
        recorded: day, or "all logs". logs: how many. age: [s] as found.
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
        than = "older" if self.age > 0.0 else "younger"
        return (
            f"recorder of {self.recorded} ({counted(self.logs, 'log')}): positions "
            f"{1e3 * abs(self.age):.1f} ms {than} than where the actuator was fitted; error "
            f"{1e3 * self.before:.1f} -> {1e3 * self.after:.1f} mrad"
        )


def find_ages(
    actuator: Actuator, logs: Sequence[Log], *, settings: JointSettings | None = None
) -> tuple[list[Log], list[AgeFound]]:
    """Logs with positions of the times beside them, and what was found; nothing of the actuator moves.

    Args:
        actuator: as it is. logs: of one day or several. settings: of the joint engine.
    """
    engine = JointEngine(actuator, settings=settings)
    days = list(dict.fromkeys(day_of(log) for log in logs))
    made, found = list(logs), list[AgeFound]()
    for day in days:
        places = [k for k, log in enumerate(logs) if day_of(log) == day]
        name = day if len(days) > 1 and day else "all logs"
        one = _found(engine, name, [logs[k] for k in places])
        found.append(one)
        for k in places if one.clear else ():
            made[k] = younger(logs[k], one.age)
    return made, found


def _found(engine: JointEngine, name: str, logs: Sequence[Log]) -> AgeFound:
    ages = np.linspace(EARLIEST, OLDEST, COARSE)
    ages = np.append(ages[np.abs(ages) > 1e-9], 0.0)
    errors = _errors(engine, logs, ages)
    width = (OLDEST - EARLIEST) / (COARSE - 1)
    best = float(ages[int(np.argmin(errors.mean(axis=1)))])
    more = np.linspace(best - width, best + width, FINE)
    ages = np.append(ages, more)
    errors = np.append(errors, _errors(engine, logs, more), axis=0)
    of_all = errors.mean(axis=1)
    k = int(np.argmin(of_all))
    each = ages[np.argmin(errors, axis=0)]
    spread = float(each.std(ddof=1) / np.sqrt(len(each)))
    before = float(of_all[COARSE - 1])  # the age of 0 stands behind the others of the first points
    return AgeFound(name, len(logs), float(ages[k]), before, float(of_all[k]), spread)


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
