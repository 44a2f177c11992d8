"""One joint out of a robot's recording of any format, as a log of a joint."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_rows, split_unit
from pliant.errors import PliantError
from pliant.files import MIB, check_regular
from pliant.io.commands_told import no_commands
from pliant.io.completeness import Given
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.reading import Reading
from pliant.io.log_file import ROBOT_SUFFIXES, Recording, checked
from pliant.io.robot_columns import understood
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import cut_to, is_data_set, read_unchecked, table_of
from pliant.io.table import Header


def of_robot(path: Path) -> bool:
    """Whether a file or folder is a recording of a robot: a data set, a bag, columns for each joint."""
    if is_data_set(path) or plain_suffix(path) in ROBOT_SUFFIXES:
        return True
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    check_regular(path)
    return is_robot_head(columns_named(path))


def columns_named(path: Path) -> list[str]:
    """Names in the header of a CSV, without units; none where it cannot be read, which the reader then says better."""
    with path.open("rb") as file:
        head = file.readline(MIB)
    try:
        names = csv_rows(head.decode("utf-8-sig"), least=0).head
    except (UnicodeDecodeError, PliantError):
        return []
    return [split_unit(name)[0] for name in names]


def is_robot_head(plain: Sequence[str]) -> bool:
    """Whether columns of a CSV, named without units, are those of several joints."""
    try:
        paths = understood(plain)
    except PliantError:  # of several topics that would do
        return True
    return "position" not in plain and any(
        name.startswith("position_") for name in (*plain, *paths.values())
    )


def joint_recordings(
    path: Path, joint: str | None, reading: Reading, *, repair: frozenset[str], given: Given
) -> list[tuple[str, Recording]]:
    """Name and recording of each run in a file or data set.

    Args:
        path: of it. joint: which one; None if there is but one. reading: what the file does not say.
        repair, given: as for a log of one joint.
    """
    found: list[tuple[str, Recording]] = []
    for log in read_unchecked(path, reading):
        one = log.only([_named(log, joint)])
        one, said = cut_to(one, reading.cut)
        said += [replace(finding, severity="error") for finding in no_commands(one)]
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
