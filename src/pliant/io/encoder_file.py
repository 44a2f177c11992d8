"""Encoder logs of several joints: CSV, JSON, or a robot's recording with joints of these names.

    time, q_<joint>, theta_<joint>                                      one motor ("sea")
    time, q_<joint>, theta_<joint>, adjuster_<joint>                    motor and adjuster ("svsa")
    time, q_<joint>, theta_a_<joint>, theta_b_<joint>                   two motors ("avsa")

Angles in rad on the joint side of the gear, time in s. `dtheta_…` columns, motor speeds, are read
and compared with the positions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError, check_known, located
from pliant.files import as_path
from pliant.io.findings import chosen_repairs
from pliant.io.formats.reading import Reading
from pliant.io.formats.tables import ParquetFile
from pliant.io.gathered import gathered
from pliant.io.lost_values import check_plausible
from pliant.io.number_table import FORMATS, read_columns
from pliant.io.recording_kinds import ROBOT, USED_BY
from pliant.io.robot_columns import log_of
from pliant.io.robot_findings import robot_findings
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import checked_samples, read_robot_log, usable

Kind = Literal["sea", "svsa", "avsa"]

MOTORS: Mapping[Kind, tuple[str, ...]] = {
    "sea": ("theta",),
    "svsa": ("theta", "adjuster"),
    "avsa": ("theta_a", "theta_b"),
}
"""The motor channels that each kind of joint has, in their order."""
KINDS: Mapping[str, Kind] = {"series_elastic": "sea", "adjustable": "svsa", "antagonistic": "avsa"}
"""Topology to the kind of its joint."""

JITTER = 0.02
"""Tolerance of a time stamp, as a fraction of the time step."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EncoderLog:
    """Link and motor positions at uniform times.

    Attributes:
        time: (N,) [s].
        q: (N, n) link positions [rad].
        theta: (N, m) motor positions on the joint side of the gear [rad], the channels of each
            joint after those of the joint before (see `Joint.motors`).

    Raises:
        PliantError: shapes that do not fit, values that are no numbers, time that is not uniform.
    """

    time: Floats
    q: Floats
    theta: Floats

    def __post_init__(self) -> None:
        for name in ("time", "q", "theta"):
            value = np.ascontiguousarray(getattr(self, name), np.float64)
            if name != "time" and value.ndim == 1:
                value = value[:, None]
            if len(value) != len(np.atleast_1d(self.time)):
                found, rows = f"{len(value)} rows", f"{len(self.time)} rows"
                problem = "wrong number of rows for these times"
                raise PliantError(problem, field=name, found=found, accepted=rows)
            bad = ~np.isfinite(value)
            if bad.any():
                where = tuple(int(i) for i in np.argwhere(bad)[0])
                field, found = f"{name}{list(where)}", float(value[where])
                raise PliantError(
                    "is not a number", field=field, found=found, accepted="finite values"
                )
            object.__setattr__(self, name, value)
        self._check_time()

    def _check_time(self) -> None:
        if len(self.time) < 2:
            raise PliantError("too short", field="time", found=len(self.time), accepted="from 2")
        steps = np.diff(self.time)
        off = np.abs(steps - self.dt) > JITTER * abs(self.dt)
        if not self.dt > 0.0 or off.any():
            row = int(np.argmax(off)) + 1
            raise PliantError(
                "time is not uniform",
                field=f"time[{row}]",
                found=f"a step of {steps[row - 1]:.6g} s where most are {self.dt:.6g} s",
                accepted="equal steps: resample, or cut the log at the gap",
            )

    @property
    def dt(self) -> float:
        """[s] The time step."""
        return float(np.median(np.diff(self.time)))


LINK = "q_"
_TIMES = ("time", "timestamp", "t")
_ANGLES = ("angle", "length")
_QUANTITIES = {
    "t": ("time",),
    "q_": _ANGLES,
    "theta_": _ANGLES,
    "adjuster_": _ANGLES,
    "dtheta_": ("angular speed", "speed"),
}
FAST = 0.2
"""Relative difference from which motor speeds are not those of the positions."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointLog:
    """A recording of several joints.

    Attributes:
        path: of the file.
        joints: name to kind, in the order of the robot.
        log: the channels.
        warnings: problems of the recording, one sentence each.
    """

    path: Path
    joints: Mapping[str, Kind]
    log: EncoderLog
    warnings: tuple[str, ...] = ()


def read_joint_log(
    path: str | Path,
    joints: Sequence[str] | None = None,
    *,
    others: bool = False,
    reading: Reading | None = None,
) -> JointLog:
    """Read and check a log; its channels as those of a robot's joints, whatever the file.

    Args:
        path: CSV, JSON or Parquet file of these columns; or a bag or other recording of a robot, each joint of
            which is one.
        joints: the robot's joints, in its order. By default those of the file, in its order.
        others: leave out further joints of the log instead of refusing them.
        reading: facts that the file does not state. Its `rename` maps columns to the names meant:
            {"elbow_motor": "theta_elbow"}.

    Raises:
        PliantError: the file cannot be used, a column to rename is not in it, a joint has no link or no motor channel, the file has
            other joints than the robot, or time is not uniform.
    """
    path = as_path(path, "a log of encoders: *.csv")
    with located(path):
        recorded = _recorded(path, reading or Reading())
        columns = dict(zip(recorded.joints, recorded.position.T, strict=True))
        found = _links(columns)
        names = found if joints is None else list(joints)
        _check_names(names, names if others and set(names) <= set(found) else found)
        kinds, channels = motor_channels(columns, names)
        log = EncoderLog(
            time=recorded.time,
            q=np.column_stack([columns[LINK + name] for name in names]),
            theta=np.column_stack([columns[channel] for channel in channels]),
        )
        check_plausible(log.time)
    used = [*(LINK + name for name in names), *channels]
    warnings = (*_found(recorded, used), *_speeds(recorded, channels, log), *_swapped(log, kinds))
    return JointLog(path=path, joints=kinds, log=log, warnings=warnings)


def renamed(columns: Mapping[str, Floats], rename: Mapping[str, str]) -> dict[str, Floats]:
    """Columns under other names; the others keep theirs."""
    for name in rename:
        check_known(name, columns, "no such column", field="rename")
    return {rename.get(name, name): values for name, values in columns.items()}


def motor_channels(
    columns: Collection[str], names: Sequence[str]
) -> tuple[dict[str, Kind], list[str]]:
    """Kind of each joint by its motor columns, and these in the order of the joints."""
    kinds: dict[str, Kind] = {name: _kind(columns, name) for name in names}
    return kinds, [_channel(motor, name) for name in names for motor in MOTORS[kinds[name]]]


def _recorded(path: Path, reading: Reading) -> RobotLog:
    """The channels as joints of a robot: in a table those that are angles by their names."""
    columns: dict[str, Floats] = {}
    if path.suffix.lower() in FORMATS:
        columns = read_columns(path, _QUANTITIES)
    elif path.suffix.lower() == ".parquet":
        file = ParquetFile(path)
        meant = {name: reading.rename.get(name, name).removeprefix("d") for name in file.names}
        named = [name for name, one in meant.items() if one in _TIMES or _is_channel(one)]
        found = file.columns(named) if any(map(_is_channel, meant.values())) else {}
        columns = {name: values for name, values in found.items() if values.ndim == 1}
    if not columns:
        return read_robot_log(path, reading)
    for name in sorted(reading.given()):
        if USED_BY.get(name, ROBOT) != ROBOT:
            raise PliantError("has no use here: columns of encoders have their names", field=name)
    columns = renamed(columns, reading.rename)
    _links(columns)
    joints = list(filter(_is_channel, columns))
    known = {"time": _time(columns)} | {f"position_{name}": columns[name] for name in joints}
    known |= {f"speed_{name}": columns["d" + name] for name in joints if "d" + name in columns}
    rows = np.arange(1, 1 + len(known["time"]))
    log = log_of(path, known, "", head="columns", where="row {}", rows=rows)
    log = replace(reading, rename={}).applied(log)
    return usable(checked_samples(log, chosen_repairs(reading.repair), reading.cut), path)


def _is_channel(column: str) -> bool:
    return column.startswith((LINK, "theta_", "adjuster_"))


def _found(log: RobotLog, used: Sequence[str]) -> list[str]:
    """Findings of a robot's checks about the channels that are used; none of them is a command."""
    fields = {f"position_{channel}" for channel in used}
    said = [one for one in robot_findings(log) if one.field in fields and one.severity != "note"]
    return [
        str(one).partition(": ")[2].removeprefix("position_") for one in gathered(said, log.joints)
    ]


def _time(columns: Mapping[str, Floats]) -> Floats:
    for name in _TIMES:
        if name in columns:
            return columns[name] - columns[name][0]
    raise PliantError("has no time column", field="time", found=", ".join(columns), accepted="time")


def _links(columns: Mapping[str, Floats]) -> list[str]:
    found = [column.removeprefix(LINK) for column in columns if column.startswith(LINK)]
    if not found:
        accepted = "q_<joint> with theta_<joint>, or with theta_a_<joint> and theta_b_<joint>"
        known = ", ".join(columns)
        raise PliantError("has no link channel", field="columns", found=known, accepted=accepted)
    return found


def _kind(columns: Collection[str], joint: str) -> Kind:
    """Kind of joint by its motor columns."""
    every = dict.fromkeys(motor for motors in MOTORS.values() for motor in motors)
    have = [motor for motor in every if _channel(motor, joint) in columns]
    for kind, motors in MOTORS.items():
        if set(motors) == set(have):
            return kind
    raise PliantError(
        "motor channels missing, or too many",
        field=f"joint {joint}",
        found=", ".join(_channel(motor, joint) for motor in have) or "none",
        accepted=" or ".join(
            " and ".join(_channel(motor, joint) for motor in motors) for motors in MOTORS.values()
        ),
    )


def _channel(motor: str, joint: str) -> str:
    return f"{motor}_{joint}"


def _check_names(robot: Sequence[str], found: Sequence[str]) -> None:
    known, there = set(robot), set(found)
    for name in (name for name in robot if name not in there):
        problem, every = "the log lacks a joint of the robot", f"joints {', '.join(found)}"
        raise PliantError(problem, field=LINK + name, found=every, accepted=robot)
    for name in (name for name in found if name not in known):
        problem = "the robot has no such joint"
        raise PliantError(problem, field=LINK + name, found=name, accepted=robot)


def _speeds(recorded: RobotLog, channels: Sequence[str], log: EncoderLog) -> list[str]:
    """Recorded motor speeds that are not the derivative of the positions: a unit, or a lag."""
    said: list[str] = []
    for k, channel in enumerate(channels):
        speed = recorded.speed[:, recorded.column(channel)]
        derived = np.gradient(log.theta[:, k], log.dt)
        size = float(np.sqrt(np.mean(derived**2)))
        off = float(np.sqrt(np.mean((speed - derived) ** 2)))
        if size > 0.0 and off > FAST * size:
            said.append(
                f"d{channel} differs from the rate of {channel} by {100 * off / size:.0f} %"
                ": another unit, or a lag; it is not used"
            )
    return said


def _swapped(log: EncoderLog, kinds: Mapping[str, Kind]) -> list[str]:
    """Warnings about joints whose link and motor channels are identical."""
    said: list[str] = []
    first = 0
    for k, (name, kind) in enumerate(kinds.items()):
        if np.array_equal(log.q[:, k], log.theta[:, first]):
            said.append(f"{name}: link and motor read the same everywhere: one channel twice?")
        first += len(MOTORS[kind])
    return said
