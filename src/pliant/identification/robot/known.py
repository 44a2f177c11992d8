"""Zeros, delays, supply and bands of a robot's recordings: by the record of its fit, else found with it as it is.

Zeros: recordings of the fit have those that it found; in others they are found, from those of the fit where it has
the group. Age and supply:

1. recordings of the fit, and others of its days, have what it found for their group
2. in those of other days a difference between days is found, with nothing of the actuators moved
3. and then the age that all recordings of a day have beside those that the actuators were fitted to

Bands are the draws of each joint, with the margin of its record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.problem.mounting_offsets import AUTO, ZeroFound, dated
from pliant.identification.problem.recorder_parameters import Apart, aged, put
from pliant.identification.problem.sampling_delay import AgeFound, ages_found, recorders_beside
from pliant.identification.problem.space import Space
from pliant.identification.result.known import Held, held_by
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.mounting_offsets import (
    CALIBRATIONS,
    calibration_kind,
    clear_zeros,
    zeroed,
    zeros_of,
)
from pliant.identification.robot.rig import RobotRig
from pliant.identification.robot.space import DELAY
from pliant.io.robot_log import Recordings, RobotLog


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


def calibrated_logs(
    rig: RobotRig, logs: Sequence[RobotLog], zero_by: str | None = AUTO
) -> tuple[list[RobotLog], list[ZeroFound]]:
    """Recordings with the zeros of their calibration, and those that were found for it.

    Args:
        rig: the robot as it is. logs: to judge it by.
        zero_by: what recordings of one calibration share: "day", "folder", "log"; "auto": what it was in
            the fit of its actuators, if they have such a record, else the day, in recordings of a day that
            was not fitted; None: no zeros.

    Raises:
        PliantError: recordings of a robot have no such property, or a record's entry is of another type.
    """
    calibration_kind(logs, zero_by)
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    kind = zero_by
    if zero_by == AUTO:
        kind = next((r.zero_by for r in records.values() if r.zero_by in CALIBRATIONS), None)
        if kind is None and any(is_new(rig, log, AUTO) for log in logs):
            kind = "day"
    if kind is None:
        return list(logs), []
    mine = {joint: one for joint, one in records.items() if one.zero_by == kind}
    known = {
        f"{j}.{group}": x
        for j, one in mine.items()
        for group, x in ((one.zeros_held_out or {}) | (one.zeros or {})).items()
    }
    if zero_by == AUTO and not mine:
        new = [log for log in logs if is_new(rig, log, AUTO)]
    else:
        digests = {digest for one in mine.values() for digest in one.digests}
        new = [log for log in logs if log.digest not in digests]
    found = zeros_of(rig, new, kind, known) if new else []
    taken = known | clear_zeros(rig, found)
    fresh = {id(log) for log in new}
    return [zeroed([log], kind, taken if id(log) in fresh else known)[0] for log in logs], found


def held_of_joints(rig: RobotRig, found: Evaluation[RobotLog]) -> dict[str, Held]:
    """Joint to the share of recordings that its bands hold; without joints whose files have no draws, or no margin.

    Each joint by itself, the others led along their recording, as the margins were found.

    Args:
        rig: the robot as it is. found: its errors, on recordings with the zeros and delays to be taken.

    Raises:
        PliantError: an entry of a record is of another type.
    """
    records = {joint: FitRecord.of(actuator) for joint, actuator in rig.actuators.items()}
    draws = {
        f"{joint}.{name}": column
        for joint, actuator in rig.actuators.items()
        if actuator.ensemble is not None and records[joint].coverage
        for name, column in zip(
            actuator.ensemble.names, actuator.ensemble.of_draws().T, strict=True
        )
    }
    known = [joint for joint in rig.actuators if any(n.startswith(f"{joint}.") for n in draws)]
    count = min((len(column) for column in draws.values()), default=0)
    if not count or not found.entries:
        return {}
    motions = _motions(rig, found, {name: column[:count] for name, column in draws.items()})
    each: dict[str, Held] = {}
    for joint in known:
        entries = [entry for entry in found.entries if entry.joint == joint]
        held = held_by(records[joint], entries, [motions[e.log.name, joint] for e in entries])
        each |= {} if held is None else {joint: held}
    return each


def _motions(
    rig: RobotRig, found: Evaluation[RobotLog], draws: Mapping[str, Floats]
) -> dict[tuple[str, str], Floats]:
    """Log and joint to the motions (K, N) [rad, m] of draws ("<joint>.<parameter>", (K,))."""
    coarse = rig.one_by_one().coarse()
    longest = {n.removesuffix(f".{DELAY}"): float(x.max()) for n, x in draws.items() if DELAY in n}
    simulation = coarse.build(coarse.robot, longest)
    count = len(next(iter(draws.values())))
    candidates = np.repeat(simulation.values()[None], count, axis=0)
    for name, column in draws.items():
        candidates[:, simulation.names.index(name)] = column
    logs = list({id(entry.log): entry.log for entry in found.entries}.values())
    samples = Recordings(logs, list(rig.actuators))
    positions, _ = simulation.batch(candidates, samples)
    blocks = zip(samples.blocks, samples.per_block(positions), strict=True)
    return {(log.name, joint): runs for (log, joint), runs in blocks}
