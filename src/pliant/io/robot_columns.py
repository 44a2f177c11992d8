"""Recordings of a robot as named columns: `time`, `position_<joint>`, `goal_<joint>` and so on."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.clock import check_plausible
from pliant.io.robot_log import OTHERS, RobotLog

COLUMNS = "time, position_<joint>, goal_<joint>, speed_<joint>, current_<joint>, enabled_<joint>, enabled, supply"
_KINDS = ("position", "goal", "speed", "current_as_recorded", "current", "enabled", *OTHERS)
Place = Callable[[int], str]
"""Name of a row, from its number."""


def log_of(
    path: Path, values: Mapping[str, Floats], digest: str, *, head: str, place: Place
) -> RobotLog:
    """The recording in columns of equal length.

    Args:
        path: of the file. values: name to (N,). digest: of the file.
        head: the place of the names in the file. place: that of a row.

    Raises:
        PliantError: a column is unknown or missing, a number is not finite, or time does not rise.
    """
    joints = _joints(list(values), head)
    _check_time(values["time"], place)
    for name, column in values.items():
        _check_column(name, column, place)
    count = len(values["time"])
    ones, nothing = np.ones(count), np.full(count, np.nan)

    def of_each(kind: str) -> Floats:
        return np.column_stack([values.get(f"{kind}_{joint}", nothing) for joint in joints])

    always = values.get("enabled", ones)
    enabled = [values.get(f"enabled_{joint}", always) for joint in joints]
    currents = [
        f"current_{j}" if f"current_{j}" in values else f"current_as_recorded_{j}" for j in joints
    ]
    current = np.column_stack([values.get(name, nothing) for name in currents])
    return RobotLog(
        path.stem,
        joints,
        values["time"] - values["time"][0],
        of_each("position"),
        of_each("goal"),
        of_each("speed"),
        np.column_stack(enabled) > 0.5,
        values.get("supply"),
        None if np.isnan(current).all() else current,
        path,
        digest,
        {kind: of_each(kind) for kind in OTHERS if any(f"{kind}_{j}" in values for j in joints)},
    )


def columns_of(log: RobotLog) -> dict[str, Floats]:
    """The columns of a recording, as `log_of` reads them."""
    columns: dict[str, Floats] = {"time": log.time}
    parts = {"goal": log.goal, "position": log.position, "speed": log.speed}
    if log.current is not None:
        parts["current"] = log.current
    parts |= log.others
    for k, joint in enumerate(log.joints):
        for kind, values in parts.items():
            if not np.isnan(values[:, k]).any():
                columns[f"{kind}_{joint}"] = values[:, k]
        if not log.enabled[:, k].all():
            columns[f"enabled_{joint}"] = log.enabled[:, k].astype(np.float64)
    if log.supply is not None:
        columns["supply"] = log.supply
    return columns


def _joints(head: Sequence[str], place: str) -> tuple[str, ...]:
    """The joints that have a position, in the order of the file."""
    parts = [_parted(name, place) for name in head if name not in ("time", "supply", "enabled")]
    joints = tuple(joint for kind, joint in parts if kind == "position")
    if "time" not in head or not joints:
        missing = "time" if "time" not in head else "position_<joint>"
        raise PliantError(
            f"has no column {missing}",
            field=place,
            found=list(head),
            accepted=COLUMNS,
        )
    positioned = set(joints)
    for kind, joint in parts:
        if joint not in positioned:
            raise PliantError(
                f"is a joint without position_{joint}",
                field=place,
                found=f"{kind}_{joint}",
                accepted=joints,
            )
    return joints


def _parted(name: str, place: str) -> tuple[str, str]:
    """Kind and joint of a column."""
    for kind in _KINDS:
        joint = name.removeprefix(f"{kind}_")
        if joint not in (name, ""):
            return kind, joint
    raise PliantError("is not a known column", field=place, found=name, accepted=COLUMNS)


def _check_column(name: str, column: Floats, place: Place) -> None:
    bad = ~np.isfinite(column)
    accepted = "a finite number"
    if name.startswith("enabled"):
        bad |= (column != 0.0) & (column != 1.0)
        accepted = "0 or 1"
    elif name == "supply":
        bad |= ~(column > 0.0)
        accepted = "above 0 V"
    if bad.any():
        k = int(np.argmax(bad))
        raise PliantError(
            "cannot be used",
            field=f"{place(k)}, {name}",
            found=float(column[k]),
            accepted=accepted,
        )


def _check_time(time: Floats, place: Place) -> None:
    _check_column("time", time, place)
    still = np.diff(time) <= 0.0
    if still.any():
        k = int(np.argmax(still)) + 1
        raise PliantError(
            "time does not increase",
            field=f"{place(k)}, time",
            found=float(time[k]),
            accepted=f"above {time[k - 1]:g}",
        )
    check_plausible(time)
