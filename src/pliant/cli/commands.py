"""What the attached joints are told: constants, or a table over time."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.cli.choices import number, pairs
from pliant.errors import PliantError

LARGEST = 1e6
"""The largest command, and time [s]; beyond, a simulation is only noise."""


@dataclass(frozen=True, eq=False)
class Commands:
    """Commands of some joints; each row holds until the next.

    Attributes:
        joints: their names.
        time: (N,) [s], increasing from 0 or before.
        values: (N, J) commands.
    """

    joints: tuple[str, ...]
    time: Floats
    values: Floats

    @classmethod
    def read(
        cls, attached: Sequence[tuple[str, str]], goals: Iterable[str], table: Path | None
    ) -> "Commands":
        """From `joint=value` texts and a CSV file; a joint has its commands from one of them.

        Raises:
            PliantError: a joint has no actuator, or the file cannot be used.
        """
        constant = {
            joint: _within(number(text, "goal"), field="--goal")
            for joint, text in pairs(goals, "goal", "joint=value, such as elbow=0.5").items()
        }
        names, time, values = _table(table) if table else ([], np.zeros(1), np.zeros((1, 0)))
        names_attached = [joint for joint, _ in attached]
        for joint, where in [*((j, "--goal") for j in constant), *((j, str(table)) for j in names)]:
            if joint not in names_attached:
                raise PliantError(
                    "no actuator is attached to this joint",
                    field=where,
                    found=joint,
                    accepted=names_attached,
                )
        for joint in constant:
            if joint in names:
                raise PliantError("is commanded twice", field="--goal", found=joint)
        held = np.repeat(np.array([list(constant.values())]), len(time), axis=0)
        return cls((*names, *constant), time, np.hstack([values, held]))

    @property
    def end(self) -> float:
        """[s] When the last one begins."""
        return float(self.time[-1])

    def at(self, t: float) -> Floats:
        """(J,) What holds at t; the first row holds before it too."""
        return self.values[max(int(np.searchsorted(self.time, t + 1e-9, "right")) - 1, 0)]


def _within(goal: float, *, field: str, file: Path | None = None) -> float:
    if abs(goal) > LARGEST:
        raise PliantError(
            "out of range",
            file=file,
            field=field,
            found=goal,
            accepted=f"{-LARGEST:g} to {LARGEST:g}",
        )
    return goal


def _table(path: Path) -> tuple[list[str], Floats, Floats]:
    try:
        rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    except FileNotFoundError:
        raise PliantError("does not exist", file=path) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    head = [name.strip() for name in rows[0]] if rows else []
    if len(rows) < 2 or head[0] != "time" or len(head) < 2 or len(set(head)) < len(head):
        raise PliantError(
            "is not a table of commands",
            file=path,
            found=",".join(head),
            accepted="time and a column for each joint, and rows",
        )
    table = np.array([_row(row, head, k + 2, path) for k, row in enumerate(rows[1:])])
    if np.any(np.diff(table[:, 0]) <= 0.0):
        line = int(np.argmax(np.diff(table[:, 0]) <= 0.0)) + 3
        raise PliantError("time does not increase", file=path, field=f"line {line}")
    return head[1:], table[:, 0], table[:, 1:]


def _row(row: list[str], head: list[str], line: int, path: Path) -> list[float]:
    if len(row) != len(head):
        raise PliantError(
            "has not one value for each column",
            file=path,
            field=f"line {line}",
            found=len(row),
            accepted=f"{len(head)} values",
        )
    values: list[float] = []
    for name, text in zip(head, row, strict=True):
        try:
            values.append(float(text))
        except ValueError:
            values.append(float("nan"))
        if not np.isfinite(values[-1]):
            raise PliantError(
                "is not a number", file=path, field=f"line {line}, {name}", found=text
            )
        _within(values[-1], field=f"line {line}, {name}", file=path)
    return values
