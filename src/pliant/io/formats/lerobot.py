"""LeRobot data sets: a folder with `meta/info.json` and Parquet files, of version 2.1 or 3.0.

Read of each episode are `observation.state` and `action`; images and videos are not touched. The
paths in the files are not followed: `data/` is searched, and rows are sorted by episode and frame.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.findings import Finding
from pliant.io.formats.lerobot_names import (
    beside,
    check_joints,
    feature_names,
    of_pose,
    positions,
    unread,
)
from pliant.io.formats.reading import Reading, check_size, renamed
from pliant.io.formats.runs import LEAST, run
from pliant.io.formats.tables import ParquetFile
from pliant.io.lost_values import GAP
from pliant.io.robot_log import RobotLog
from pliant.io.validated import parsed_json

INFO = Path("meta") / "info.json"
VERSIONS = ("v2.0", "v2.1", "v3.0")
STATE, ACTION = "observation.state", "action"
_ROWS = ("timestamp", "frame_index", "episode_index")
IN_PERCENT = ("so100", "so101", "so_", "bi_so", "koch", "bi_koch", "lekiwi")
"""Beginnings of LeRobot's names of robots whose grippers it writes in 0 to 100 % of their range."""
JITTER = 0.02
"""[frames] Stamps that are off by less are the frame's number divided by the rate: they are kept with
seven digits."""


def is_lerobot(path: Path) -> bool:
    """Whether a folder is such a data set, or was meant to be one."""
    data = path / "data"
    meant = (path / "meta").is_dir() and data.is_dir()
    return (path / INFO).is_file() or meant or any(data.glob("chunk-*/*.parquet"))


def read_lerobot(path: Path, reading: Reading) -> list[RobotLog]:
    """The episodes of a data set, a log each, in the units that it was written in."""
    info = _info(path / INFO)
    with located(path / INFO):
        states, actions = feature_names(info, STATE), feature_names(info, ACTION)
        fps = _rate(info)
    rows = _rows(path, info, partial=bool(reading.episodes))
    episodes = rows["episode_index"].astype(np.int64)
    present = [int(k) for k in np.unique(episodes)]
    for wanted in reading.episodes:
        if wanted not in present:
            accepted = f"{present[0]} to {present[-1]}"
            raise PliantError("no such episode", field="episodes", found=wanted, accepted=accepted)
    short = [] if reading.episodes else _short(episodes, present)
    told = _too_short(short)
    if behind := unread(info, (STATE, ACTION)):
        told.append(Finding("missing", "features", f"not read: {', '.join(behind)}"[:500], "note"))
    if str(info.get("robot_type")).lower().startswith(IN_PERCENT):
        told += _grippers(list(positions(states)), reading)
    logs: list[RobotLog] = []
    for episode in reading.episodes or [k for k in present if k not in short]:
        mine = np.flatnonzero(episodes == episode)
        mine = mine[np.argsort(rows["frame_index"][mine], kind="stable")]
        with located(field=f"episode {episode}"):
            columns = {name: values[mine] for name, values in rows.items()}
            log = _episode(path, episode, columns, states, actions, fps, reading)
        logs.append(replace(log, findings=(*told, *log.findings)))
    return logs


def _short(episodes: NDArray[np.int64], present: Sequence[int]) -> list[int]:
    """Episodes too short to have motion, from recordings stopped at once. None if all are too short."""
    counts = np.unique(episodes, return_counts=True)[1]
    found = [k for k, count in zip(present, counts, strict=True) if count < LEAST]
    return found if len(found) < len(present) else []


def _too_short(episodes: Sequence[int]) -> list[Finding]:
    if not episodes:
        return []
    told = ", ".join(map(str, episodes[:10])) + (", ..." if len(episodes) > 10 else "")
    text = f"{told}: fewer than {LEAST} frames each, left out"
    return [Finding("length", "episodes", text, "warning")]


def _grippers(joints: Sequence[str], reading: Reading) -> list[Finding]:
    """Grippers that would be read in degrees."""
    found: list[Finding] = []
    for joint in joints:
        ours = renamed(joint, reading.rename)
        unit = reading.units.get(joint, reading.units.get(ours, reading.unit))
        if joint.endswith("gripper") and unit == "deg":
            text = (
                "LeRobot writes this gripper in percent of its range, also where the arm is in degrees: "
                f"--unit deg,{ours}=percent, with --robot or --reading calibration=FILE for the range"
            )
            found.append(Finding("position-unit", f"position_{joint}", text, "warning"))
    return found


def _episode(
    path: Path,
    episode: int,
    columns: Mapping[str, Floats],
    states: Sequence[str],
    actions: Sequence[str],
    fps: float,
    reading: Reading,
) -> RobotLog:
    state, action = columns[STATE], columns[ACTION]
    for name, values, names in ((STATE, state, states), (ACTION, action, actions)):
        if values.shape[1] != len(names):
            raise PliantError(
                "has another number of values than meta/info.json says",
                field=name,
                found=values.shape[1],
                accepted=str(len(names)),
            )
    moved, told = positions(states), positions(actions)
    check_joints(states, list(moved), STATE)
    joints = list(moved)
    by_pose = of_pose(list(told))
    meant = {} if by_pose else reading.commands_of(joints, list(told))
    goal = np.full((len(state), len(joints)), np.nan)
    channels: dict[str, Floats] = {}
    for k, joint in enumerate(joints):
        if joint in meant:
            goal[:, k] = action[:, list(told.values())[meant[joint]]]
        for channel, place in beside(states, joint).items():
            channels.setdefault(channel, np.full(goal.shape, np.nan))[:, k] = state[:, place]
    log = run(
        f"{path.name}_{episode:03d}",
        path,
        joints,
        _times(columns, fps),
        state[:, list(moved.values())],
        goal=goal,
        channels=channels,
        findings=[
            *(_poses(list(told)) if by_pose else _commanded(joints, list(told), list(meant))),
            *_left_out(states, joints),
            *_findings(columns, fps),
        ],
    )
    return replace(log, also=tuple(told))


def _left_out(names: Sequence[str], joints: Sequence[str]) -> list[Finding]:
    """Values that are neither positions nor channels beside them: of a wheeled base, for one."""
    places = {place for joint in joints for place in beside(names, joint).values()}
    known = places | set(positions(names).values())
    rest = [name for k, name in enumerate(names) if k not in known]
    if not rest:
        return []
    text = f"{', '.join(rest)} are no positions of joints: left out"
    return [Finding("missing", STATE, text[:500], "note")]


def _poses(actions: Sequence[str]) -> list[Finding]:
    text = (
        f"is a pose of the end effector ({', '.join(actions[:7])}), not of joints: these can only follow "
        "their recording"
    )
    return [Finding("missing", ACTION, text[:500], "warning")]


def _commanded(
    states: Sequence[str], actions: Sequence[str], meant: Sequence[str]
) -> list[Finding]:
    """Joints whose command the set does not have, by their names."""
    missing = [name for name in states if name not in meant]
    if not missing:
        return []
    other = [name for name in actions if name not in states]
    text = f"has no command of {', '.join(missing)}: these can only follow their recording"
    if other:
        text += f"; it has {', '.join(other)}, which observation.state does not"
        text += f" (if these are the same, --rename {other[0]}={missing[0]})"
    return [Finding("missing", ACTION, text[:500], "warning")]


def _by_design(columns: Mapping[str, Floats], fps: float) -> bool:
    """Whether the times are only frame numbers divided by the rate."""
    time, frame = columns["timestamp"], columns["frame_index"]
    return bool(np.abs((time - time[0]) * fps - (frame - frame[0])).max() < JITTER)


def _times(columns: Mapping[str, Floats], fps: float) -> Floats:
    """(N,) [s], with all digits where they follow from the frames."""
    frame = columns["frame_index"]
    return (frame - frame[0]) / fps if _by_design(columns, fps) else columns["timestamp"]


def _findings(columns: Mapping[str, Floats], fps: float) -> list[Finding]:
    """Findings on the rate and on timing information that such data sets lack."""
    time, frame = _times(columns, fps), columns["frame_index"]
    said = [
        Finding(
            "order",
            STATE,
            "was read before the action of its row was sent: a command acts from its row on, or a "
            "fraction of a frame later; `action` is the teleoperator's value, before limits of the robot",
            "note",
        )
    ]
    if _by_design(columns, fps):
        text = (
            f"is frame_index / {fps:g} Hz by design: the real times and their jitter are not kept"
        )
        said.append(Finding("rate", "timestamp", text, "note"))
    elif time[-1] > time[0]:
        apart = np.diff(time)
        # A pause between two recordings says nothing of the rate.
        real = 1.0 / float(np.mean(apart[apart <= GAP * np.median(apart)]))
        if abs(real / fps - 1.0) > 0.02:
            text = f"come at {real:.4g} Hz, where meta/info.json says {fps:g} Hz"
            said.append(Finding("rate", "timestamp", text, "warning"))
    missing = int(frame[-1] - frame[0]) + 1 - len(frame)
    if missing > 0:
        text = f"{missing} of {missing + len(frame)} frames are missing"
        said.append(Finding("gap", "frame_index", text, "warning"))
    return said


def _rows(path: Path, info: Mapping[str, Any], *, partial: bool) -> dict[str, Floats]:
    """All rows of all files, of the columns that are read; of those that there are, where `partial`."""
    files = sorted((path / "data").glob("**/*.parquet"))
    for folder in (path / "data", *(path / "data").glob("*/")):  # what may not be read looks empty
        if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK):
            raise PliantError("cannot be read", file=folder, found="Permission denied")
    if not files:
        raise PliantError("has no data", file=path / "data", accepted="*.parquet")
    tables = [ParquetFile(file) for file in files]
    width = 3 + sum(len(feature_names(info, name)) for name in (STATE, ACTION))
    with located(path):
        check_size(width * sum(table.rows for table in tables))
    parts = [table.columns([*_ROWS, STATE, ACTION]) for table in tables]
    rows: dict[str, Floats] = {}
    for name in (*_ROWS, STATE, ACTION):
        columns = [part[name] for part in parts]
        if len({column.shape[1:] for column in columns}) > 1:
            raise PliantError("differs in width from file to file", file=path, field=name)
        rows[name] = np.concatenate(columns)
    for name in _ROWS:
        if rows[name].ndim != 1 or not np.isfinite(rows[name]).all():
            raise PliantError("is not a finite number in every row", file=path, field=name)
    for name in (STATE, ACTION):
        if rows[name].ndim != 2:
            raise PliantError("is not a list in every row", file=path, field=name)
    said = info.get("total_frames")
    found = len(rows["timestamp"])
    if not found:
        raise PliantError("has no frames", file=path / "data", accepted="at least one episode")
    if isinstance(said, int) and said != found and not (partial and found < said):
        raise PliantError(
            "has another number of frames than meta/info.json says: is a file missing?",
            file=path,
            field="total_frames",
            found=found,
            accepted=f"{said}, or --reading episodes=... with some of the existing episodes",
        )
    return rows


def _info(path: Path) -> dict[str, Any]:
    with located(path):
        info = parsed_json(read_text(path, largest=4 * MIB), "description of a data set")
        if info.get("codebase_version") not in VERSIONS:
            raise PliantError(
                "is not a version of LeRobot's format that Pliant reads",
                field="codebase_version",
                found=info.get("codebase_version"),
                accepted=VERSIONS,
            )
    return info


def _rate(info: Mapping[str, Any]) -> float:
    fps = info.get("fps")
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 0.0 < fps < 1e5:
        raise PliantError("is not a rate", field="fps", found=fps, accepted="frames per second")
    return float(fps)
