"""Kinds of recordings, determined from names and headers, and the facts that apply to each."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from pliant.csv_rows import csv_rows, split_unit
from pliant.errors import PliantError
from pliant.files import MIB, check_regular, is_folder
from pliant.io.column_map import ColumnMap, of_robot_columns
from pliant.io.formats.bag import is_bag
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.lerobot import is_lerobot
from pliant.io.formats.reading import Reading
from pliant.io.robot_columns import understood

BAGS = (".mcap", ".db3")
ROBOT_SUFFIXES = (".parquet", ".pt", *BAGS)
"""Suffixes of files that hold a robot's recording, and of no others."""
LOGS = (".json", ".csv")
"""Suffixes of files that hold the recording of one joint; a CSV may hold a robot's too."""
JOINT, ROBOT, ENCODERS = "one joint's", "a robot's", "encoders'"
_BAG, _SET, _CSV = "a bag", "a LeRobot data set", "a CSV"
_TOPICS = "a bag, or a CSV with topics in its header"
USED_BY = {
    **dict.fromkeys(("units", "clip", "rename", "leave_out", "joint", "goal"), ROBOT),
    **dict.fromkeys(("publisher", "command_joints"), _BAG),
    **dict.fromkeys(("state", "command"), _TOPICS),
    "episodes": _SET,
    "columns": _CSV,
}
"""Facts that do not apply to every recording, to the kind that they apply to."""


def check_used(reading: Reading, paths: Iterable[Path], *more: str) -> None:
    """Refuse facts, of a reading and others by name, that apply to none of the recordings.

    Raises:
        PliantError: there is such a fact.
    """
    kinds = [found for path in paths if (found := _kinds(path, reading.columns))]
    for name in (*reading.given(), *more) if kinds else ():
        kind = USED_BY.get(name)
        if kind is not None and not any(kind in found for found in kinds):
            raise PliantError(f"has no use here: none of these recordings is {kind}", field=name)


def _kinds(path: Path, columns: Path | str | ColumnMap | None) -> Collection[str]:
    """Kinds of a file, as far as they matter for facts; none if it is no recording or its header is refused."""
    form = form_of(path, columns)
    suffix = plain_suffix(path)
    if is_folder(path):
        suffix = "" if is_lerobot(path) else BAGS[0]
    if suffix in BAGS or form is None:
        return (_BAG, _TOPICS, form) if form else ()
    if suffix != ".csv":
        return (form,) if suffix else (_SET, form)
    names = columns_named(path)
    if columns is None and all(map(str.isdigit, names)):
        return ()
    topics = any("/" in name for name in names)
    several = form == ENCODERS or is_robot_head(names)
    return _CSV, form, *((ROBOT,) if several else ()), *((_TOPICS,) if topics else ())


def form_of(path: Path, columns: Path | str | ColumnMap | None) -> str | None:
    """Whose recording a file or data set is, by its suffix, or its columns: `JOINT`, `ROBOT` or `ENCODERS`; None: none.

    Args:
        path: of it. columns: of a CSV, where its own names do not count.
    """
    suffix = plain_suffix(path)
    if suffix in ROBOT_SUFFIXES or is_data_set(path):
        return ROBOT
    if suffix != ".csv" or not path.is_file():
        return JOINT if suffix == ".json" else None
    if columns is not None:
        return ROBOT if of_robot_columns(columns) else JOINT
    names = columns_named(path)
    if is_robot_head(names):
        return ROBOT
    return ENCODERS if any(name.startswith("q_") for name in names) else JOINT


def is_data_set(path: Path) -> bool:
    """Whether a folder is one recording, or a set of them, as a program wrote it."""
    return is_folder(path) and (is_lerobot(path) or is_bag(path))


def columns_named(path: Path) -> list[str]:
    """Names in the header of a CSV, without units; none where it cannot be read, which the reader then says better."""
    check_regular(path)
    with path.open("rb") as file:
        head = file.readline(MIB)
    try:
        names = csv_rows(head.decode("utf-8-sig"), least=0, headless=True).head
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
