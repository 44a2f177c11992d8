"""Reads the files that it is told of and says what became of each, one JSON object a line.

A process of its own: a crash, a loop without end or a leak is seen from outside.
"""

import contextlib
import io
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located

from . import recordings
from .seeds import INFO, episodes_parquet


def loaders() -> dict[str, Callable[[Path], Any]]:
    """File name to what loads it."""
    from pliant.catalogue import load_law
    from pliant.engines.mujoco.model_file import load_model
    from pliant.engines.spec.randomise import drawn_table, filled
    from pliant.examine.model import compiled
    from pliant.identification.search.checkpoint import Journal
    from pliant.io.actuator_file import load_actuator
    from pliant.io.column_map import ColumnMap
    from pliant.io.encoder_file import read_joint_log
    from pliant.io.formats.lerobot_names import read_calibration
    from pliant.io.log import read_log
    from pliant.io.manager_file import read_manager
    from pliant.io.number_table import read_torque_file
    from pliant.io.robot_logs import read_robot_log, read_robot_logs
    from pliant.lower.tabulated import read_spring_table
    from pliant.robots.plain_servo import read_plain_servos
    from pliant.robots.robot_file import load_robot_file, read_recorded_robot
    from pliant.robots.urdf import load_urdf

    def law(path: Path) -> object:
        # A law is read once in a process: what it says is not to change under who uses it.
        own = path.with_name(f"law_{time.monotonic_ns()}.py")
        path.rename(own)
        with located(path):
            try:
                return load_law("compliance", str(own))
            finally:
                own.rename(path)

    def used(path: Path) -> object:
        journal = Journal(path, {"search": {"seed": 1}})
        return [
            (journal.finished(part), journal.stage(part))
            for part in ("start 1", "start 2", "polish")
        ]

    servo = load_actuator("xl330_bam_m6")

    def draws(path: Path) -> object:
        with located(path, "draws of elbow"):
            return filled(servo, drawn_table(path, servo))

    def data_set(path: Path) -> object:
        parts = {"info.json": INFO.encode(), "episodes.parquet": episodes_parquet()}
        parts[path.name] = path.read_bytes()
        return within(
            path,
            {
                "meta/info.json": parts["info.json"],
                "data/episodes.parquet": parts["episodes.parquet"],
            },
        )

    def bag(path: Path) -> object:
        return within(path, recordings.joint_states() | {path.name: path.read_bytes()})

    def within(path: Path, files: dict[str, bytes]) -> object:
        """A folder of these files, read as a recording."""
        folder = path.with_name("folder_" + path.name.replace(".", "_"))
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return read_robot_logs(folder)

    return {
        "log.json": read_log,
        "log.csv": lambda path: read_log(path, mass=0.5, length=0.1, gain=100.0),
        "robot.csv": read_robot_log,
        "encoder.csv": read_joint_log,
        "torque.csv": read_torque_file,
        "actuator.toml": load_actuator,
        "columns.toml": ColumnMap.load,
        "robot.toml": lambda path: compiled(load_robot_file(path)[0], path),
        "manager.yaml": read_manager,
        "robot.urdf": lambda path: compiled(load_urdf(path)[0], path),
        "model.xml": lambda path: compiled(load_model(path)[0], path),
        "law.py": law,
        "checkpoint.json": used,
        "draws.csv": draws,
        "springs.csv": read_spring_table,
        "torque.json": read_torque_file,
        "servos.toml": read_plain_servos,
        "recorded.toml": read_recorded_robot,
        "calibration.json": read_calibration,
        "info.json": data_set,
        "run.parquet": read_robot_logs,
        "episodes.parquet": data_set,
        "bag.db3": bag,
        "metadata.yaml": bag,
        "run.mcap": read_robot_logs,
        "low.mcap": read_robot_logs,
        "run.pt": read_robot_logs,
        "pickle.pt": read_robot_logs,
        "journal.json": read_log,
    }


UNCHECKED = (
    "law.py checkpoint.json torque.csv draws.csv springs.csv torque.json servos.toml recorded.toml "
    "calibration.json info.json episodes.parquet bag.db3 metadata.yaml"
).split()
"""`check` compiles a law four times, which takes longer than a fuzzer has; it does not know the others."""


def loaded(load: Callable[[Path], Any], path: Path) -> dict[str, Any]:
    """Whether it loads, or how it was refused."""
    try:
        load(path)
    except PliantError as error:
        return {
            "loads": False,
            "said": str(error),
            "file": error.file,
            "field": error.field,
            "kind": "PliantError",
        }
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return {
            "loads": False,
            "said": traceback.format_exc(limit=-4),
            "kind": type(error).__name__,
        }
    return {"loads": True, "said": "", "kind": ""}


GIVEN = {"log.csv": ["--mass", "0.5", "--length", "0.1", "--gain", "100"]}
"""Options for constants that such a file cannot hold."""


def checked(path: Path) -> dict[str, Any]:
    """Answer of `pliant check`."""
    from pliant.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["check", str(path), "--json", *GIVEN.get(path.name, [])])
    answer = json.loads(out.getvalue())
    return {
        "good": answer.get("ok"),
        "code": code,
        "check": out.getvalue(),
        "error": answer.get("error"),
    }


def _most_memory() -> int:
    """[bytes] Most that this process had; `ru_maxrss` begins at what the one had that started it."""
    status = Path("/proc/self/status").read_text("ascii")
    return 1024 * int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])


def main() -> None:
    """Answer each line of stdin."""
    warnings.simplefilter("ignore")
    known = loaders()
    answers = sys.stdout
    sys.stdout = sys.stderr
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        path = Path(line.rstrip("\n"))
        began = time.process_time()
        answer = loaded(known[path.name], path)
        if path.name not in UNCHECKED:
            answer |= checked(path)
        answer["seconds"] = time.process_time() - began
        answer["memory"] = _most_memory()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
