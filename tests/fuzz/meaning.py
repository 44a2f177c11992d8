"""Recordings whose truth is known, with faults of meaning in random combination, in every format.

A simulated robot is recorded as people record theirs: with counts that wrap, failed reads, two publishers,
a clock that jumps, "commands" that are none. Whatever a reader returns must be the truth, or be spoken of.
"""

import csv
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from pliant.errors import PliantError
from pliant.io.formats.reading import Reading
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs

RIGHT = 0.03
"""[rad] From the truth: quantisation, and commands held between samples."""
MENDED = 0.35
"""[rad] The same of a value that was put on a line through its neighbours, told as such: a joint that starts
while three reads fail is so far from it."""
TURN = 2.0 * np.pi
STORE = get_typestore(Stores.ROS2_HUMBLE)


@dataclass
class Made:
    """A recording: what was true, what is written, and what was done to it."""

    names: list[str]
    time: np.ndarray
    true: np.ndarray
    goal: np.ndarray
    rows: np.ndarray
    stamps: np.ndarray
    position: np.ndarray
    told: np.ndarray
    done: list[str] = field(default_factory=list)
    second: np.ndarray | None = None
    every: int = 1
    order: list[int] | None = None
    degrees: bool = False


def simulated(rng: np.random.Generator) -> Made:
    """Servos with friction and a delay that follow sines, steps or ramps; an encoder of 12 bits."""
    count, rate = int(rng.integers(2, 4)), float(rng.choice([30.0, 50.0, 100.0, 200.0]))
    length = float(rng.uniform(8.0, 14.0))
    fine = np.arange(0.0, length, 1e-3)
    goals = np.zeros((len(fine), count))
    for k in range(count):
        kind = rng.choice(["sines", "steps", "ramps"])
        size, slow = rng.uniform(0.4, 1.2), rng.uniform(0.8, 2.5)
        if kind == "sines":
            goals[:, k] = size * (np.sin(slow * fine) + 0.5 * np.sin(2.3 * slow * fine + k)) / 1.3
        else:
            at = np.arange(0.0, length + 2.0, rng.uniform(0.8, 1.6))
            to = rng.uniform(-size, size, len(at))
            to[0] = 0.0
            held = to[np.searchsorted(at, fine, side="right") - 1]
            goals[:, k] = held if kind == "steps" else np.interp(fine, at, to)
    q, v = goals[0].copy(), np.zeros(count)
    stiff, damp, dry = rng.uniform(150.0, 600.0), rng.uniform(15.0, 35.0), rng.uniform(1.0, 6.0)
    late = int(rng.integers(4, 25))
    path = np.empty_like(goals)
    for n in range(len(fine)):
        force = stiff * (goals[max(n - late, 0)] - q) - damp * v
        v = v + 1e-3 * (force - dry * np.tanh(v / 0.01))
        q = q + 1e-3 * v
        path[n] = q
    every = round(1000.0 / rate)
    true, goal, time = path[::every], goals[::every], fine[::every]
    quantum = TURN / 4096
    seen = np.round(true / quantum) * quantum
    rows = np.arange(len(time))
    names = ["shoulder", "elbow", "wrist"][:count]
    return Made(names, time, seen.copy(), goal.copy(), rows, time.copy(), seen.copy(), goal.copy())


def _joint(made: Made, rng: np.random.Generator) -> int:
    return int(rng.integers(len(made.names)))


def wraps(made: Made, rng: np.random.Generator) -> None:
    k = _joint(made, rng)
    made.position[:, k] = np.mod(made.position[:, k], TURN * int(rng.choice([1, 16])))


def turns(made: Made, rng: np.random.Generator) -> None:
    made.position[:, _joint(made, rng)] += TURN * float(rng.choice([-2, -1, 1, 3]))


def sign_bit(made: Made, rng: np.random.Generator) -> None:
    k = _joint(made, rng)
    line = made.position[:, k]
    made.position[:, k] = np.where(line < 0.0, TURN * int(rng.choice([1, 8])) - line, line)


def degrees(made: Made, rng: np.random.Generator) -> None:
    made.position, made.told = np.degrees(made.position), np.degrees(made.told)
    made.degrees = True


def degrees_of_one(made: Made, rng: np.random.Generator) -> None:
    k = _joint(made, rng)
    made.position[:, k] = np.degrees(made.position[:, k])


def failed_reads(made: Made, rng: np.random.Generator) -> None:
    lost = rng.random(len(made.rows)) < rng.choice([0.01, 0.05, 1 / 6])
    made.position[lost, _joint(made, rng)] = 0.0


def lost_values(made: Made, rng: np.random.Generator) -> None:
    k, n = _joint(made, rng), len(made.rows)
    begin = int(rng.choice([0, rng.integers(n)]))
    made.position[begin : begin + int(rng.integers(1, n // 5)), k] = np.nan


def single_values(made: Made, rng: np.random.Generator) -> None:
    made.position[rng.integers(1, len(made.rows) - 1, 3), _joint(made, rng)] = np.nan


def slip(made: Made, rng: np.random.Generator) -> None:
    begin = int(rng.integers(len(made.rows) // 4, 3 * len(made.rows) // 4))
    made.position[begin:, _joint(made, rng)] += float(rng.choice([-1, 1]) * rng.uniform(0.3, 2.0))


def gap(made: Made, rng: np.random.Generator) -> None:
    made.stamps[int(rng.integers(20, len(made.rows) - 20)) :] += float(rng.uniform(0.5, 20.0))


def clock_back(made: Made, rng: np.random.Generator) -> None:
    made.stamps[int(rng.integers(20, len(made.rows) - 20)) :] -= float(rng.uniform(0.1, 5.0))


def exchanged(made: Made, rng: np.random.Generator) -> None:
    at = int(rng.integers(5, len(made.rows) - 5))
    order = np.arange(len(made.rows))
    order[[at, at + 1]] = order[[at + 1, at]]
    for name in ("rows", "stamps", "position", "told"):
        setattr(made, name, getattr(made, name)[order])


def twice(made: Made, rng: np.random.Generator) -> None:
    at = np.sort(np.r_[np.arange(len(made.rows)), rng.integers(5, len(made.rows) - 5, 4)])
    for name in ("rows", "stamps", "position", "told"):
        setattr(made, name, getattr(made, name)[at])


def next_state(made: Made, rng: np.random.Generator) -> None:
    made.told = np.vstack([made.position[1:], made.position[-1:]])


def speeds(made: Made, rng: np.random.Generator) -> None:
    made.told = (
        np.gradient(made.told, made.time, axis=0) if len(made.told) == len(made.time) else made.told
    )


def second_publisher(made: Made, rng: np.random.Generator) -> None:
    made.every = int(rng.choice([1, 2, 5, 10]))
    made.second = (
        np.zeros(len(made.names)) if rng.random() < 0.5 else rng.uniform(-1, 1, len(made.names))
    )


def other_order(made: Made, rng: np.random.Generator) -> None:
    made.order = rng.permutation(len(made.names)).tolist()


FAULTS: list[Callable[[Made, np.random.Generator], None]] = [
    wraps, turns, sign_bit, degrees, degrees_of_one, failed_reads, lost_values, single_values, slip, gap,
    clock_back, exchanged, twice, next_state, speeds,
]  # fmt: skip
NOT_OF_BAGS = (clock_back, exchanged, twice)
"""A bag is sorted by the times of its messages as it is written."""
OF_BAGS = [second_publisher, other_order]


def as_csv(made: Made, folder: Path) -> tuple[Path, Reading]:
    head = ["time", *(f"position_{n}" for n in made.names), *(f"goal_{n}" for n in made.names)]
    table = np.column_stack([made.stamps, made.position, made.told])
    return _rows(folder / "run.csv", head, table.tolist()), Reading()


def _rows(path: Path, head: list[str], rows: list[list[Any]], separator: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(head)
        writer.writerows(rows)
    return path


def as_blanks(made: Made, folder: Path) -> tuple[Path, Reading]:
    path, _ = as_csv(made, folder)
    path.write_text(path.read_text().replace(",", "  "))
    return path, Reading()


def as_mapped(made: Made, folder: Path) -> tuple[Path, Reading]:
    """Counts about 2048 without a header."""
    count = 4096 / TURN
    table = np.column_stack(
        [1e3 * made.stamps, 2048 + made.position * count, 2048 + made.told * count]
    )
    path = folder / "run.csv"
    np.savetxt(path, table, delimiter=",", fmt="%.12g")
    names = [*(f"position_{n}" for n in made.names), *(f"goal_{n}" for n in made.names)]
    columns = ",".join(f"{name}={k}[counts]" for k, name in enumerate(names, 2))
    return path, Reading(columns=f"time=1[ms],{columns},counts_per_turn=4096,zero=2048")


def as_plotjuggler(made: Made, folder: Path) -> tuple[Path, Reading]:
    """Each row has the values of one topic."""
    rows: list[list[Any]] = []
    blank = [""] * len(made.names)
    for t, place, told in zip(made.stamps, made.position, made.told, strict=True):
        rows.append([repr(float(t)), *blank, *(repr(float(x)) for x in told)])
        rows.append(
            [repr(float(t) + 1e-4), *("" if np.isnan(x) else repr(float(x)) for x in place), *blank]
        )
    head = ["__time", *(f"/joint_states/{n}/position" for n in made.names)]
    head += [f"/joint_commands/{n}/position" for n in made.names]
    return _rows(folder / "run.csv", head, rows), Reading()


def as_parquet(made: Made, folder: Path) -> tuple[Path, Reading]:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns = {"time": made.stamps}
    for k, name in enumerate(made.names):
        columns |= {f"position_{name}": made.position[:, k], f"goal_{name}": made.told[:, k]}
    write_table(pa.table(columns), folder / "run.parquet")
    return folder / "run.parquet", Reading()


def as_lerobot(made: Made, folder: Path) -> tuple[Path, Reading]:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    root = folder / "set"
    (root / "meta").mkdir(parents=True)
    (root / "data" / "chunk-000").mkdir(parents=True)
    frames = np.arange(len(made.stamps))
    fps = 1.0 / float(np.median(np.diff(made.time)))
    feature = {
        "dtype": "float32",
        "shape": [len(made.names)],
        "names": [f"{n}.pos" for n in made.names],
    }
    info = {
        "codebase_version": "v3.0", "robot_type": "arm", "fps": fps, "total_frames": len(frames),
        "features": {"action": feature, "observation.state": feature},
    }  # fmt: skip
    (root / "meta" / "info.json").write_text(json.dumps(info))
    lists = pa.list_(pa.float32())
    table = pa.table(
        {
            "action": pa.array(list(made.told.astype(np.float32)), lists),
            "observation.state": pa.array(list(made.position.astype(np.float32)), lists),
            "timestamp": pa.array(made.stamps),
            "frame_index": pa.array(frames),
            "episode_index": pa.array(0 * frames),
        }
    )
    write_table(table, root / "data" / "chunk-000" / "file-000.parquet")
    return root, Reading()


def _bag(made: Made, path: Path, storage: StoragePlugin, *, message: bool) -> None:
    kinds = STORE.types
    header, stamp = kinds["std_msgs/msg/Header"], kinds["builtin_interfaces/msg/Time"]
    state, array = kinds["sensor_msgs/msg/JointState"], kinds["std_msgs/msg/Float64MultiArray"]
    layout = kinds["std_msgs/msg/MultiArrayLayout"]
    nothing = np.array([], dtype=float)

    def joints(at: int, line: np.ndarray) -> Any:
        return state(header(stamp(at // 10**9, at % 10**9), ""), made.names, line, nothing, nothing)

    writer = Writer(path, version=9, storage_plugin=storage)
    if message:
        writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
    with writer:
        places = writer.add_connection("/joint_states", state.__msgtype__, typestore=STORE)
        kind = state if made.order is None else array
        goals = writer.add_connection("/commands", kind.__msgtype__, typestore=STORE)
        for n, t in enumerate(made.stamps):
            at = 1_700_000_000_000_000_000 + round(1e9 * float(t))
            told = made.told[n]
            if made.order is None:
                sent = joints(at, told)
            else:
                sent = array(layout([], 0), np.ascontiguousarray(told[made.order]))
            writer.write(goals, at, STORE.serialize_cdr(sent, kind.__msgtype__))
            writer.write(
                places, at, STORE.serialize_cdr(joints(at, made.position[n]), state.__msgtype__)
            )
            if made.second is not None and n % made.every == 0:
                later = at + 2_000_000
                sent = joints(later, made.second)
                writer.write(places, later, STORE.serialize_cdr(sent, state.__msgtype__))


def as_bag(made: Made, folder: Path) -> tuple[Path, Reading]:
    _bag(made, folder / "bag", StoragePlugin.SQLITE3, message=False)
    return folder / "bag", Reading()


def as_mcap_messages(made: Made, folder: Path) -> tuple[Path, Reading]:
    _bag(made, folder / "bag", StoragePlugin.MCAP, message=True)
    return folder / "bag", Reading()


def as_mcap_zstd(made: Made, folder: Path) -> tuple[Path, Reading]:
    _bag(made, folder / "bag", StoragePlugin.MCAP, message=False)
    (inside,) = (folder / "bag").glob("*.mcap")
    packed = folder / "run.mcap.zstd"
    subprocess.run(["zstd", "-q", "-f", str(inside), "-o", str(packed)], check=True)
    return packed, Reading()


TABLES = [as_csv, as_blanks, as_mapped, as_plotjuggler, as_parquet, as_lerobot]
BAGS = [as_bag, as_mcap_messages, as_mcap_zstd]


def wrong(made: Made, log: RobotLog, numbered: Callable[[np.ndarray], np.ndarray]) -> list[str]:
    """Values that are not the truth, and of which nothing is said."""
    rows = numbered(np.arange(len(log.time)) if log.rows is None else log.rows)
    meant = [made.rows]
    if made.second is not None:  # its messages may count as samples of their own
        meant.append(np.repeat(made.rows, 1 + (np.arange(len(made.rows)) % made.every == 0)))
    known = [one[rows] for one in meant if rows.max(initial=0) < len(one)]
    if not known:
        # What another program sent between may be told as dropouts.
        said = any(one.kind == "dropout" for one in log.findings) or _said(log, "", "time")
        return [] if said else ["more samples than there were, without a word"]
    return min((_away(made, log, at) for at in known), key=len)


def _away(made: Made, log: RobotLog, at: np.ndarray) -> list[str]:
    """As `wrong`, of samples that are those rows of the truth."""
    found: list[str] = []
    for k, joint in enumerate(made.names):
        j = log.column(joint)
        mended = any(one.repaired and one.field == f"position_{joint}" for one in log.findings)
        off = np.abs(log.position[:, j] - made.true[at, k]).max()
        if not off < (MENDED if mended else RIGHT) and not _said(log, joint, "position"):
            found.append(f"position of {joint} is {off:.3g} off")
        away = np.abs(log.goal[:, j] - made.goal[at, k])
        if (
            log.commanded(joint)
            and not np.quantile(away, 0.95) < RIGHT
            and not _said(log, joint, "goal")
        ):
            found.append(f"goal of {joint} is {np.quantile(away, 0.95):.3g} off")
    steps, real = np.diff(log.time), np.diff(made.time[at])
    if len(steps) and np.abs(steps - real).max() > 0.02 and not _said(log, "", "time"):
        found.append(f"times are {np.abs(steps - real).max():.3g} s off")
    return found


def _said(log: RobotLog, joint: str, channel: str) -> bool:
    """Whether something is left to be said of a joint, or of all."""
    from pliant.io.robot_findings import robot_findings

    told = [one for one in robot_findings(log) if one.severity != "note" and not one.repaired]
    if any(one.kind in ("position-unit", "goal-unit") for one in told):
        return True  # nothing is in the unit that was assumed
    fields = {one.field for one in told}
    if channel == "goal" and any(one.startswith("/") for one in fields):
        return True
    about = {f"goal_{joint}", f"position_{joint}", channel, "time", "timestamp"}
    return bool(fields & about)


def tried(seed: int, folder: Path) -> tuple[list[str], str, str]:
    """What is wrong with how a recording is read, what was done to it, and how it ended."""
    rng = np.random.default_rng(seed)
    made = simulated(rng)
    many = int(rng.choice([0, 1, 1, 2, 2, 3]))
    is_bag = bool(rng.random() < 0.35)
    choices = [*(f for f in FAULTS if f not in NOT_OF_BAGS), *OF_BAGS] if is_bag else FAULTS
    # Angles in degrees are the last thing that a recorder does to them.
    for k in sorted(
        rng.permutation(len(choices))[:many].tolist(), key=lambda k: choices[k] is degrees
    ):
        choices[k](made, rng)
        made.done.append(choices[k].__name__)
    form = (BAGS if is_bag else TABLES)[int(rng.integers(3 if is_bag else 6))]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path, reading = form(made, folder)
    first = {as_csv: 2, as_blanks: 2, as_mapped: 1, as_plotjuggler: 3}.get(form, 0)
    pitch = 2 if form is as_plotjuggler else 1
    about = f"seed {seed}: {form.__name__}, {', '.join(made.done) or 'nothing'}"
    faults: list[str] = []
    ends: list[str] = []
    for repair in ((), ("all",), ("all", "stretch")):
        wished = Reading(
            columns=reading.columns, repair=repair, unit="deg" if made.degrees and repair else None
        )
        try:
            (log,) = read_robot_logs(path, wished)
        except PliantError as error:
            ends.append("refused")
            if "\n" in str(error) or not error.file:
                faults.append(f"{repair}: {error}")
            continue
        ends.append("read")
        faults += [f"{repair}: {x}" for x in wrong(made, log, lambda rows: (rows - first) // pitch)]
        loud = [str(f) for f in log.findings if f.severity != "note"]
        if not made.done and loud:
            faults.append(f"{repair}: nothing was done, and it says {loud[0]}")
    return faults, about, " ".join(ends)


def run(seeds: range, folder: Path) -> list[str]:
    """Each fault of these seeds, with what was done."""
    found: list[str] = []
    ends: Counter[str] = Counter()
    for seed in seeds:
        faults, about, end = tried(seed, folder / "one")
        ends[end] += 1
        found += [f"{about}: {one}" for one in faults]
    print(len(seeds), "recordings;", dict(ends))
    return found
