"""Nuisance parameters of new recordings: zero of each mounting, sampling delay, supply and temperature of each recorder.

They belong to the recordings, so they are estimated before an actuator is evaluated: one descent to the most likely
values, with the actuators fixed (`posterior`). The prior of a zero is the actuators' own value; of all else, the values
as recorded. The width of the posterior around its maximum gives their uncertainty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.mounting_offsets import AUTO, MOUNTINGS, OF, day_of
from pliant.identification.problem.posterior import Posterior, expected
from pliant.identification.problem.recorder_parameters import (
    AGE,
    PARTS,
    apart_of,
    is_apart,
    put_all,
    with_parts,
)
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import Space
from pliant.identification.search.least_squares import GAIN, curvature, polish

JACOBIANS, ROUNDS = 12, 4
ALONG: Floats = np.sort(
    np.concatenate([[0.0], 2.0 ** np.arange(-2, 7), -(2.0 ** np.arange(-2, 7))])
)
"""Distances along an axis, in standard deviations as estimated from the slopes."""
AT_ONCE = 32
"""Candidates whose residuals are held at once: for a day of robot recordings each takes megabytes."""


@dataclass(frozen=True)
class Nuisance:
    """A nuisance parameter of some recordings.

    Attributes:
        name: "zero of 0.05m", "elbow.zero of 2026-01-02", "age of 2026-01-02".
        expected, value: mean of its prior, and most likely value [rad, m; s; K; a factor of the supply].
        std: its standard deviation, in the same unit.
    """

    name: str
    expected: float
    value: float
    std: float

    @property
    def of(self) -> str:
        """Group of its recordings, preceded by the joint if there is one: "elbow.2026-01-02"."""
        return self.name.replace(OF, "") if OF in self.name else self.name.partition(" of ")[2]

    def in_unit(self) -> tuple[float, float, float, str]:
        """Expected, found, standard deviation, and their unit."""
        scale, unit = (
            (1e3, "mrad") if OF in self.name else PARTS[self.name.partition(" of ")[0]].unit
        )
        return scale * self.expected, scale * self.value, scale * self.std, unit

    def __str__(self) -> str:
        before, now, std, unit = self.in_unit()
        return f"{self.name}: {now:.1f} ± {std:.1f} {unit} instead of {before:.1f}"


def nuisances(
    rig: Rig[LogT],
    logs: Sequence[LogT],
    zero_by: str | None,
    recorder_by: str | None,
    zeros: Mapping[str, float] | None = None,
) -> tuple[list[LogT], list[Nuisance]]:
    """Logs with their most likely nuisance parameters, and these.

    Args:
        rig: the joint or robot, unchanged. logs: not used to fit it.
        zero_by: property shared by logs of one mounting, "auto" as in a fit; None: zeros stay.
        recorder_by: property shared by logs of one recorder, "auto" as in a fit; None: recorders are not searched.
        zeros: mounting ("0.05m", "elbow.2026-01-02") to the zero [rad, m] expected; else the actuator's.

    Raises:
        PliantError: recordings have no such property.
    """
    work, own, space = rig.one_by_one().coarse(), rig, Space.of({})
    if zero_by == AUTO:
        zero_by = rig.mounting_kind(logs, AUTO) or rig.whole
    if zero_by is not None:
        own, work = rig.mounted(zero_by), work.mounted(zero_by)
        space = work.mounted_space(space, logs)
        known = {name: (zeros or {}).get(name.replace(OF, "")) for name in space.names}
        space = space.starting_at({name: x for name, x in known.items() if x is not None})
    parts, by = rig.recorder_parts(), None
    if recorder_by is not None:
        by = rig.recorder_kind(logs, recorder_by)
        if by is None:  # only the age, of all logs or of each day
            parts, by = [AGE], recorder_by
            days = {day_of(log) for log in logs}
            if by == AUTO:
                by = "day" if len(days) > 1 and "" not in days else rig.whole
        work = work.apart(by)
        space = with_parts(space, parts, logs, by, absolute=AGE.name)
    if not space.names:
        return list(logs), []
    goal = Posterior(work.residuals(logs, space), expected(space))
    end, std = _lowest(goal, space.to_cube(space.start))
    std = std * (space.high - space.low)
    values = space.values(end)
    recorded = put_all(parts, apart_of(parts, by, logs, values) if by else [], logs)
    if zero_by is not None and rig.one_by_one().coarse() is not rig:
        alone = {name: x for name, x in values.items() if not is_apart(name)}
        before = dict(zip(space.names, map(float, space.start), strict=True))
        values |= confirmed(own, recorded, zero_by, alone, {name: before[name] for name in alone})
    rows = zip(values.items(), space.start, std, strict=True)
    found = [Nuisance(name, float(begun), x, float(s)) for (name, x), begun, s in rows]
    return own.zeroed(recorded, {x.of: x.value for x in found if not is_apart(x.name)}), found


def confirmed(
    rig: Rig[LogT],
    logs: Sequence[LogT],
    zero_by: str,
    found: Mapping[str, float],
    before: Mapping[str, float],
) -> dict[str, float]:
    """Zeros of a robot, found joint by joint, if they reduce the error with all joints together; else unchanged."""

    def errors(zeros: Mapping[str, float]) -> dict[str, float]:
        moved = rig.zeroed(logs, {name.replace(OF, ""): x for name, x in zeros.items()})
        each: dict[str, list[float]] = {}
        for entry in rig.evaluate(moved).entries:
            name = f"{entry.joint}.{OF}{MOUNTINGS[zero_by](entry.log)}"
            each.setdefault(name, []).append(entry.mae)
        return {name: float(np.mean(own)) for name, own in each.items()}

    taken, known = dict(found), errors(before)
    while True:
        now = errors(taken)
        worse = [n for n, x in taken.items() if x != before[n] and now[n] >= known[n]]
        if not worse:
            return taken
        taken |= {name: before[name] for name in worse}


def _lowest(goal: Posterior, at: Floats) -> tuple[Floats, Floats]:
    """(D,) minimum of the cost near a point, and the standard deviation of each parameter there.

    A joint that sticks responds in jumps, so a descent by slopes stops short of the minimum and misjudges the width.
    The cost itself is evaluated along each axis; if that finds a lower point, the descent restarts there.
    """
    for left in reversed(range(ROUNDS)):
        at = polish(goal, at, JACOBIANS)
        here, _, H = curvature(goal, at)
        away = ALONG[:, None] / np.sqrt(np.diag(H))
        away = np.clip(at + away, 0.0, 1.0) - at
        points = (at + away[:, :, None] * np.eye(len(at))).reshape(-1, len(at))
        costs = np.concatenate(
            [goal(points[k : k + AT_ONCE]) for k in range(0, len(points), AT_ONCE)]
        )
        k = int(np.argmin(costs))
        if not left or costs[k] > float(goal.cost(here[None])[0]) - GAIN:
            # The width along its own axis, times the factor by which the other parameters widen it.
            rises = costs.reshape(away.shape) - costs[k]
            density = np.exp(-rises) * np.gradient(away, axis=0)
            alone = np.sqrt(np.sum(density * away**2, axis=0) / np.sum(density, axis=0))
            return at, alone * np.sqrt(np.diag(np.linalg.inv(H)) * np.diag(H))
        at = points[k]
    raise AssertionError  # the last round returns
