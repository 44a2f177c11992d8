"""Age and supply of a robot's recordings: known from the record of its fit, else found with the robot as it is.

1. recordings of the fit, and others of its days, have what it found for their group
2. in those of other days a difference between days is found, with nothing of the actuators moved
3. and then the age that all recordings of a day have beside those that the actuators were fitted to
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.ages import AgeFound, ages_found
from pliant.identification.problem.mounting import AUTO, dated
from pliant.identification.problem.recorded_apart import Apart, aged, put
from pliant.identification.problem.space import Space
from pliant.identification.recorders import recorders_beside
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.mounted import CALIBRATIONS, calibration_kind
from pliant.identification.robot.rig import RobotRig
from pliant.io.robot_log import RobotLog


@dataclass(frozen=True)
class RobotRecorders:
    """Recordings of a robot with what was put into them.

    Attributes:
        logs: with it. known: parts that the fit's record has of these days, in their order.
        apart: differences between new days. ages: of each new day.
    """

    logs: list[RobotLog]
    known: tuple[str, ...] = ()
    apart: Sequence[Apart] = ()
    ages: Sequence[AgeFound] = ()


def recorded_logs(
    rig: RobotRig,
    logs: Sequence[RobotLog],
    recorder_by: str | None = AUTO,
) -> RobotRecorders:
    """Recordings with the age and supply of their recorder.

    By itself nothing is looked for in recordings of the fit's own days, nor for actuators without a record.

    Args:
        rig: the robot as it is. logs: to judge it by.
        recorder_by: what recordings of one recorder share: "day", "folder", "log"; "auto": the day; None:
            they stay as they were recorded.

    Raises:
        PliantError: recordings of a robot have no such property, or a record's entry is of another type.
    """
    calibration_kind(logs, recorder_by)
    if recorder_by is None:
        return RobotRecorders(list(logs))
    record = next(iter(map(FitRecord.of, rig.actuators.values())))
    made, names = list(logs), list[str]()
    kind = record.recorder_by if record.recorder_by in CALIBRATIONS else None
    seen = [False] * len(made)
    # 1. known from the fit
    if kind is not None and recorder_by in (AUTO, kind):
        for part in rig.recorder_parts():
            values = (record.recorders or {}).get(part.name, {})
            after = put(part, made, kind, values)
            if any(a is not b for a, b in zip(made, after, strict=True)):
                names.append(part.name)
            made = after
            seen = [s or CALIBRATIONS[kind](x) in values for s, x in zip(seen, logs, strict=True)]
    new = [k for k, log in enumerate(logs) if not seen[k] and is_new(rig, log, recorder_by)]
    if not new:
        return RobotRecorders(made, tuple(names))
    # 2. differences between new days
    by = "day" if recorder_by == AUTO else recorder_by
    theirs, apart = recorders_beside(rig, [made[k] for k in new], recorder_by)
    # 3. the age of each
    theirs, ages = ages_found(theirs, CALIBRATIONS[by], lambda some, x: _errors(rig, some, x))
    for k, log in zip(new, theirs, strict=True):
        made[k] = log
    return RobotRecorders(made, tuple(names), apart, ages)


def is_new(rig: RobotRig, log: RobotLog, by: str) -> bool:
    """Whether what belongs to a recording is to be found in it: it is not of the fit.

    By itself ("auto") only where its day is known, and none of those that the actuators were fitted to.
    """
    records = [FitRecord.of(actuator) for actuator in rig.actuators.values()]
    if any(log.digest in one.digests for one in records if log.digest):
        return False
    if by != AUTO:
        return True
    days = {dated(name) for one in records for name in one.logs or {}}
    return bool(days) and dated(log.name) not in {"", *days}


def _errors(rig: RobotRig, logs: Sequence[RobotLog], ages: Floats) -> Floats:
    """(A, 2 L) mean error [rad] of the halves of each log, the simulated positions of each age."""
    none = np.empty(0)
    residuals = rig.one_by_one().coarse().residuals(logs, Space((), none, none, none))
    motion, samples = residuals(np.empty((1, 0)))[0], residuals.samples
    rows: list[Floats] = []
    for age in ages.tolist():
        moved = aged(motion, samples, np.full(len(samples.starts) - 1, age))
        blocks = samples.per_block(np.abs(moved))
        halves = [[half.mean() for half in np.array_split(block, 2)] for block in blocks]
        rows.append(np.array(halves).reshape(len(logs), -1, 2).mean(axis=1).ravel())
    return np.array(rows)
