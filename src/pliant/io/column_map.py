"""Column maps: which CSV column is which channel, in which unit, and the missing constants.

    counts_per_turn = 4096        # only where a unit is counts
    zero = 2048                   # position and goal at the joint's zero, in their unit; else 0

    [columns]
    time = "t[ms]"
    position = "q[counts]"
    goal = { column = "q_des", unit = "deg" }

    [constants]
    mass = 0.5          # kg
    length = 0.1        # m
    gain = 200          # firmware unit

or on one line: `time=t[ms],position=q[counts],counts_per_turn=4096,mass=0.5`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import pi
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from pliant import csv_rows as units
from pliant.csv_rows import split_unit, to_number
from pliant.errors import PliantError, check_known, located
from pliant.io.table import UNITS, Header
from pliant.io.validated import Strict, read_toml, validated

_ANGLES: Mapping[str, float | None] = {**units.UNITS["angle"], "counts": None}

ACCEPTED_UNITS: Mapping[str, Mapping[str, float | None]] = {
    "time": units.UNITS["time"],
    "position": _ANGLES,
    "goal": _ANGLES,
    "enabled": {"0 or 1": 1.0},
    "velocity": {**units.UNITS["angular speed"], "counts/s": None},
    "voltage": {**units.UNITS["voltage"], "0.1 V": 0.1, "dV": 0.1},
    "torque": units.UNITS["torque"],
    "temperature": {"degC": 1.0, "°C": 1.0},
}
"""Per channel: unit and its size in the unit of `UNITS` (None: needs `counts_per_turn`)."""


def _column(value: object) -> object:
    """`"q[deg]"` as `{"column": "q", "unit": "deg"}`."""
    if not isinstance(value, str):
        return value
    name, unit = split_unit(value)
    return {"column": name} if unit is None else {"column": name, "unit": unit}


class Column(Strict):
    """One column of the file and the unit its numbers are in (default: the SI one)."""

    column: Annotated[str, Field(min_length=1)]
    unit: str | None = None


_Column = Annotated[Column, BeforeValidator(_column)]


class Columns(Strict):
    """The columns of the channels; time and position are always needed."""

    time: _Column
    position: _Column
    goal: _Column | None = None
    enabled: _Column | None = None
    velocity: _Column | None = None
    voltage: _Column | None = None
    torque: _Column | None = None
    temperature: _Column | None = None


class _Map(Strict):
    """Settings of a map of either kind."""

    counts_per_turn: Annotated[float, Field(gt=0.0)] | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """None: the one that the header has."""

    def radians(self, name: str, unit: str) -> float:
        """[rad] Of one count of a column."""
        if self.counts_per_turn is None:
            raise PliantError(
                f"is needed for {name} in {unit}",
                field="counts_per_turn",
                accepted="a positive number",
            )
        return 2.0 * pi / self.counts_per_turn


class ColumnMap(_Map):
    """Columns and constants of one kind of CSV file."""

    columns: Columns
    constants: Header = Header()
    zero: float = 0.0
    """Position and goal at the joint's zero, in their columns' unit: 2048 for counts about their middle."""

    @classmethod
    def load(cls, source: Path | str) -> "ColumnMap":
        """Load a TOML file (a path, or text that ends in `.toml`), or options on one line."""
        with located(_place(source)):
            found = validated(cls, _document(source, _options, "time", "position"))
            for channel in UNITS:
                if found.column(channel) is not None:
                    found.factor(channel)
        return found

    def column(self, channel: str) -> Column | None:
        """The column of a channel, if it has one."""
        return getattr(self.columns, channel)

    def factor(self, channel: str, unit: str | None = None) -> float:
        """Size of the column's unit (or of `unit` if the column states none) in the unit of `UNITS`."""
        column = self.column(channel)
        unit = (column.unit if column else None) or unit or UNITS[channel]
        known = ACCEPTED_UNITS[channel]
        check_known(unit, known, f"is not a unit of {channel}", field=f"columns.{channel}")
        size = known[unit]
        return self.radians(channel, unit) if size is None else size


class RobotColumnMap(_Map):
    """Columns of one kind of CSV file of a robot: `position_elbow = "q2[counts]"`."""

    columns: dict[str, _Column]
    zero: float | dict[str, float] = 0.0
    """Positions and goals at the zero of all joints, or of each, in their columns' unit."""

    @classmethod
    def load(cls, source: Path | str | ColumnMap) -> "RobotColumnMap":
        """Load a TOML file (a path, or text that ends in `.toml`), or options on one line."""
        if isinstance(source, ColumnMap) or not of_robot_columns(source):
            accepted = "position_<joint>=...; the log of one joint is read as it is by check, identify, evaluate, plot, view"
            raise PliantError("names no joint", field="--columns", found=source, accepted=accepted)
        with located(_place(source)):
            return validated(cls, _document(source, _robot_options, "time"))

    def scale(self, name: str, unit: str | None, quantities: Sequence[str]) -> tuple[float, float]:
        """Zero of the numbers of a column, and the size of their unit in the SI unit.

        Args:
            name: `position_elbow`. unit: None for the SI unit.
            quantities: that it may be measured in (keys of `csv_rows.UNITS`).
        """
        kind, _, joint = name.partition("_")
        zero = self.zero.get(joint, 0.0) if isinstance(self.zero, dict) else self.zero
        zero = zero if kind in ("position", "goal") else 0.0
        if unit in ("counts", "counts/s"):
            return zero, self.radians(name, unit)
        return zero, 1.0 if unit is None else units.unit_size(name, unit, quantities)


def _is_file(source: Path | str) -> bool:
    return isinstance(source, Path) or source.endswith(".toml")


def _place(source: Path | str) -> Path | str:
    return source if _is_file(source) else "columns"


def _document(
    source: Path | str, said: Callable[[str], dict[str, Any]], *needed: str
) -> dict[str, Any]:
    """A map as a document, in which these columns are."""
    document = read_toml(Path(source)) if _is_file(source) else said(str(source))
    _check_whole(document, *needed)
    return document


def _check_whole(document: Mapping[str, Any], *needed: str) -> None:
    said: object = document.get("columns")
    columns = cast("dict[str, Any]", said) if isinstance(said, dict) else dict.fromkeys(needed)
    for name in needed:
        if name not in columns:
            raise PliantError(
                f"a map replaces all names of the header, and this one has no {name}",
                field=f"columns.{name}",
                found=", ".join(columns),
                accepted=f"these and {name}=NAME, such as {name}={name}",
            )


def of_robot_columns(source: Path | str | ColumnMap) -> bool:
    """Whether a map is one of several joints: it has `position_<joint>`, and no `position`."""
    if isinstance(source, ColumnMap):
        return False
    if _is_file(source):
        columns = read_toml(Path(source)).get("columns", {})
        names = set(cast("dict[str, Any]", columns)) if isinstance(columns, dict) else set[str]()
    else:
        names = {part.partition("=")[0].strip() for part in str(source).split(",")}
    return "position" not in names and any(name.startswith("position_") for name in names)


def _pairs(text: str) -> list[tuple[str, str]]:
    """`name=value`, separated by commas, each name once."""
    found: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise PliantError("is not name=column", found=part, accepted="such as position=q[deg]")
        if name in dict(found):
            raise PliantError("is given twice", found=name)
        found.append((name, value))
    return found


def _options(text: str) -> dict[str, Any]:
    """`name=value` pairs; names of channels, of constants, or of the map itself."""
    columns: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    others: dict[str, Any] = {}
    known = [*UNITS, *Header.model_fields, "counts_per_turn", "zero", "delimiter"]
    for name, value in _pairs(text):
        check_known(name, known, "is not a channel or constant")
        if name in UNITS:
            columns[name] = value
        elif name in Header.model_fields:
            constants[name] = value if name in ("device", "trajectory") else _float(name, value)
        else:
            others[name] = value if name == "delimiter" else _float(name, value)
    return {"columns": columns, "constants": constants, **others}


def _robot_options(text: str) -> dict[str, Any]:
    """`name=value` pairs; names of columns, or of the map itself."""
    pairs, own = _pairs(text), _Map.model_fields.keys() | {"zero"}
    others = {n: x if n == "delimiter" else _float(n, x) for n, x in pairs if n in own}
    return {"columns": {n: x for n, x in pairs if n not in own}, **others}


def _float(name: str, text: str) -> float:
    try:
        return to_number(text)
    except ValueError:
        raise PliantError("is not a number", field=name, found=text, accepted="a number") from None
