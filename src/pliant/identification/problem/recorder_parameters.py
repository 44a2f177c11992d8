"""Nuisance parameters of a recorder: sampling delay (age) of its positions, supply, temperature.

A late bus read, an early time stamp, a half-empty battery, a cold room: these belong to the recording. The part that
all recordings share cannot be told from the actuator's own parameters: late positions look like late commands, a weak
supply like a weak motor. So a fit searches only differences between groups of recordings; for new recordings,
`nuisances` finds the age while the actuator is kept as it is.

Each group has a parameter "<part> of <group>", except the group with the most logs: that is the reference and is taken
as recorded. The prior is the usual one: mean at the starting value, deviation of a uniform distribution over the range.
A voltmeter in the logs narrows the range of the supply to about its reading.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.identification.problem.mounting_offsets import MOUNTINGS, mountings
from pliant.identification.problem.residuals import LOST, Residuals
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.simulation import AnyLog, LogT, Samples
from pliant.identification.problem.space import Space
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.io.table import AMBIENT, ZERO_CELSIUS
from pliant.words import counted

METER = 0.05
"""Largest relative error of the ratio of two readings of one voltmeter, whose step is 0.1 V of some 7."""
STILL, NEAR, SAMPLES = 0.05, 0.02, 5
"""[rad/s], [rad] and samples: a servo this slow, this near its goal, for this long draws almost no current."""


@dataclass(frozen=True)
class Part:
    """A number that belongs to the recording.

    Attributes:
        name: "age", "supply" or "temperature". neutral: of a log as it was recorded.
        low, high: bounds of its value. unit: factor from SI to the unit that is shown, and its name.
        put: a log and a value to the log with it.
        said: a value in words. meter: reading of the same thing in a log, or None.
        read: whether a log is simulated with its own reading, so that nothing needs to be estimated.
    """

    name: str
    neutral: float
    low: float
    high: float
    unit: tuple[float, str]
    put: Callable[[Log, float], Log]
    said: Callable[[float], str]
    meter: Callable[[Log], float | None] = lambda _log: None
    read: Callable[[Log], bool] = lambda _log: False


def _older(age: float) -> str:
    return f"positions {1e3 * abs(age):.1f} ms {'older' if age > 0.0 else 'younger'}"


AGE = Part("age", 0.0, -0.04, 0.04, (1e3, "ms"), younger, _older)
"""[s] by which positions are older than the times beside them."""


def _unchanged(log: Log, _value: float) -> Log:
    """Placeholder for parts without a rule for putting a value into a log."""
    return log


SUPPLY = Part(
    "supply",
    1.0,
    0.8,
    1.25,
    (100.0, "%"),
    _unchanged,
    lambda factor: f"supply {100 * (factor - 1.0):+.1f} %",
)
"""Factor of the supply, without the rule for putting it into a log."""


def _warmer(rise: float) -> str:
    return f"{abs(rise):.0f} K {'warmer' if rise > 0.0 else 'colder'}"


TEMPERATURE = Part("temperature", 0.0, -30.0, 30.0, (1.0, "K"), _unchanged, _warmer)
"""[K] above the actuator's, without the rule for putting it into a log."""
PARTS = {part.name: part for part in (AGE, SUPPLY, TEMPERATURE)}
"""All of them by name."""


def parts(actuators: Mapping[str, Actuator], *, measured: bool) -> list[Part]:
    """Parts that may differ between recordings of a joint on a bench, or of a robot: supply as a factor, temperature in K.

    Args:
        actuators: joint to actuator; "" on a bench. measured: the supply is that of the recordings, so that it is known.
    """
    found = [AGE]
    driven = [one for one in actuators.values() if "motor.R" in one.fields]
    if driven and not measured:
        stated = driven[0].value("own.voltage")
        put, meter = partial(_with_supply, stated), partial(_metered, stated)
        found.append(replace(SUPPLY, put=put, meter=meter))
    if "" in actuators and AMBIENT in actuators[""].fields:
        put = partial(_with_ambient, actuators[""].value(AMBIENT))
        found.append(replace(TEMPERATURE, put=put, read=_reads_warmth))
    return found


def _with_supply(stated: float, log: Any, factor: float) -> Any:
    if isinstance(log, RobotLog):
        return replace(log, supply_ratio=factor * log.supply_ratio)
    return replace(log, supply=factor * (log.supply or stated))


def _metered(stated: float, log: Log | RobotLog) -> float | None:
    """Reading at rest, over the supply of a bench's log; of a robot's only ratios to others count."""
    idle = idle_voltage(log)
    own = 1.0 if isinstance(log, RobotLog) else log.supply or stated
    return None if idle is None else idle / own


def _with_ambient(own: float, log: Log, warmer: float) -> Log:
    return replace(log, ambient=warmer + (own if log.warmth is None else log.warmth))


def _reads_warmth(log: Log) -> bool:
    return log.warmth is not None


def winding_start_message(actuators: Mapping[str, Actuator], logs: Sequence[AnyLog]) -> str:
    """Message about logs whose windings start at the servo's own temperature reading; "" if none do.

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


def idle_voltage(log: Log | RobotLog) -> float | None:
    """[V] measured while all commanded joints rest at their goals; None if not measured, or they never rest."""
    if isinstance(log, RobotLog):
        voltage, told = log.supply, [log.commanded(joint) for joint in log.joints]
    else:
        voltage, told = log.voltage, [log.driven == "goal"]
    if voltage is None or not any(told):
        return None
    columns = (
        one.reshape(len(log.time), -1)[:, told] for one in (log.position, log.goal, log.enabled)
    )
    position, goal, enabled = columns
    still = np.abs(np.gradient(position, log.time, axis=0)) < STILL
    idle = (still & (np.abs(goal - position) < NEAR) & enabled).all(axis=1)
    return float(np.median(voltage[idle])) if int(idle.sum()) >= SAMPLES else None


SHOWN = 3
"""Groups whose values are named in one line."""


@dataclass(frozen=True)
class Apart:
    """Values of one part of the recordings, group by group.

    Attributes:
        part: "age", "supply" or "temperature". by: what the logs of a group share.
        values: group to its value: [s], a factor, [K].
    """

    part: str
    by: str
    values: Mapping[str, float]


def with_parts(
    space: Space, parts: Sequence[Part], logs: Sequence[LogT], by: str, *, absolute: str = ""
) -> Space:
    """A space with a value of each part for each group; the group with the most logs has only `absolute`."""
    given = cast("Sequence[Log]", logs)
    groups = mountings(given, by)
    reference = max(groups, key=lambda group: len(groups[group]))
    boxes: dict[str, tuple[float, float, float]] = {}
    for part in parts:
        if all(part.read(log) for log in given):
            continue
        read = {g: _reading(part, [given[k] for k in own]) for g, own in groups.items()}
        for group in groups:
            if group != reference or part.name == absolute:
                boxes[f"{part.name} of {group}"] = _box(part, read[group], read[reference])
    return Space.of(space.boxes() | boxes)


def _reading(part: Part, logs: Sequence[Log]) -> float | None:
    """Mean reading of a part over the logs that have a meter for it; None: no log has one."""
    readings = [x for log in logs if (x := part.meter(log)) is not None]
    return float(np.mean(readings)) if readings else None


def _box(part: Part, read: float | None, reference: float | None) -> tuple[float, float, float]:
    """Bounds and start of a group's value, from its meter reading and the reference group's, if both exist."""
    if read is None or reference is None:
        return part.low, part.high, part.neutral
    ratio = float(np.clip(read / reference, part.low, part.high))
    return (1.0 - METER) * ratio, (1.0 + METER) * ratio, ratio


def is_apart(name: str) -> bool:
    """Whether a name of a space is that of a group's value."""
    return name.partition(" of ")[0] in PARTS


def apart_of(
    parts: Sequence[Part], by: str, logs: Sequence[LogT], values: Mapping[str, float]
) -> list[Apart]:
    """The parts with a value for each group, taken from values of a space; parts without values are left out."""
    groups = mountings(logs, by)
    found: list[Apart] = []
    for part in parts:
        names = {group: f"{part.name} of {group}" for group in groups}
        if any(name in values for name in names.values()):
            mine = {group: values.get(name, part.neutral) for group, name in names.items()}
            found.append(Apart(part.name, by, mine))
    return found


def put(part: Part, logs: Sequence[LogT], by: str, values: Mapping[str, float]) -> list[LogT]:
    """Logs with the values of their groups; those of other groups stay."""
    key: Any = MOUNTINGS[by]
    to: Any = part.put
    return [to(log, values[key(log)]) if key(log) in values else log for log in logs]


def put_all(parts: Iterable[Part], found: Iterable[Apart], logs: Sequence[LogT]) -> list[LogT]:
    """Logs with the values of their groups of every part found."""
    known, made = {part.name: part for part in parts}, list(logs)
    for one in found:
        made = put(known[one.part], made, one.by, one.values)
    return made


class ApartResiduals(Residuals):
    """Residuals of candidates that have a value of each part for each group of recordings.

    The age is applied to the simulated positions; the measured ones are not changed.

    Args:
        residuals: builds residuals from logs and the space of the actuator's own numbers.
        logs: as recorded. space: of `with_parts`. parts, by: as for it.
    """

    def __init__(
        self,
        residuals: Callable[[Sequence[Any], Space], Residuals],
        logs: Sequence[LogT],
        space: Space,
        parts: Sequence[Part],
        by: str,
    ) -> None:
        own = [name for name in space.names if not is_apart(name)]
        part = space.part(own)

        def of_logs(some: Sequence[Any]) -> Residuals:
            return residuals(some, part)

        self._of, self._logs, self._parts, self._by = of_logs, list(logs), parts, by
        self._plain = of_logs(logs)
        self._own = [space.names.index(name) for name in own]
        self.samples, self.space = self._plain.samples, space
        self.steps = self.evaluations = 0
        key: Any = MOUNTINGS[by]
        self._groups = [key(log) for log in logs]
        self._blocks = (len(self.samples.starts) - 1) // len(logs)

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        out = np.empty((len(points), len(self.samples.measured)))
        found = [apart_of(self._parts, self._by, self._logs, self.space.values(p)) for p in points]
        put_in = [[one for one in each if one.part != AGE.name] for each in found]
        for k, laid in enumerate(put_in):
            if laid in put_in[:k]:
                continue
            mine = [i for i, other in enumerate(put_in) if other == laid]
            rows, back = np.unique(points[mine][:, self._own], axis=0, return_inverse=True)
            moved = laid != self._neutral(laid)
            logs = put_all(self._parts, laid, self._logs) if moved else self._logs
            part = self._of(logs) if moved else self._plain
            before = part.steps
            out[mine] = part(rows)[np.ravel(back)]
            self.steps += part.steps - before
        for k, each in enumerate(found):
            for one in each:
                if one.part == AGE.name:
                    ages = np.array([one.values[group] for group in self._groups])
                    out[k] = aged(out[k], self.samples, np.repeat(ages, self._blocks))
        self.evaluations += len(points)
        return np.clip(out, -LOST, LOST)

    def _neutral(self, laid: Sequence[Apart]) -> list[Apart]:
        known = {part.name: part.neutral for part in self._parts}
        return [Apart(x.part, x.by, dict.fromkeys(x.values, known[x.part])) for x in laid]


def aged(residual: Floats, samples: Samples, ages: Floats) -> Floats:
    """Residuals (M,) with the simulated positions of each block delayed by its age (B,) [s]."""
    out = residual.copy()
    for age, begin, end in zip(ages, samples.starts[:-1], samples.starts[1:], strict=True):
        if age != 0.0:
            time, measured = samples.time[begin:end], samples.measured[begin:end]
            motion = residual[begin:end] + measured
            out[begin:end] = np.interp(time - age, time, motion) - measured
    return out


def in_words(found: Apart) -> str:
    """The difference in words: "recordings differ by day: positions 8.0 ms older (2026-08-13)"."""
    part = PARTS[found.part]
    told = [(name, x) for name, x in found.values.items() if abs(x - part.neutral) > 1e-9]
    far = sorted(told, key=lambda one: -abs(one[1] - part.neutral))[:SHOWN]
    listed = ", ".join(f"{part.said(x)} ({name})" for name, x in told if (name, x) in far)
    more = f" and {len(told) - len(far)} more" if len(told) > len(far) else ""
    return f"recordings differ by {found.by}: {listed or f'not in {part.name}'}{more}"
