"""Recordings of robots from files of any format.

logs = read_robot_logs("runs/")                                      # CSV, SI units
logs = read_robot_logs("my_dataset/", Reading(unit="deg"))           # LeRobot, one log an episode
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from pliant.errors import PliantError, located
from pliant.files import as_path, is_folder, readable_form
from pliant.io.findings import chosen_repairs, refusal
from pliant.io.formats.bag import is_bag, read_bag
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.lerobot import is_lerobot, read_lerobot
from pliant.io.formats.pace import read_pace
from pliant.io.formats.parquet import read_parquet
from pliant.io.formats.reading import Reading
from pliant.io.robot_checks import checked_samples
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import read_robot_csv

ACCEPTED = "*.csv, *.parquet, *.mcap, *.db3, *.pt, a LeRobot data set, a bag, or folders of them"

_FILES: dict[str, Callable[[Path, Reading], list[RobotLog]]] = {
    ".csv": lambda path, reading: [read_robot_csv(path, reading)],
    ".parquet": read_parquet,
    ".mcap": read_bag,
    ".db3": read_bag,
    ".pt": read_pace,
}
"""Suffix to reader; a reader returns a log for each part of its file."""
_FOLDERS: tuple[tuple[Callable[[Path], bool], Callable[[Path, Reading], list[RobotLog]]], ...] = (
    (is_lerobot, read_lerobot),
    (is_bag, read_bag),
)
"""Test and reader of each format that is a folder."""
SUFFIXES = frozenset(_FILES)


def read_robot_logs(
    paths: Iterable[Path | str] | Path | str, reading: Reading | None = None
) -> list[RobotLog]:
    """Read files, data sets, and all recordings in folders, in sorted order.

    Args:
        paths: files, data sets, or folders of them.
        reading: what the files do not say: units, names of joints, episodes, topics.

    Raises:
        PliantError: there is none, or one is refused.
    """
    listed = [paths] if isinstance(paths, Path | str) else list(paths)
    files = [file for path in listed for file in recordings_in(Path(path))]
    if not files:
        raise PliantError("no logs", accepted=ACCEPTED)
    return [log for file in files for log in read_recording(file, reading or Reading())]


def read_robot_log(path: Path | str, reading: Reading | None = None) -> RobotLog:
    """Read and check one recording.

    Raises:
        PliantError: it cannot be read, is no recording of a robot, or holds several.
    """
    path = as_path(path, f"a log of a robot: {ACCEPTED}")
    logs = read_recording(path, reading or Reading())
    if len(logs) != 1:
        accepted = "read_robot_logs, or the number of an episode"
        raise PliantError("holds several runs", file=path, found=len(logs), accepted=accepted)
    return logs[0]


def read_recording(path: Path, reading: Reading) -> list[RobotLog]:
    """The runs in one file or data set, with the names, units and repairs that `reading` asks for.

    Raises:
        PliantError: it cannot be read or used.
    """
    logs = examined_recording(path, reading)
    for log in logs:
        error = refusal(log.findings, str(path))
        if error is not None:
            raise error
    return logs


def examined_recording(path: Path, reading: Reading) -> list[RobotLog]:
    """The same with whatever was found: errors among the findings are told, not raised.

    Raises:
        PliantError: nothing can be read from it.
    """
    repairs = chosen_repairs(reading.repair)
    with located(path):
        return [checked_samples(log, repairs, reading.cut) for log in read_unchecked(path, reading)]


def read_unchecked(path: Path, reading: Reading) -> list[RobotLog]:
    """The same without a look at its samples.

    Raises:
        PliantError: nothing can be read from it.
    """
    read = _reader(path)
    with located(path):
        return [reading.applied(log) for log in read(path, reading)]


def is_data_set(path: Path) -> bool:
    """Whether a folder is one recording, or a set of them, as a program wrote it."""
    return is_folder(path) and any(test(path) for test, _ in _FOLDERS)


def recordings_in(path: Path) -> list[Path]:
    """The path itself, or the recordings and data sets in a plain folder, sorted."""
    if not is_folder(path) or is_data_set(path):
        return [path]
    return [
        inside
        for inside in sorted(path.iterdir())
        if is_data_set(inside) or (plain_suffix(inside) in SUFFIXES and not inside.is_dir())
    ]


def _reader(path: Path) -> Callable[[Path, Reading], list[RobotLog]]:
    for test, read in _FOLDERS:
        if is_folder(path) and test(path):
            return read
    read = _FILES.get(plain_suffix(path))
    if not path.exists():
        raise PliantError("does not exist", file=path)
    if read is None or is_folder(path):
        accepted = readable_form(path, ACCEPTED)
        raise PliantError("is not a recording of a robot", file=path, accepted=accepted)
    return read
