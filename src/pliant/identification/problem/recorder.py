"""Numbers of a recording that are not the actuator's: age of its positions, supply, temperature.

A bus that is read late, a clock that is stamped early, a battery that is half empty, a cold room: they
belong to the recording. What of them all recordings share, an actuator has in its own numbers: late
positions look like late commands, a weak supply like a weak motor. So only differences between recordings
are found (`recorded_apart`), and of new recordings of an actuator that stays as it is the age (`ages`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from pliant.assemble import Actuator
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.simulation import AnyLog
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.io.table import AMBIENT, ZERO_CELSIUS
from pliant.words import counted

METER = 0.05
"""Relative error, at most, of the ratio of two readings of one voltmeter: its step is 0.1 V of some 7."""
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
        low, high: bounds of its value. put: a log and a value to the log with it.
        said: a value in words. meter: reading of the same thing in a log, or None.
        read: whether a log is simulated with its own reading of it, so that nothing is to be found.
    """

    name: str
    neutral: float
    low: float
    high: float
    put: Callable[[Log, float], Log]
    said: Callable[[float], str]
    meter: Callable[[Log], float | None] = _unmetered
    read: Callable[[Log], bool] = _unread


def _older(age: float) -> str:
    return f"positions {1e3 * abs(age):.1f} ms {'older' if age > 0.0 else 'younger'}"


AGE = Part("age", 0.0, -0.04, 0.04, younger, _older)
"""[s] by which positions are older than the times beside them."""


def _unchanged(log: Log, _factor: float) -> Log:
    """A log that does not say how a value is put into it."""
    return log


def _of_supply(factor: float) -> str:
    return f"supply {100 * (factor - 1.0):+.1f} %"


SUPPLY = Part("supply", 1.0, 0.8, 1.25, _unchanged, _of_supply)
"""Factor of the supply, without how a log is given one."""


def _warmer(rise: float) -> str:
    return f"{abs(rise):.0f} K {'warmer' if rise > 0.0 else 'colder'}"


TEMPERATURE = Part("temperature", 0.0, -30.0, 30.0, _unchanged, _warmer)
"""[K] above the actuator's, without how a log is given one."""
PARTS = {part.name: part for part in (AGE, SUPPLY, TEMPERATURE)}
"""All of them by name."""


def _reads_warmth(log: Log) -> bool:
    return log.warmth is not None


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

        found.append(replace(TEMPERATURE, put=with_ambient, read=_reads_warmth))
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
