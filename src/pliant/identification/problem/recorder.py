"""Numbers of a recording that are not the actuator's: age of its positions, supply, temperature.

A bus that is read late, a clock that is stamped early, a battery that is half empty, a cold room: they
belong to the recording. What of them all recordings share, an actuator has in its own numbers; another
bench has another. For an actuator that stays as it is:

    1. the error of each half of each log with other values, then closer around the best
    2. how far the halves disagree on it

A value is taken where it is clearly another, as a zero is. Of the supply and the temperature only a
difference between recordings is to be had from motion: one that all share looks like another motor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification.problem.mounting import ALL, day_of
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.simulation import AnyLog, LogT
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.io.temperature import AMBIENT, ZERO_CELSIUS
from pliant.words import counted

COARSE, FINE = 13, 9
"""Values tried over the range, then around the best."""
CLEAR = 3.0
"""Standard errors by which it must be another."""
GAIN = 0.05
"""Share by which the error must fall: more than for a zero, because a late command looks alike."""


METER = 0.03
"""Relative error of a difference between two readings of one voltmeter: its step is 0.1 V of some 7."""
STILL, NEAR, SAMPLES = 0.05, 0.02, 5
"""[rad/s], [rad] and samples: so slow, so near its goal and so long, a servo takes next to no current."""


def _unmetered(_log: Log) -> float | None:
    """Nothing in a log measures it."""
    return None


def _unread(_log: Log) -> bool:
    """No log says it by itself."""
    return False


@dataclass(frozen=True)
class Part:
    """A number that belongs to the recording.

    Attributes:
        name: "age", "supply" or "temperature". neutral: of a log as it was recorded.
        low, high: of the values tried. put: a log and a value to the log with it.
        apart: values of groups of logs to what is not shared by all.
        said: a value in words. meter: reading of the same thing in a log, or None.
        read: whether a log is simulated with its own reading of it, so that nothing is to be found.
    """

    name: str
    neutral: float
    low: float
    high: float
    put: Callable[[Log, float], Log]
    apart: Callable[[Floats], Floats]
    said: Callable[[float], str]
    meter: Callable[[Log], float | None] = _unmetered
    read: Callable[[Log], bool] = _unread

    def around(self, value: float | None = None) -> Floats:
        """Values to try: the neutral one first, over the range, or close to a value."""
        if value is None:
            every = np.linspace(self.low, self.high, COARSE)
            return np.append(self.neutral, every[np.abs(every - self.neutral) > 1e-9])
        width = (self.high - self.low) / (COARSE - 1)
        return np.linspace(value - width, value + width, FINE)

    @property
    def step(self) -> float:
        """Between two values tried close to the best: a difference is not known better."""
        return 2.0 * (self.high - self.low) / (COARSE - 1) / (FINE - 1)


def _older(age: float) -> str:
    return f"positions {1e3 * abs(age):.1f} ms {'older' if age > 0.0 else 'younger'}"


AGE = Part(
    "age", 0.0, -0.02, 0.04, younger, lambda ages: ages - np.min(ages), _older
)  # fmt: skip
"""[s] by which positions are older than the times beside them; an actuator of a slower bench asks for
one below 0. The youngest recorder counts as none: what all share is in the actuator's delay."""


def _unchanged(log: Log, _factor: float) -> Log:
    """A log that does not say how its supply is put into it."""
    return log


def _of_supply(factor: float) -> str:
    return f"supply {100 * (factor - 1.0):+.1f} %"


SUPPLY = Part("supply", 1.0, 0.8, 1.25, _unchanged, lambda x: x / np.mean(x), _of_supply)
"""Factor of the supply, without how a log is given one. The mean counts as the stated one: what all
recordings share is in the actuator's motor."""


def parts(actuator: Actuator) -> list[Part]:
    """Parts that may differ between recordings of an actuator: supply as a factor, temperature in K."""
    stated = actuator.value("own.voltage")

    def with_supply(log: Log, factor: float) -> Log:
        return replace(log, supply=factor * (log.supply or stated))

    def metered(log: Log) -> float | None:
        idle = idle_voltage(log)
        return None if idle is None else idle / (log.supply or stated)

    found = [AGE]
    if "motor.R" in actuator.fields:
        found.append(replace(SUPPLY, put=with_supply, meter=metered))
    if AMBIENT in actuator.fields:
        own = actuator.value(AMBIENT)

        def with_ambient(log: Log, warmer: float) -> Log:
            return replace(log, ambient=warmer + (own if log.warmth is None else log.warmth))

        found.append(
            Part(
                "temperature",
                0.0,
                -30.0,
                30.0,
                with_ambient,
                lambda x: x - np.mean(x),
                _warmer,
                read=lambda log: log.warmth is not None,
            )
        )
    return found


def warmth_read(actuators: Mapping[str, Actuator], logs: Sequence[AnyLog]) -> str:
    """In words, at which readings of their own the windings start in these logs; "" where none does.

    Args:
        actuators: joint to actuator; "" on a bench. logs: of them.
    """
    warm = [joint for joint, actuator in actuators.items() if AMBIENT in actuator.fields]
    each = [[w for joint in warm if (w := _warmth(log, joint)) is not None] for log in logs]
    read = [one for one in each if one]
    if not read:
        return ""
    starts = [w for one in read for w in one]
    low, high = (end - ZERO_CELSIUS for end in (min(starts), max(starts)))
    return (
        f"windings start at the servo's own reading in {len(read)} of {counted(len(logs), 'log')}, "
        f"{low:.0f} to {high:.0f} degC"
    )


def _warmth(log: AnyLog, joint: str) -> float | None:
    return log.warmth(joint) if isinstance(log, RobotLog) else cast("Log", log).warmth


def idle_voltage(log: Log) -> float | None:
    """[V] measured while the joint rests at its goal; None where none was, or it never does."""
    if log.voltage is None or log.driven != "goal":
        return None
    slow = np.abs(np.gradient(log.position, log.time)) < STILL
    idle = slow & log.enabled & (np.abs(log.goal - log.position) < NEAR)
    return float(np.median(log.voltage[idle])) if int(idle.sum()) >= SAMPLES else None


def _warmer(rise: float) -> str:
    return f"{abs(rise):.0f} K {'warmer' if rise > 0.0 else 'colder'}"


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
            f"recorder of {self.recorded} ({counted(self.logs, 'log')}): {_older(self.age)} than "
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
    ages = AGE.around()
    each = errors(logs, ages)
    more = AGE.around(float(ages[int(np.argmin(each.mean(axis=1)))]))
    ages, each = np.append(ages, more), np.append(each, errors(logs, more), axis=0)
    of_all = each.mean(axis=1)
    k = int(np.argmin(of_all))
    best = ages[np.argmin(each, axis=0)]
    spread = float(best.std(ddof=1) / np.sqrt(len(best)))
    return AgeFound(name, len(logs), float(ages[k]), float(of_all[0]), float(of_all[k]), spread)


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
