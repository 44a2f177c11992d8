"""Recordings that differ in what is theirs: each group's own recorder delay, supply, temperature.

What all groups share is left to the actuator.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.mounting import AUTO, MOUNTINGS, mountings
from pliant.identification.problem.recorder import AGE, METER, Part
from pliant.identification.problem.residuals import LOST, Residuals
from pliant.identification.problem.simulation import LogT, Samples
from pliant.identification.problem.space import Space
from pliant.io.log import Log

EDGE = 0.01
"""Share of a part's range within which a value is at its end."""


@dataclass(frozen=True)
class Apart:
    """Values of one part of the recordings, group by group.

    Attributes:
        part: "age", "supply" or "temperature". by: what the logs of a group share.
        values: group to its value: [s], a factor, [K].
        before, after: [rad] mean error without and with them, all else fitted anew.
    """

    part: str
    by: str
    values: Mapping[str, float]
    before: float
    after: float


def recorder_kind(logs: Sequence[LogT], recorder_by: str | None) -> str | None:
    """The property that logs of one recorder share; None where there are not two groups of it.

    By itself the day, else the folder, and only where each group has logs at a gain and load that
    another has too: what is wrong with a model at one gain would look like a supply.
    """
    given = cast("Sequence[Log]", logs)
    if recorder_by != AUTO:
        return recorder_by if recorder_by and len(mountings(given, recorder_by)) > 1 else None
    for kind in ("day", "folder"):
        groups = [
            {(given[k].gain, given[k].mass, given[k].length) for k in own}
            for own in mountings(given, kind).values()
        ]
        if len(groups) > 1:
            others = [set[Any]().union(*(b for b in groups if b is not a)) for a in groups]
            return kind if all(a & b for a, b in zip(groups, others, strict=True)) else None
    return None


def put(part: Part, logs: Sequence[LogT], by: str, values: Mapping[str, float]) -> list[LogT]:
    """Logs with the values of their groups; those of other groups stay."""
    key: Any = MOUNTINGS[by]
    to: Any = part.put
    return [to(log, values[key(log)]) if key(log) in values else log for log in logs]


def wide(space: Space, found: Sequence[Part], logs: Sequence[LogT], by: str) -> Space:
    """A space with a value of each part for each group but the first."""
    others = [*mountings(cast("Sequence[Log]", logs), by)][1:]
    names = tuple(value_name(part, group) for part in found for group in others)
    low, high, start = (
        np.append(end, [getattr(part, name) for part in found for _ in others])
        for end, name in ((space.low, "low"), (space.high, "high"), (space.start, "neutral"))
    )
    return Space((*space.names, *names), low, high, start)


def of_groups(
    part: Part, values: Mapping[str, float], logs: Sequence[LogT], by: str
) -> dict[str, float]:
    """Group to its value of a part, the first as it was recorded; of values of a wide space."""
    groups = mountings(cast("Sequence[Log]", logs), by)
    return {group: float(values.get(value_name(part, group), part.neutral)) for group in groups}


def unshared(part: Part, of: Mapping[str, float]) -> dict[str, float]:
    """Group to its value of a part, without what all share."""
    return dict(zip(of, map(float, part.apart(np.array([*of.values()]))), strict=True))


def at_edge(part: Part, values: Mapping[str, float]) -> list[str]:
    """Names of a wide space's values of a part that are at an end of its range."""
    near = EDGE * (part.high - part.low)
    mine = {name: x for name, x in values.items() if name.startswith(f"{part.name} of ")}
    return [name for name, x in mine.items() if not part.low + near < x < part.high - near]


def contradicted(
    part: Part, values: Mapping[str, float], logs: Sequence[LogT], by: str
) -> float | None:
    """Largest difference of the groups' readings, where values contradict these; None: they do not.

    Args:
        part: of the recordings. values: of a wide space. logs, by: as for it.
    """
    groups = mountings(cast("Sequence[Log]", logs), by)
    given = cast("Sequence[Log]", logs)
    every = [[part.meter(given[k]) for k in own] for own in groups.values()]
    readings = [[one for one in own if one is not None] for own in every]
    if not all(readings):
        return None
    read = part.apart(np.array([float(np.mean(own)) for own in readings]))
    found = np.array([*unshared(part, of_groups(part, values, logs, by)).values()])
    off = float(np.max(np.abs(found - read)))
    return float(np.ptp(read)) if off > METER else None


def value_name(part: Part, group: str) -> str:
    """Name of a group's value of a part, in a wide space."""
    return f"{part.name} of {group}"


class Parted(Residuals):
    """Residuals of candidates whose recordings have a value of each part for each group.

    The age is that of the simulated positions: what was measured stays as it is.

    Args:
        residuals: logs to the residuals of the joint's own numbers. logs: as recorded.
        space: of `wide`. own: the joint's part of it. found: the parts. by: what logs of a group share.
        centred: the ages have no mean, so that a delay which was found for all may stay while their
            difference shows.
    """

    def __init__(
        self,
        residuals: Callable[[Sequence[LogT]], Residuals],
        logs: Sequence[LogT],
        space: Space,
        own: Space,
        found: Sequence[Part],
        by: str,
        *,
        centred: bool = False,
    ) -> None:
        self._centred = centred
        self._residuals: Any = residuals
        self._logs: Any = logs
        self._parts, self._by, self._size = found, by, len(own.names)
        self._known: dict[tuple[float, ...], Residuals] = {}
        self.samples, self.space = residuals(logs).samples, space
        self.steps = self.evaluations = 0
        key = MOUNTINGS[by]
        self._group_of = [key(log) for log in cast("Sequence[Log]", logs)]
        laid = [
            value_name(part, group) for part in found if part is not AGE for group in self._group_of
        ]
        self._laid = [name for name in dict.fromkeys(laid) if name in space.names]
        self._blocks = (len(self.samples.starts) - 1) // len(logs)

    def __call__(self, points: Floats) -> Floats:
        """See `Residuals`."""
        out = np.empty((len(points), len(self.samples.measured)))
        values = [self.space.values(point) for point in points]
        kinds = [tuple(one[name] for name in self._laid) for one in values]
        for kind in dict.fromkeys(kinds):
            mine = [k for k, one in enumerate(kinds) if one == kind]
            out[mine] = self._of_logs(values[mine[0]], kind)(points[mine, : self._size])
        for k, one in enumerate(values):
            ages = np.array([one.get(value_name(AGE, group), 0.0) for group in self._group_of])
            out[k] = aged(
                out[k], self.samples, np.repeat(ages - self._centred * ages.mean(), self._blocks)
            )
        self.evaluations += len(points)
        return np.clip(out, -LOST, LOST)

    def _of_logs(self, values: Mapping[str, float], kind: tuple[float, ...]) -> Residuals:
        """Residuals of logs with the supply and temperature of a candidate."""
        if kind not in self._known:
            logs = self._logs
            for part in self._parts:
                if part is not AGE:
                    each = {
                        g: values.get(value_name(part, g), part.neutral)
                        for g in set(self._group_of)
                    }
                    logs = put(part, logs, self._by, each)
            self._known[kind] = self._residuals(logs)
        return self._known[kind]


def aged(residual: Floats, samples: Samples, ages: Floats) -> Floats:
    """Residuals (M,) with the simulated positions of each block so much older [s]: ages (B,)."""
    out = residual.copy()
    for age, begin, end in zip(ages, samples.starts[:-1], samples.starts[1:], strict=True):
        if age != 0.0:
            time, measured = samples.time[begin:end], samples.measured[begin:end]
            motion = residual[begin:end] + measured
            out[begin:end] = np.interp(time - age, time, motion) - measured
    return out


def in_words(part: Part, found: Apart) -> str:
    """The difference in words: "recordings differ by day: positions 8.0 ms older (2026-08-13); error 9.1 -> 2.0 mrad"."""
    told = said_of(part, found.values)
    return f"recordings differ by {found.by}: {told}; error {fall(found.before, found.after)}"


def said_of(part: Part, values: Mapping[str, float], most: int | None = None) -> str:
    """Values of groups in words, `most` of them: those that are farthest from neutral."""
    told = [(name, x) for name, x in values.items() if abs(x - part.neutral) > 1e-9]
    far = sorted(told, key=lambda one: -abs(one[1] - part.neutral))[:most]
    listed = ", ".join(f"{part.said(x)} ({name})" for name, x in told if (name, x) in far)
    more = f" and {len(told) - len(far)} more" if len(told) > len(far) else ""
    return (listed or f"no difference in {part.name}") + more


def fall(before: float, after: float) -> str:
    """Two errors [rad] in words."""
    return f"{1e3 * before:.1f} -> {1e3 * after:.1f} mrad"
