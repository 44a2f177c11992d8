"""Groups of recordings that differ in numbers of their own, searched beside those of the actuator.

Each group but that of the most logs has a value of each part, "<part> of <group>"; that one counts as it was
recorded. Their prior is that of all numbers: where they begin, as far from there as values spread evenly
over their range. A voltmeter in the logs narrows the range of the supply to about what it reads.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.mounting import AUTO, MOUNTINGS, mountings
from pliant.identification.problem.recorder import AGE, METER, PARTS, Part
from pliant.identification.problem.residuals import LOST, Residuals
from pliant.identification.problem.simulation import LogT, Samples
from pliant.identification.problem.space import Space
from pliant.io.log import Log

SHOWN = 3
"""Values of one part that a line names."""


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


def recorder_kind(logs: Sequence[LogT], recorder_by: str | None) -> str | None:
    """The property that logs of one recorder share; None where there are not two groups of it.

    By itself the day, where all have one, and only where each day has logs at a gain and load that
    another has too: what is wrong with a model at one gain would look like a supply.
    """
    given = cast("Sequence[Log]", logs)
    if recorder_by != AUTO:
        return recorder_by if recorder_by and len(mountings(given, recorder_by)) > 1 else None
    days = mountings(given, "day")
    if len(days) < 2 or "" in days:
        return None
    each = [{(given[k].gain, given[k].mass, given[k].length) for k in own} for own in days.values()]
    others = [set[Any]().union(*(b for b in each if b is not a)) for a in each]
    return "day" if all(a & b for a, b in zip(each, others, strict=True)) else None


def with_parts(space: Space, parts: Sequence[Part], logs: Sequence[LogT], by: str) -> Space:
    """A space with a value of each part for each group but that of the most logs."""
    given = cast("Sequence[Log]", logs)
    groups = mountings(given, by)
    reference = max(groups, key=lambda group: len(groups[group]))
    boxes: dict[str, tuple[float, float, float]] = {}
    for part in parts:
        if all(part.read(log) for log in given):
            continue
        read = {g: _reading(part, [given[k] for k in own]) for g, own in groups.items()}
        for group in groups:
            if group != reference:
                boxes[f"{part.name} of {group}"] = _box(part, read[group], read[reference])
    ends = zip(*boxes.values(), strict=True) if boxes else ((), (), ())
    low, high, start = (
        np.append(mine, np.array(more))
        for mine, more in zip((space.low, space.high, space.start), ends, strict=True)
    )
    return Space((*space.names, *boxes), low, high, start)


def _reading(part: Part, logs: Sequence[Log]) -> float | None:
    """Mean over the logs of what a meter in them says of a part; None: in none of them."""
    readings = [x for log in logs if (x := part.meter(log)) is not None]
    return float(np.mean(readings)) if readings else None


def _box(part: Part, read: float | None, reference: float | None) -> tuple[float, float, float]:
    """Bounds and start of a group's value, its meter and that of the group it is compared with known or not."""
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
    """The parts with a value for each group, of values of a space; those that it has none of are left out."""
    groups = mountings(cast("Sequence[Log]", logs), by)
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
    """Residuals of candidates whose recordings have a value of each part for each group.

    The age is that of the simulated positions: what was measured stays as it is.

    Args:
        residuals: logs and the space of the actuator's own numbers to their residuals.
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
    """Residuals (M,) with the simulated positions of each block so much older [s]: ages (B,)."""
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
