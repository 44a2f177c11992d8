"""Examination of files of every kind that Pliant reads: `pliant.check`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack, overload

from pliant.errors import PliantError, check_kind
from pliant.examine.files import Remark, examine, meant
from pliant.io.column_map import ColumnMap
from pliant.io.completeness import Given
from pliant.io.formats.reading import Reading
from pliant.io.gathered import FEWEST
from pliant.io.recording_kinds import check_used
from pliant.words import counted, ranged, without_figures

__all__ = ["Checked", "CheckedFile", "Remark", "check"]


@dataclass(frozen=True)
class CheckedFile:
    """One file: its kind ("log", "actuator (rigid_servo)"), and the remarks about it."""

    path: Path
    kind: str
    remarks: tuple[Remark, ...]

    @property
    def ok(self) -> bool:
        """Whether it can be used as it is."""
        return not any(remark.blocks for remark in self.remarks)

    @property
    def verdict(self) -> str:
        """`good`, `usable, 1 warning`, `2 errors`."""
        if not self.ok:
            return counted(sum(remark.blocks for remark in self.remarks), "error")
        warnings = sum(remark.severity == "warning" for remark in self.remarks)
        return "usable, " + counted(warnings, "warning") if warnings else "good"

    def __str__(self) -> str:
        return _as_one([self])


def _as_one(files: Sequence[CheckedFile]) -> str:
    """Files with the same remarks, or the same but for their figures."""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    remarks = zip(*(map(str, file.remarks) for file in files), strict=True)
    head = f"{files[0].path}{more}: {files[0].kind}, {files[0].verdict}"
    return "\n".join([head, *(f"  {ranged(same)}" for same in remarks)])


class Checked(Sequence[CheckedFile]):
    """The files that were checked; `ok` is whether all can be used.

    `str()` lists the remarks; files of one folder that can be used and differ only in the figures are listed together.
    """

    def __init__(self, files: Sequence[CheckedFile]) -> None:
        self._files = tuple(files)

    @overload
    def __getitem__(self, index: int) -> CheckedFile: ...
    @overload
    def __getitem__(self, index: slice) -> "Checked": ...
    def __getitem__(self, index: int | slice) -> "CheckedFile | Checked":
        return Checked(self._files[index]) if isinstance(index, slice) else self._files[index]

    def __len__(self) -> int:
        return len(self._files)

    @property
    def ok(self) -> bool:
        """Whether all can be used as they are."""
        return all(file.ok for file in self._files)

    @property
    def summary(self) -> str:
        """Count of the remarks, and of the files that cannot be used."""
        bad = sum(not file.ok for file in self._files)
        warned = sum(
            remark.severity == "warning" for file in self._files for remark in file.remarks
        )
        return (
            f"{counted(len(self), 'file')}: {bad} cannot be used as they are, "
            f"{counted(warned, 'warning')}"
        )

    def __str__(self) -> str:
        groups: dict[object, list[CheckedFile]] = {}
        for file in self._files:
            # Intervals for programs are of each file by itself: no range over several says the same.
            remarks = [(without_figures(str(one)), str(one.values)) for one in file.remarks]
            same = file.path.parent, file.kind, *remarks
            groups.setdefault(same if file.ok else file.path, []).append(file)
        lines = [
            line
            for group in groups.values()
            for line in ([_as_one(group)] if len(group) >= FEWEST else map(str, group))
        ]
        return "\n".join([*lines, self.summary])

    def __repr__(self) -> str:
        return f"<Checked: {self.summary}>"


def check(
    files: str | Path | Iterable[str | Path],
    *,
    columns: Path | str | ColumnMap | None = None,
    reading: Reading | None = None,
    packages: Sequence[str | Path] = (),
    robot: str | Path | None = None,
    **given: Unpack[Given],
) -> Checked:
    """Check files and list their faults: logs, actuators, laws and robot models.

    Args:
        files: a file, a folder, or several of them; of a folder, all files of these kinds: logs
            (*.json, *.csv), actuators and robots (*.toml), laws and topologies (*.py), models
            (*.xml, *.urdf), parameters of the toolbox's manager (*.yaml).
        packages: folders of packages that a URDF names, see `load_urdf`.
        columns, given: of logs, as `read_log` takes them.
        reading: as `read_logs` and `read_robot_logs` take it.
        robot: model (MJCF or URDF) with whose joints recordings of robots are compared.

    Returns:
        Each file with its remarks. A fault in a file raises nothing.

    Raises:
        PliantError: no file is given, there is no such model, or no recording has a use for a part of
            `reading`.
    """
    check_kind(files, (str, Path, Iterable), "files", "a file, a folder, or a list of them")
    given_files = [files] if isinstance(files, str | Path) else list(files)
    if not given_files:
        raise PliantError("no files to check", field="files", accepted="paths of files or folders")
    found: list[CheckedFile] = []
    model = None if robot is None else Path(robot)
    if model is not None and not model.exists():
        raise PliantError("does not exist", file=model)
    paths = meant([Path(file) for file in given_files])
    reading = reading or Reading()
    reading = reading if columns is None else replace(reading, columns=columns)
    check_used(reading, paths)
    for path in paths:
        kind, remarks = examine(path, reading, given, packages, model)
        found.append(CheckedFile(path, kind, tuple(remarks)))
    return Checked(found)
