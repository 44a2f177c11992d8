"""One joint out of a robot's recording of any format, as a log of a joint."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.completeness import Given
from pliant.io.findings import chosen_repairs
from pliant.io.formats.reading import Reading
from pliant.io.log_file import Recording, checked
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import cut_to, read_unchecked, table_of
from pliant.io.table import Header


def joint_recordings(
    path: Path, joint: str | None, reading: Reading, *, given: Given
) -> list[tuple[str, Recording]]:
    """Name and recording of each run in a file or data set.

    Args:
        path: of it. joint: which one; None if there is but one. reading: what the file does not say.
        given: as for a log of one joint.
    """
    repair = chosen_repairs(reading.repair)
    found: list[tuple[str, Recording]] = []
    for log in read_unchecked(path, reading):
        one = log.only([_named(log, joint)])
        one, said = cut_to(one, reading.cut)
        one = replace(one, findings=(*one.findings, *said))
        found.append((log.name, _recording(one, repair=repair, given=given)))
    return found


def _named(log: RobotLog, joint: str | None) -> str:
    """The joint that is meant: the only one, where none is named."""
    if joint is None and len(log.joints) != 1:
        raise PliantError(
            "holds several joints: name one (--reading joint=NAME)",
            file=log.path,
            field="joint",
            accepted=log.joints,
        )
    return log.joints[0] if joint is None else joint


def _recording(log: RobotLog, *, repair: frozenset[str], given: Given) -> Recording:
    """The only joint of a recording."""
    joint, k = log.joints[0], 0
    voltage = log.others.get("voltage")
    torque = log.others.get("torque")
    temperature = log.others.get("temperature")
    columns: dict[str, Floats | None] = {
        "time": log.time,
        "position": log.position[:, k],
        "goal": log.goal[:, k],
        "enabled": log.enabled[:, k].astype(np.float64),
        "velocity": log.speed[:, k],
        "voltage": log.supply if voltage is None else voltage[:, k],
        "torque": None if torque is None else torque[:, k],
        "temperature": None if temperature is None else temperature[:, k],
    }
    channels = {
        name: values
        for name, values in columns.items()
        if values is not None and not np.isnan(values).all()
    }
    table = table_of(log, channels, joint, "speed")
    header = Header(trajectory=log.name)
    names = {name: name for name in Header.model_fields}
    return checked(
        log.digest, header, table, names=names, found=log.findings, repair=repair, given=given
    )
