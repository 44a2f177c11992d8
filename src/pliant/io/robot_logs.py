"""Recordings of robots from files of any format.

logs = read_robot_logs("runs/")                                      # CSV, SI units
logs = read_robot_logs("my_dataset/", Reading(unit="deg"))           # LeRobot, one log an episode

Checks are those of one joint's log, joint by joint:

1. the requested part in time
2. times, once for all joints
3. lost values and gaps: the longest stretch without them, if asked for
4. each joint's positions, goals and speeds
5. whether its commands really are commands (`commands_told`)
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.files import as_path, is_folder, readable_form
from pliant.io.commands_told import no_commands, unfollowed
from pliant.io.faults import (
    LEAST_ROWS,
    check_clock,
    check_gaps,
    check_range,
    check_rows,
    check_time,
    examine,
)
from pliant.io.faults_filter import check_filtered
from pliant.io.faults_position import check_held, check_jumps, check_motion, check_turns
from pliant.io.faults_signal import check_dropouts
from pliant.io.findings import Check, Cut, Finding, chosen_repairs, refusal
from pliant.io.formats.bag import read_bag
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.lerobot import is_lerobot, read_lerobot
from pliant.io.formats.pace import read_pace
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import read_parquet
from pliant.io.lost_values import STRETCH, check_nan, clustered, longest_stretch, within
from pliant.io.recording_kinds import check_used, is_data_set
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import read_robot_csv
from pliant.io.table import UNITS, Header, Table

_OF_TIME: Sequence[Check] = (check_rows, check_time, check_rows, check_clock, check_gaps)
_OF_JOINT: Sequence[Check] = (
    check_nan,
    check_range,
    check_turns,
    check_dropouts,
    check_jumps,
    check_motion,
    check_held,
    check_filtered,
)


def table_of(
    log: RobotLog, channels: dict[str, Floats], joint: str | None = None, speed: str = "velocity"
) -> Table:
    """Channels of a recording in the form that the checks take, with the file's names."""
    named = {name: name if joint is None else f"{name}_{joint}" for name in UNITS}
    named |= {"time": "time"} | ({} if joint is None else {"velocity": f"{speed}_{joint}"})
    rows = np.arange(len(log.time)) if log.rows is None else log.rows
    return Table(channels, named, rows, log.where, np.zeros(len(rows), bool))


def checked_samples(log: RobotLog, repair: Collection[str], cut: Cut | None) -> RobotLog:
    """The recording with the repairs asked for, and all findings; unrepaired errors among them block its use."""
    started = log.time[np.isfinite(log.time)]
    log = replace(log, time=log.time - (started[0] if len(started) else 0.0))
    # Before repairs, which would change one of two equal columns.
    untold = no_commands(log) if len(log.time) >= LEAST_ROWS else []
    log, said = cut_to(log, cut)
    said += untold
    place = np.arange(len(log.time), dtype=np.float64)
    table, found = examine(
        table_of(log, {"time": log.time, "voltage": place}), Header(), repair, _OF_TIME
    )
    log = log.keep(table.channels["voltage"].astype(np.intp))
    said += found
    if not any(finding.blocks for finding in found):
        if STRETCH in repair:
            log, cut_away = _sound(log, repair)
            said += cut_away
        for k, joint in enumerate(log.joints):
            is_told = f"goal_{joint}" not in {finding.field for finding in untold}
            log, found = _joint(log, k, joint, repair, is_told=is_told)
            said += found
        fields = {finding.field for finding in untold}
        if not any(finding.blocks for finding in said):
            said += [one for one in no_commands(log) if one.field not in fields]
            said += unfollowed(replace(log, findings=tuple(said)))
        start = float(log.time[0]) if len(log.time) else 0.0
        log = replace(log, time=log.time - start)
    return replace(log, findings=(*log.findings, *said))


def cut_to(log: RobotLog, cut: Cut | None) -> tuple[RobotLog, list[Finding]]:
    """The requested part of a recording, by time since its start."""
    if cut is None:
        return log, []
    kept, text = within(log.time, cut)
    finding = Finding("cut", "time", text, "note")
    return log.keep(kept), [finding]


def _sound(log: RobotLog, repair: Collection[str]) -> tuple[RobotLog, list[Finding]]:
    """The longest stretch in which all joints have all values, except single ones that are interpolated."""
    rows = _sound_rows(log, repair)
    if len(rows) == len(log.time):
        return log, []
    if len(rows) < LEAST_ROWS:
        text = f"only {len(rows)} without lost values and gaps, at least {LEAST_ROWS} are needed"
        return log, [Finding("length", "rows", text, "error")]
    text = (
        f"{len(rows)} of {len(log.time)} samples are kept, {log.time[rows[0]] - log.time[0]:.4g} to "
        f"{log.time[rows[-1]] - log.time[0]:.4g} s: the longest stretch without lost values and gaps"
    )
    return log.keep(rows), [Finding("cut", "time", text, "note", repair=STRETCH)]


def _sound_rows(log: RobotLog, repair: Collection[str]) -> NDArray[np.intp]:
    channels = {"time": log.time, "row": np.arange(len(log.time), dtype=np.float64)}
    for name, values in (("position", log.position), ("goal", log.goal)):
        for k in range(len(log.joints)):
            bad = ~np.isfinite(values[:, k])
            if not bad.all():
                lost = clustered(bad) if "nan" in repair else bad
                channels[f"{name}{k}"] = np.where(lost, np.nan, 0.0)
    rows = longest_stretch(table_of(log, channels)).channels["row"].astype(np.intp)
    if len(rows) in (0, len(log.time)):
        return rows
    # A single lost value at either end of the stretch cannot be interpolated.
    return rows[_sound_rows(log.keep(rows), repair)]


def _joint(
    log: RobotLog, k: int, joint: str, repair: Collection[str], *, is_told: bool
) -> tuple[RobotLog, tuple[Finding, ...]]:
    """One joint's samples, without goals that are not commands."""
    parts = {"position": log.position[:, k], "goal": log.goal[:, k], "velocity": log.speed[:, k]}
    if not is_told:
        del parts["goal"]
    channels = {name: x for name, x in parts.items() if name == "position" or not np.isnan(x).all()}
    before = table_of(log, {"time": log.time, **channels}, joint, "speed")
    table, found = examine(before, Header(), repair, _OF_JOINT)
    if table is before:
        return log, found
    position, goal, speed = (x.copy() for x in (log.position, log.goal, log.speed))
    for name, values in (("position", position), ("goal", goal), ("velocity", speed)):
        if name in channels and len(table) == len(values):
            values[:, k] = table.channels[name]
    return replace(log, position=position, goal=goal, speed=speed), found


ACCEPTED = "*.csv, *.parquet, *.mcap, *.db3, *.pt, a LeRobot data set, a bag, or folders of them"

_FILES: dict[str, Callable[[Path, Reading], list[RobotLog]]] = {
    ".csv": lambda path, reading: [read_robot_csv(path, reading)],
    ".parquet": read_parquet,
    ".mcap": read_bag,
    ".db3": read_bag,
    ".pt": read_pace,
}
"""Suffix to reader; a reader returns a log for each part of its file."""


def read_robot_logs(
    paths: Iterable[Path | str] | Path | str, reading: Reading | None = None
) -> list[RobotLog]:
    """Read files, data sets, and all recordings in folders, in sorted order.

    Args:
        paths: files, data sets, or folders of them.
        reading: facts that the files do not state: units, joint names, episodes, topics.

    Raises:
        PliantError: there is none, or one is refused.
    """
    listed = [paths] if isinstance(paths, Path | str) else list(paths)
    files = [file for path in listed for file in recordings_in(Path(path))]
    if not files:
        raise PliantError("no logs", accepted=ACCEPTED)
    reading = reading or Reading()
    check_used(reading, files)
    return [log for file in files for log in read_recording(file, reading)]


def read_robot_log(path: Path | str, reading: Reading | None = None) -> RobotLog:
    """Read and check one recording.

    Raises:
        PliantError: it cannot be read, is no recording of a robot, or holds several.
    """
    path = as_path(path, f"a log of a robot: {ACCEPTED}")
    reading = reading or Reading()
    check_used(reading, [path])
    logs = read_recording(path, reading)
    if len(logs) != 1:
        accepted = "read_robot_logs, or the number of an episode"
        raise PliantError("holds several runs", file=path, found=len(logs), accepted=accepted)
    return logs[0]


def read_recording(path: Path, reading: Reading) -> list[RobotLog]:
    """The runs in one file or data set, with the names, units and repairs that `reading` asks for."""
    return [usable(log, path) for log in examined_recording(path, reading)]


def usable(log: RobotLog, path: Path) -> RobotLog:
    """The same recording, unless an error was found that is not repaired."""
    error = refusal(log.findings, str(path))
    if error is not None:
        raise error
    return log


def examined_recording(path: Path, reading: Reading) -> list[RobotLog]:
    """The same with all findings: errors among them are returned, not raised.

    Raises:
        PliantError: nothing can be read from it.
    """
    repairs = chosen_repairs(reading.repair)
    with located(path):
        return [checked_samples(log, repairs, reading.cut) for log in read_unchecked(path, reading)]


def read_unchecked(path: Path, reading: Reading) -> list[RobotLog]:
    """The same without a look at its samples."""
    read = _reader(path)
    with located(path):
        return [reading.applied(log) for log in read(path, reading)]


def recordings_in(path: Path) -> list[Path]:
    """The path itself, or the recordings and data sets in a plain folder, sorted."""
    if not is_folder(path) or is_data_set(path):
        return [path]
    return [
        inside
        for inside in sorted(path.iterdir())
        if is_data_set(inside) or (plain_suffix(inside) in _FILES and not inside.is_dir())
    ]


def _reader(path: Path) -> Callable[[Path, Reading], list[RobotLog]]:
    if is_data_set(path):
        return read_lerobot if is_lerobot(path) else read_bag
    read = _FILES.get(plain_suffix(path))
    if not path.exists():
        raise PliantError("does not exist", file=path)
    if read is None or is_folder(path):
        accepted = readable_form(path, ACCEPTED)
        raise PliantError("is not a recording of a robot", file=path, accepted=accepted)
    return read
