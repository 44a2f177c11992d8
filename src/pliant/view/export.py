"""Frames as files of other programs: CSV, and a bag of ROS 2."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.view.frame import READINGS, Frame, Joint, unit_of

__all__ = ["as_bag", "as_csv"]


def as_csv(joints: tuple[Joint, ...], frames: Sequence[Frame]) -> str:
    """Frames as a table: time, and each reading of each joint that has it, with its unit."""
    first = frames[-1].readings
    shown = [
        (k, reading)
        for k in range(len(joints))
        for reading in READINGS
        if not np.isnan(first[reading.name][k])
    ]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    units = [unit_of(joints[k], r.unit) for k, r in shown]
    names = [f"{joints[k].name}.{r.name}" for k, r in shown]
    table.writerow(["time[s]", *(f"{n}[{u}]" for n, u in zip(names, units, strict=True))])
    for frame in frames:
        row = [f"{frame.readings[r.name][k]:.9g}" for k, r in shown]
        table.writerow([f"{frame.time:.9g}", *row])
    return text.getvalue()


def as_bag(joints: tuple[Joint, ...], frames: Sequence[Frame]) -> bytes:
    """Frames as MCAP: `/joint_states` (measured ones where there are) and `/joint_commands`.

    Raises:
        PliantError: rosbags is not installed.
    """
    from pliant.io.formats.messages import write_bag
    from pliant.io.robot_log import RobotLog

    time = np.array([frame.time for frame in frames])
    kept = np.flatnonzero(
        np.diff(time, prepend=-np.inf) > 0.0
    )  # a command makes a frame of its own

    def rows(name: str) -> Floats:
        return np.array([frames[k].readings[name] for k in kept.tolist()])

    measured = rows("measured")
    log = RobotLog(
        name="pliant",
        joints=tuple(joint.name for joint in joints),
        time=time[kept] - time[0],
        position=np.where(np.isnan(measured), rows("position"), measured),
        goal=rows("goal"),
        speed=rows("velocity"),
        enabled=np.ones((len(kept), len(joints)), bool),
        others={"torque": rows("torque")},
    )
    with tempfile.TemporaryDirectory() as folder:
        write_bag(log, Path(folder) / "bag")
        (mcap,) = (Path(folder) / "bag").glob("*.mcap")
        return mcap.read_bytes()
