"""Recordings: reading ten minutes of twelve joints at 500 Hz, recording over an emulated bus, plans.

Each format is read in a separate process to measure its peak memory; the second reading is timed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.io.formats.messages import write_bag
from pliant.io.formats.runs import write_parquet
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log
from pliant.record.costs import waiting
from pliant.record.design import MOTIONS
from pliant.record.emulated_bus import Emulated, EmulatedBus
from pliant.record.journal import JointJournal, RobotJournal
from pliant.record.line import Line, SerialLine, VirtualLine
from pliant.record.recorder import Limits as Bounds
from pliant.record.recorder import Session, connected, record, robot_columns
from pliant.record.tables import model_of

SECONDS, RATE, JOINTS = 600.0, 500.0, 12
LENGTH = 3.0
"""[s] of a recording at the highest rate."""
CHANNELS = ("position", "duty", "current", "voltage")
BITS = 10
CODE = """
import json, re, sys, time
from pathlib import Path
from pliant.io.robot_logs import read_robot_logs
read_robot_logs(sys.argv[1])
begin = time.perf_counter()
read_robot_logs(sys.argv[1])
# Not getrusage: it reports the parent's peak if that was larger.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([time.perf_counter() - begin, peak]))
"""


def recording() -> RobotLog:
    """Twelve joints in motion, with commands."""
    time_ = np.arange(0.0, SECONDS, 1.0 / RATE)
    position = np.column_stack([np.sin((1.0 + 0.1 * k) * time_) for k in range(JOINTS)])
    nothing = np.full_like(position, np.nan)
    names = tuple(f"joint_{k}" for k in range(JOINTS))
    on = np.ones(position.shape, bool)
    return RobotLog("long", names, time_, position, position + 0.1, nothing, on)


def lerobot(log: RobotLog, path: Path) -> None:
    """The same as a data set of one episode."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = pa.list_(pa.float32(), JOINTS)
    frame = np.arange(len(log.time))
    flat = {"observation.state": log.position, "action": log.goal}
    columns = {
        name: pa.FixedSizeListArray.from_arrays(
            pa.array(x.astype(np.float32).ravel()), JOINTS
        ).cast(lists)
        for name, x in flat.items()
    }
    columns |= {"timestamp": pa.array(log.time), "frame_index": pa.array(frame)}
    columns |= {"episode_index": pa.array(0 * frame)}
    feature = {"shape": [JOINTS], "names": list(log.joints)}
    info = {"codebase_version": "v3.0", "fps": RATE, "features": dict.fromkeys(flat, feature)}
    for folder in ("meta", "data/chunk-000"):
        (path / folder).mkdir(parents=True)
    (path / "meta" / "info.json").write_text(json.dumps(info))
    pq.write_table(pa.table(columns), path / "data" / "chunk-000" / "file-000.parquet")


def sqlite_bag(log: RobotLog, path: Path) -> None:
    """The same bag in the older storage."""
    from rosbags.rosbag2 import Reader, StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_HUMBLE)
    write_bag(log, made := path.with_name("made"))
    with (
        Reader(made) as source,
        Writer(path, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer,
    ):
        places = {
            one.topic: writer.add_connection(one.topic, one.msgtype, typestore=types)
            for one in source.connections
        }
        for one, stamp, raw in source.messages():
            writer.write(places[one.topic], stamp, raw)


def read(path: Path) -> tuple[float, float]:
    """[s] and [MB] of one reading."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(path)], check=True, capture_output=True, text=True
    )
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def reading() -> list[tuple[str, str, str]]:
    """Every format that holds it."""
    log = recording()
    writers: Sequence[tuple[str, str, Callable[[RobotLog, Path], None]]] = (
        ("CSV", "long.csv", write_robot_log),
        ("Parquet", "long.parquet", write_parquet),
        ("LeRobot", "set", lerobot),
        ("rosbag2 (MCAP), states and commands", "bag", write_bag),
        ("rosbag2 (sqlite3), the same", "sqlite", sqlite_bag),
    )
    found: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, file, write in writers:
            write(log, Path(folder) / file)
            seconds, peak = read(Path(folder) / file)
            what = f"reading 10 min of 12 joints at 500 Hz: {name}"
            found.append((what, f"{seconds:.1f} s, {peak:.0f} MB", "≤ 5 s, ≤ 500 MB"))
    return found


def rates(kind: str, actuator: str, servos: int) -> tuple[str, str, str]:
    """Samples a second of a recording with its file, against what the wire allows, and where the rest goes."""
    emulated = [Emulated(actuator, kind, k) for k in range(1, servos + 1)]
    with EmulatedBus(emulated) as bus, tempfile.TemporaryDirectory() as folder:
        line = SerialLine(bus.port)
        rate, wire = recorded(line, kind, servos, bus.baud, Path(folder))
    allowed = 1.0 / wire
    program = 1e6 * own_share(VirtualLine(emulated), kind, servos)
    what = f"recording {servos} emulated {kind}, goals out, position, duty, current, voltage in, 1 Mbaud"
    said = f"{rate:.0f} Hz, the wire allows {allowed:.0f}: {100 * rate / allowed:.0f} %"
    return (
        what,
        f"{said}; of {1e6 / rate:.0f} µs the wire takes {1e6 / allowed:.0f}, the program {program:.0f} of a core",
        "≥ 80 %",
    )


def recorded(line: Line, kind: str, servos: int, baud: int, folder: Path) -> tuple[float, float]:
    """Samples a second of a recording as `pliant record --rate 0` makes it, and the seconds of a cycle on the wire.

    Counted are the bytes of the goals' packet, of the question and of each answer, as the protocols have them,
    and the servos' return delays by their registers.
    """
    model = model_of(kind)
    session = Session(
        model=model,
        servos={k: f"joint_{k}" for k in range(1, servos + 1)},
        line=line,
        baud=baud,
        rate=None,
        channels=CHANNELS,
        limits=Bounds(current=100.0),
    )
    spans = [model.registers[name] for name in session.registers]
    size = max(one.address + one.size for one in spans) - min(one.address for one in spans)
    goal = model.registers["goal_position"].size
    frame, answer = (14, 11) if model.family == "dynamixel" else (8, 6)
    wire = frame + servos * (goal + 1) + frame + servos + servos * (answer + size)
    motion = replace(MOTIONS["fast"], seconds=LENGTH)
    path = folder / ("run.json" if servos == 1 else "run.csv")
    journal = JointJournal(path, {}) if servos == 1 else RobotJournal(path, robot_columns(session))
    with journal, connected(session) as bus:
        said = record(bus, session, motion, journal)
        delay = waiting(bus)
    return said.samples / LENGTH, wire * BITS / baud + delay


def own_share(line: VirtualLine, kind: str, servos: int) -> float:
    """[s] of a core that the program takes for one cycle, file included, without the port and the servos."""
    answers, spent = line.wire.answers, 0.0

    def counted(told: bytes, now: float) -> list[tuple[float, bytes]]:
        nonlocal spent
        begin = time.process_time()
        found = answers(told, now)
        spent += time.process_time() - begin
        return found

    line.wire.answers = counted
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        rate, _ = recorded(line, kind, servos, 1_000_000, Path(folder))
    return (time.process_time() - begin - spent) / (rate * LENGTH)


def rows() -> list[tuple[str, str, str]]:
    """The rows of the table."""
    found = reading()
    for kind, actuator in (("xl330", "xl330_bam_m6"), ("sts3215", "feetech_sts3215_7_4V_bam_m1")):
        found += [rates(kind, actuator, servos) for servos in (1, 6)]
    return found
