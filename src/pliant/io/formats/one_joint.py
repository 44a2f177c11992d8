"""One joint of a robot's recording, written as a CSV log for `read_log`."""

import csv
import io
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.io.output import write_whole
from pliant.io.robot_log import RobotLog


def write_joint_log(log: RobotLog, joint: str, path: Path) -> None:
    """Write one joint's channels: time, position, goal, enabled and, if recorded, velocity, voltage."""
    k = log.column(joint)
    columns: dict[str, Floats] = {"time": log.time, "position": log.position[:, k]}
    voltage = log.others.get("voltage")
    known = {
        "goal": log.goal[:, k],
        "velocity": log.speed[:, k],
        "voltage": log.supply if voltage is None else voltage[:, k],
    }
    columns |= {
        name: values
        for name, values in known.items()
        if values is not None and not np.isnan(values).any()
    }
    columns["enabled"] = log.enabled[:, k].astype(np.float64)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    rows = np.column_stack(list(columns.values()))
    writer.writerows([f"{value:.9g}" for value in row] for row in rows)
    write_whole(path, text.getvalue())
