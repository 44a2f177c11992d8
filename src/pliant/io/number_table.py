"""Columns of numbers from a CSV or JSON file.

CSV: one header line with the names, then one line per sample; see `csv_rows`. JSON: an object that
gives each name its list, or one with `entries`, a list of objects of the same names.

Torques of springs, rad and N m, positive for a positive q - theta:

    q, tau, theta                       one motor
    q, tau, theta_a, theta_b            two motors
    q, tau                              motors held at angles that are given
    branch                              optional: a number for each way up or down
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.validated import parsed_json

FORMATS = (".csv", ".json")
LARGEST = 64 * MIB


def read_columns(
    path: str | Path, quantities: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Floats]:
    """Name to (N,) finite numbers, in SI units where a CSV names its units.

    In JSON, what is no list of numbers (a title, a list of names) is left out.

    Args:
        path: CSV or JSON file. quantities: which names may carry a unit; see `csv_columns`.

    Raises:
        PliantError: the file cannot be read, has no rows, names a column twice, or has a cell that
            is missing or is no finite number.
    """
    path = Path(path)
    with located(path):
        if path.suffix.lower() not in FORMATS:
            raise PliantError("is not a table", accepted="*.csv, *.json")
        text = read_text(path, largest=LARGEST)
        if path.suffix.lower() == ".json":
            return _json(text)
        rows = csv_rows(text)
        columns = csv_columns(rows, quantities)
        finite_columns(rows, columns)
        return columns


def _json(text: str) -> dict[str, Floats]:
    named = parsed_json(text, "table")
    entries = named.get("entries")
    if isinstance(entries, list):
        named = _by_column(cast("list[Any]", entries))
    columns = {
        name: _numbers(cast("list[Any]", cells), name)
        for name, cells in named.items()
        if isinstance(cells, list)
        and not (cells and all(isinstance(cell, str) for cell in cast("list[Any]", cells)))
    }
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        usual = max(lengths.values(), key=list(lengths.values()).count)
        odd = next((name for name, length in lengths.items() if length != usual), "columns")
        message = "has columns of different lengths, or none"
        raise PliantError(message, field=odd or "column without a name", found=lengths)
    return columns


def _by_column(entries: Sequence[Any]) -> dict[str, Any]:
    """Lists by name; the names are those of the first entry."""
    first: Any = entries[0] if entries else None
    if not isinstance(first, dict):
        raise PliantError("has no entries", field="entries", accepted="a list of objects")
    names = [str(name) for name in cast("dict[str, Any]", first)]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for k, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or set(cast("Mapping[str, Any]", entry)) != set(names):
            raise PliantError(
                "has other keys than the first entry",
                field=f"entries[{k}]",
                accepted=", ".join(names),
            )
        for name in names:
            columns[name].append(entry[name])
    return columns


def _numbers(cells: Sequence[Any], name: str) -> Floats:
    values = np.empty(len(cells))
    for k, cell in enumerate(cells):
        number = isinstance(cell, int | float) and not isinstance(cell, bool)
        try:
            values[k] = float(cell) if number else np.nan
        except OverflowError:
            values[k] = np.inf
        if not np.isfinite(values[k]):
            raise PliantError(
                "is not a number",
                field=f"{name}[{k}]",
                found="null" if cell is None else cell,
                accepted="a finite number in every row",
            )
    return values


_ANGLES = ("q", "theta", "theta_a", "theta_b", "adjuster", "goal", "preset")
_PART = {
    **dict.fromkeys(_ANGLES, ("angle", "length")),
    **dict.fromkeys(("theta_low", "theta_high"), ("angle",)),
    **dict.fromkeys(("tau", "tau_m"), ("torque",)),
    **{one: (one,) for one in ("time", "mass", "length")},
}


def read_part_file(path: str | Path) -> dict[str, Floats]:
    """(N,) columns of a table in SI units; see `fit_motor_side` and `fit_static_extremes`."""
    with located(path):
        return read_columns(path, _PART)


_MOTORS = (("theta",), ("theta_a", "theta_b"))
_TORQUE = {"q": ("angle", "length"), "theta": ("angle", "length"), "tau": ("torque",)}


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueRecording:
    """Columns of a recording: q (N,), tau (N,), theta (N, m) or (m,), branch (N,) or None."""

    q: Floats
    tau: Floats
    theta: Floats
    branch: Floats | None


def read_torque_file(path: str | Path, theta: Sequence[float] = ()) -> TorqueRecording:
    """Read a recording.

    Args:
        path: CSV or JSON file.
        theta: [rad] where the motors were held, for a file without motor columns.
    """
    with located(path):
        columns = read_columns(path, _TORQUE)
        have = _motors(columns, theta)
    motors = np.column_stack([columns[name] for name in have]) if have else np.array(theta, float)
    return TorqueRecording(
        q=columns["q"], tau=columns["tau"], theta=motors, branch=columns.get("branch")
    )


def _motors(columns: Mapping[str, Floats], theta: Sequence[float]) -> tuple[str, ...]:
    """The motor columns that the file has, none where `theta` says where they were held."""
    for name in ("q", "tau"):
        if name not in columns:
            raise PliantError(
                "no such column",
                field=name,
                found=", ".join(columns),
                accepted="q, tau, and theta, or theta_a and theta_b",
            )
    have = tuple(name for name in ("theta", "theta_a", "theta_b") if name in columns)
    if have and theta:
        raise PliantError(
            "motor angles are both in the file and given",
            field="--theta",
            found=", ".join(have),
            accepted="one of both",
        )
    if have not in ((), *_MOTORS) or not (have or theta):
        raise PliantError(
            "motor channel missing",
            field="theta",
            found=", ".join(have) or "none",
            accepted="theta, or theta_a and theta_b, or --theta RAD",
        )
    return have
