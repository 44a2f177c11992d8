"""Recordings of a robot as named columns: `time`, `position_<joint>`, `goal_<joint>` and so on.

Columns may be paths of topics, as PlotJuggler and others export them:
/joint_states/elbow/position, /joint_commands/elbow/position, /joint_states/position[1]
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.robot_log import OTHERS, RobotLog

TIMES = ("__time", "timestamp", "Time", "TIME", "t")
_FIELDS: Mapping[str, str] = {
    "position": "position", "positions": "position", "pos": "position", "q": "position", "data": "position",
    "velocity": "speed", "velocities": "speed", "vel": "speed", "dq": "speed",
    "effort": "torque", "torque": "torque", "tau_est": "torque",
}  # fmt: skip
_COMMANDS = re.compile(r"command|cmd|goal|target|desired|reference|setpoint", re.IGNORECASE)
_INDEX = re.compile(r"(?P<name>.+?)[\[.](?P<number>\d{1,4})\]?")


def _path_parted(name: str) -> tuple[str, str, str] | None:
    """Topic, joint and field of a path; None where it is no path of a joint's signal."""
    parts = name.strip("/").split("/")
    indexed = _INDEX.fullmatch(parts[-1])
    if indexed and indexed["name"] in _FIELDS:
        return "/".join(parts[:-1]), f"joint_{indexed['number']}", indexed["name"]
    if len(parts) < 2 or parts[-1] not in _FIELDS or parts[-1] == "data":
        return None
    return "/".join(parts[:-2]), parts[-2], parts[-1]


def understood(
    head: Sequence[str], state: str | None = None, command: str | None = None
) -> dict[str, str]:
    """Name of a column to `position_elbow` and the like, of those that are understood; empty where none is a path.

    Args:
        head: names. state, command: topics, where several would do.

    Raises:
        PliantError: several topics have the positions, or the commands, of one joint, or none of them is
            that which is chosen.
    """
    parts = {name: found for name in head if "/" in name and (found := _path_parted(name))}
    topics = {topic for topic, _, _ in parts.values()}
    for option, chosen in (("state", state), ("command", command)):
        if chosen is not None and chosen.strip("/") not in topics:
            raise PliantError("no such topic", field=option, found=chosen, accepted=topics)
    meant: dict[str, str] = {}
    owner: dict[str, str] = {}
    for name, (topic, joint, field) in parts.items():
        told = bool(_COMMANDS.search(topic))
        chosen = command if told else state
        kind = _FIELDS[field]
        if (told and kind != "position") or (
            chosen is not None and topic.strip("/") != chosen.strip("/")
        ):
            continue
        ours = f"{'goal' if told else kind}_{joint}"
        if ours in owner:
            option = "command" if told else "state"
            raise PliantError(
                f"several topics match: name one with --reading {option}=TOPIC",
                field="line 1",
                found=ours,
                accepted=sorted({owner[ours], topic}),
            )
        owner[ours] = topic
        meant[name] = ours
    # A command of a joint without a position is of no use.
    moved = {
        ours.removeprefix("position_") for ours in meant.values() if ours.startswith("position_")
    }
    meant = {name: ours for name, ours in meant.items() if ours.partition("_")[2] in moved}
    if meant and "time" not in head:
        meant |= {name: "time" for name in head if name in TIMES}
    elif meant:
        meant["time"] = "time"
    return meant


COLUMNS = "time, position_<joint>, goal_<joint>, speed_<joint>, current_<joint>, enabled_<joint>, enabled, supply"
_KINDS = ("position", "goal", "speed", "current_as_recorded", "current", "enabled", *OTHERS)


def log_of(
    path: Path,
    values: Mapping[str, Floats],
    digest: str,
    *,
    head: str,
    where: str,
    rows: NDArray[np.int64],
) -> RobotLog:
    """The recording in columns of equal length.

    Args:
        path: of the file. values: name to (N,). digest: of the file.
        head: the place of the names in the file. where, rows: how the file names a row, and its number.

    Raises:
        PliantError: a column is unknown or missing, or holds what no such column can.
    """
    joints = _joints(list(values), head)
    for name, column in values.items():
        _check_column(name, column, where, rows)
    count = len(rows)
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
        values["time"],
        of_each("position"),
        of_each("goal"),
        of_each("speed"),
        np.column_stack(enabled) > 0.5,
        values.get("supply"),
        None if np.isnan(current).all() else current,
        path,
        digest,
        {kind: of_each(kind) for kind in OTHERS if any(f"{kind}_{j}" in values for j in joints)},
        rows=rows,
        where=where,
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
        problem = f"has no column {missing}"
        raise PliantError(problem, field=place, found=list(head), accepted=COLUMNS)
    positioned = set(joints)
    for kind, joint in parts:
        if joint not in positioned:
            problem, found = f"is a joint without position_{joint}", f"{kind}_{joint}"
            raise PliantError(problem, field=place, found=found, accepted=joints)
    return joints


def _parted(name: str, place: str) -> tuple[str, str]:
    """Kind and joint of a column."""
    for kind in _KINDS:
        joint = name.removeprefix(f"{kind}_")
        if joint not in (name, ""):
            return kind, joint
    raise PliantError("is not a known column", field=place, found=name, accepted=COLUMNS)


def _check_column(name: str, column: Floats, where: str, rows: NDArray[np.int64]) -> None:
    """Refuse what is neither on nor off, no voltage, or lost where no check of samples looks for it."""
    accepted = "a finite number"
    if name.startswith("enabled"):
        bad = (column != 0.0) & (column != 1.0)
        accepted = "0 or 1"
    elif name == "supply":
        bad = ~((column > 0.0) & np.isfinite(column))
        accepted = "above 0 V"
    elif name == "time" or name.startswith(("position_", "goal_", "speed_")):
        return
    else:
        bad = ~np.isfinite(column)
    if bad.any():
        k = int(np.argmax(bad))
        raise PliantError(
            "cannot be used",
            field=f"{where.format(int(rows[k]))}, {name}",
            found=float(column[k]),
            accepted=accepted,
        )
