"""Recordings of a robot: several joints that move at the same time, one CSV file for each run.

    time,goal_shoulder,position_shoulder,goal_elbow,position_elbow
    0.000,0.10,0.1012,-0.20,-0.2009
    …

One header line, SI units or those that stand behind a name (`position_elbow [deg]`), time
increasing. For each joint `position_<joint>` [rad, m], and for one
that an actuator drives `goal_<joint>`, in what the device takes (rad; A or N m for direct control).
If recorded: `speed_<joint>` [rad/s, m/s], `current_<joint>` [A], `enabled_<joint>` or `enabled`
(0 or 1), `supply` [V]. `current_as_recorded_<joint>` is a current of unknown scale and sign.
Nothing is repaired: a recording with a fault is refused, with its place.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.csv_rows import csv_columns, csv_rows
from pliant.errors import PliantError, located
from pliant.files import MIB, as_path, decoded, read_bytes
from pliant.io.clock import check_plausible
from pliant.io.output import write_whole

Bools = NDArray[np.bool_]

COLUMNS = "time, position_<joint>, goal_<joint>, speed_<joint>, current_<joint>, enabled_<joint>, enabled, supply"
_KINDS = ("position", "goal", "speed", "current_as_recorded", "current", "enabled")
LEAST = 10
"""Rows, below which there is no motion to speak of."""
LARGEST = 64 * MIB
_QUANTITIES = {
    "time": ("time",),
    "position_": ("angle", "length"),
    "goal_": ("angle", "length", "current", "torque"),
    "speed_": ("angular speed", "speed"),
    "current_": ("current",),
    "supply": ("voltage",),
}
"""Accepted units of the columns, where their names state one."""


@dataclass(frozen=True, eq=False)
class RobotLog:
    """One run of a robot: N samples of J joints.

    Attributes:
        name: stem of the file's name. path: the file, if it was read from one. digest: SHA-256.
        joints: (J,) names. time: (N,) [s] strictly increasing from 0.
        position: (N, J) [rad, m]. goal: (N, J) what the device was told, in its unit; NaN where a
            joint has no such column. speed: (N, J) [rad/s, m/s], NaN likewise.
        enabled: (N, J) whether the motor was powered. supply: (N,) [V]; None: not recorded.
        current: (N, J) [A], or in a unit of its own; NaN for a joint without; None: not recorded.
    """

    name: str
    joints: tuple[str, ...]
    time: Floats
    position: Floats
    goal: Floats
    speed: Floats
    enabled: Bools
    supply: Floats | None = None
    current: Floats | None = None
    path: Path | None = None
    digest: str = ""

    def column(self, joint: str) -> int:
        """Index of a joint in the arrays.

        Raises:
            PliantError: it is not recorded.
        """
        if joint not in self.joints:
            raise PliantError(
                "this joint is not recorded",
                file=self.path or self.name,
                field="joint",
                found=joint,
                accepted=self.joints,
            )
        return self.joints.index(joint)

    def commanded(self, joint: str) -> bool:
        """Whether the joint's command is recorded."""
        return not bool(np.isnan(self.goal[0, self.column(joint)]))


def read_robot_log(path: Path | str) -> RobotLog:
    """Read and check one recording.

    Raises:
        PliantError: the file cannot be read, has an unknown column, lacks one, or has rows of
            another length, a value that is no finite number, or time that does not increase.
    """
    path = as_path(path, "a log of a robot: *.csv")
    with located(path):
        raw = read_bytes(path, largest=LARGEST)
        rows = csv_rows(decoded(raw, path), least=LEAST)
        values = csv_columns(rows, _QUANTITIES)
        joints = _joints(list(values))
        _check_time(values["time"], rows.lines)
        for name, column in values.items():
            _check_column(name, column, rows.lines)
    return _log(path, joints, values, hashlib.sha256(raw).hexdigest())


def _log(
    path: Path, joints: tuple[str, ...], values: Mapping[str, Floats], digest: str
) -> RobotLog:
    count = len(values["time"])
    ones, nothing = np.ones(count), np.full(count, np.nan)

    def of_each(kind: str) -> Floats:
        return np.column_stack([values.get(f"{kind}_{joint}", nothing) for joint in joints])

    always = values.get("enabled", ones)
    enabled = [values.get(f"enabled_{joint}", always) for joint in joints]
    currents = [
        f"current_{j}" if f"current_{j}" in values else f"current_as_recorded_{j}" for j in joints
    ]
    current = np.column_stack([values.get(name, nothing) for name in currents])
    return RobotLog(
        path.stem,
        joints,
        values["time"] - values["time"][0],
        of_each("position"),
        of_each("goal"),
        of_each("speed"),
        np.column_stack(enabled) > 0.5,
        values.get("supply"),
        None if np.isnan(current).all() else current,
        path,
        digest,
    )


def read_robot_logs(paths: Iterable[Path | str] | Path | str) -> list[RobotLog]:
    """Read files, and all `*.csv` in folders, in sorted order; see `read_robot_log`.

    Args:
        paths: files, or folders of them.

    Raises:
        PliantError: there is none, or one is refused.
    """
    listed = [paths] if isinstance(paths, Path | str) else list(paths)
    files: list[Path] = []
    for place in map(Path, listed):
        files += sorted(place.glob("*.csv")) if place.is_dir() else [place]
    if not files:
        raise PliantError("no logs", accepted="files (*.csv), or folders of them")
    return [read_robot_log(file) for file in files]


def write_robot_log(log: RobotLog, path: Path) -> None:
    """Write the recording `log` as `read_robot_log` reads it, to `path`."""
    columns: dict[str, Floats] = {"time": log.time}
    parts = {"goal": log.goal, "position": log.position, "speed": log.speed}
    if log.current is not None:
        parts["current"] = log.current
    for k, joint in enumerate(log.joints):
        for kind, values in parts.items():
            if not np.isnan(values[:, k]).any():
                columns[f"{kind}_{joint}"] = values[:, k]
        if not log.enabled[:, k].all():
            columns[f"enabled_{joint}"] = log.enabled[:, k].astype(np.float64)
    if log.supply is not None:
        columns["supply"] = log.supply
    rows = np.column_stack(list(columns.values()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{value:.9g}" for value in row] for row in rows)
    write_whole(path, text.getvalue())


def _joints(head: Sequence[str]) -> tuple[str, ...]:
    """The joints that have a position, in the order of the file."""
    parts = [_parted(name) for name in head if name not in ("time", "supply", "enabled")]
    joints = tuple(joint for kind, joint in parts if kind == "position")
    if "time" not in head or not joints:
        missing = "time" if "time" not in head else "position_<joint>"
        raise PliantError(
            f"has no column {missing}",
            field="line 1",
            found=list(head),
            accepted=COLUMNS,
        )
    positioned = set(joints)
    for kind, joint in parts:
        if joint not in positioned:
            raise PliantError(
                f"is a joint without position_{joint}",
                field="line 1",
                found=f"{kind}_{joint}",
                accepted=joints,
            )
    return joints


def _parted(name: str) -> tuple[str, str]:
    """Kind and joint of a column."""
    for kind in _KINDS:
        joint = name.removeprefix(f"{kind}_")
        if joint not in (name, ""):
            return kind, joint
    raise PliantError("is not a known column", field="line 1", found=name, accepted=COLUMNS)


def _check_column(name: str, column: Floats, lines: Sequence[int]) -> None:
    bad = ~np.isfinite(column)
    accepted = "a finite number"
    if name.startswith("enabled"):
        bad |= (column != 0.0) & (column != 1.0)
        accepted = "0 or 1"
    elif name == "supply":
        bad |= ~(column > 0.0)
        accepted = "above 0 V"
    if bad.any():
        k = int(np.argmax(bad))
        raise PliantError(
            "cannot be used",
            field=f"line {lines[k]}, {name}",
            found=float(column[k]),
            accepted=accepted,
        )


def _check_time(time: Floats, lines: Sequence[int]) -> None:
    _check_column("time", time, lines)
    still = np.diff(time) <= 0.0
    if still.any():
        k = int(np.argmax(still)) + 1
        raise PliantError(
            "time does not increase",
            field=f"line {lines[k]}, time",
            found=float(time[k]),
            accepted=f"above {time[k - 1]:g}",
        )
    check_plausible(time)
