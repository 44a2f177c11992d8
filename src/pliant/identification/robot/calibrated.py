"""Zeros of a robot's recordings: known from the record of its fit, else found with the robot as it is.

1. recordings of the fit have the zeros that it found
2. in others they are found, from those of the fit where it has the group (`new_zeros`)
"""

from collections.abc import Sequence

from pliant.identification.problem.mounting import AUTO
from pliant.identification.problem.zero import ZeroFound
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.mounted import CALIBRATIONS, calibration_kind, zeroed
from pliant.identification.robot.new_zeros import clear_zeros, zeros_of
from pliant.identification.robot.recorded_anew import is_new
from pliant.identification.robot.rig import RobotRig
from pliant.io.robot_log import RobotLog


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
