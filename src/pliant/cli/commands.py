"""Commands of the attached joints: constants, or a table over time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.cli.choices import numbers
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, check_known, located
from pliant.files import MIB, read_text
from pliant.lower.drive import FARTHEST

LARGEST_FILE = 64 * MIB
COMMANDED = ("angle", "torque", "current", "voltage")
"""Quantities that a command may have; a header may carry their units."""
LONGEST = 1e6
"""[s] The last time of a table."""


@dataclass(frozen=True, eq=False)
class Commands:
    """Commands of some joints; each row holds until the next.

    Attributes:
        joints: their names. places: where each stands, the option or the file.
        time: (N,) [s], increasing from 0 or before.
        values: (N, J) commands.
    """

    joints: tuple[str, ...]
    places: tuple[str, ...]
    time: Floats
    values: Floats

    @classmethod
    def read(cls, goals: Iterable[str], table: Path | None) -> "Commands":
        """Read commands from `joint=value` texts and a CSV file, each joint's from one of them.

        Raises:
            PliantError: a text or the file cannot be used, or a joint is commanded twice.
        """
        constant = {
            joint: _within(value, FARTHEST, "--goal")
            for joint, value in numbers(goals, "goal", "joint=value, such as elbow=0.5").items()
        }
        names, time, values = _table(table) if table else ([], np.zeros(1), np.zeros((1, 0)))
        for joint in constant:
            if joint in names:
                raise PliantError("is commanded twice", field="--goal", found=joint)
        held = np.repeat(np.array([list(constant.values())]), len(time), axis=0)
        places = (*(str(table) for _ in names), *("--goal" for _ in constant))
        return cls((*names, *constant), places, time, np.hstack([values, held]))

    def check(self, attached: Sequence[str]) -> None:
        """Refuse commands of joints that have no actuator.

        Raises:
            PliantError: with where the joint stands.
        """
        for joint, place in zip(self.joints, self.places, strict=True):
            check_known(joint, attached, "no actuator is attached to this joint", field=place)

    def ordered(self, joints: Sequence[str]) -> Floats:
        """(N, J) Values of exactly these joints, in their order.

        Raises:
            PliantError: a joint is missing, or has no actuator.
        """
        self.check(joints)
        missing = [joint for joint in joints if joint not in self.joints]
        if missing:
            raise PliantError(
                "has no column for a joint with an actuator",
                file=self.places[0],
                found=list(self.joints),
                accepted=missing,
            )
        return self.values[:, [self.joints.index(joint) for joint in joints]]

    @property
    def end(self) -> float:
        """[s] When the last one begins."""
        return float(self.time[-1])

    def at(self, t: float) -> Floats:
        """(J,) Commands in force at t; before the first row, the first row."""
        return self.values[max(int(np.searchsorted(self.time, t + 1e-9, "right")) - 1, 0)]


def _within(value: float, most: float, field: str) -> float:
    if abs(value) > most:
        raise PliantError(
            "out of range", field=field, found=value, accepted=f"{-most:g} to {most:g}"
        )
    return value


def _table(path: Path) -> tuple[list[str], Floats, Floats]:
    with located(path):
        rows = csv_rows(read_text(path, largest=LARGEST_FILE))
        columns = csv_columns(rows, {"time": ["time"], "": COMMANDED})
        finite_columns(rows, columns)
        names = list(columns)
        if names[0] != "time" or len(names) < 2:
            raise PliantError(
                "is not a table of commands",
                found=",".join(names),
                accepted="time and a column for each joint, and rows",
            )
        table = np.column_stack(list(columns.values()))
        for name, column in zip(names, table.T, strict=True):
            most = LONGEST if name == "time" else FARTHEST
            for row in np.flatnonzero(np.abs(column) > most)[:1].tolist():
                _within(float(column[row]), most, f"line {rows.lines[row]}, {name}")
        still = np.diff(table[:, 0]) <= 0.0
        if still.any():
            line = rows.lines[int(np.argmax(still)) + 1]
            raise PliantError("time does not increase", field=f"line {line}")
    return names[1:], table[:, 0], table[:, 1:]
