"""Recordings of a robot as CSV, one file for each run.

    time,goal_shoulder,position_shoulder,goal_elbow,position_elbow
    0.000,0.10,0.1012,-0.20,-0.2009
    …

One header line, SI units or those that stand behind a name (`position_elbow [deg]`), time
increasing. For each joint `position_<joint>` [rad, m], and for one
that an actuator drives `goal_<joint>`, in what the device takes (rad; A or N m for direct control).
If recorded: `speed_<joint>` [rad/s, m/s], `current_<joint>` [A], `enabled_<joint>` or `enabled`
(0 or 1), `supply` [V]. `current_as_recorded_<joint>` is a current of unknown scale and sign. Kept, and
used by no fit: `torque_<joint>` [N m], `duty_<joint>`, `voltage_<joint>` [V],
`temperature_<joint>` [degC].
Samples are checked as those of every recording are (`robot_checks`); nothing is repaired unless asked for.
"""

import csv
import hashlib
import io
from pathlib import Path

import numpy as np

from pliant.csv_rows import csv_columns, csv_rows
from pliant.errors import located
from pliant.files import MIB, as_path, check_regular, decoded, read_bytes
from pliant.io.long_csv import long_columns
from pliant.io.output import write_whole
from pliant.io.robot_columns import columns_of, log_of
from pliant.io.robot_log import RobotLog

LEAST = 10
"""Rows, below which there is no motion to speak of."""
LONG = 64 * MIB
"""[bytes] Above which a file is read without its text in memory."""
_QUANTITIES = {
    "time": ("time",),
    "position_": ("angle", "length"),
    "goal_": ("angle", "length", "current", "torque"),
    "speed_": ("angular speed", "speed"),
    "current_": ("current",),
    "supply": ("voltage",),
    "torque_": ("torque",),
    "voltage_": ("voltage",),
}
"""Accepted units of the columns, where their names state one."""


def read_robot_csv(path: Path | str) -> RobotLog:
    """Read and check one recording.

    Raises:
        PliantError: the file cannot be read, has an unknown column, lacks one, or has rows of
            another length, a value that is no finite number, or time that does not increase.
    """
    path = as_path(path, "a log of a robot: *.csv")
    with located(path):
        check_regular(path)
        if path.stat().st_size > LONG:
            values, digest = long_columns(path, _QUANTITIES)
            rows = np.arange(1, 1 + len(values.get("time", ())))
            return log_of(path, values, digest, head="line 1", where="row {}", rows=rows)
        raw = read_bytes(path, largest=LONG)
        table = csv_rows(decoded(raw, path), least=LEAST)
        values = csv_columns(table, _QUANTITIES)
        digest = hashlib.sha256(raw).hexdigest()
        lines = np.array(table.lines)
        return log_of(path, values, digest, head="line 1", where="line {}", rows=lines)


def write_robot_log(log: RobotLog, path: Path) -> None:
    """Write the recording `log` as `read_robot_csv` reads it, to `path`."""
    columns = columns_of(log)
    rows = np.column_stack(list(columns.values()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{value:.9g}" for value in row] for row in rows)
    write_whole(path, text.getvalue())
