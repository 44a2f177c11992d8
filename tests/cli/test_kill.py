"""kill -9, and the same command again: the same result, and what was done is not done again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs
from pliant.io.robot_log_csv import write_robot_log

pytestmark = pytest.mark.long

ARM = Path(__file__).parents[2] / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
LOGS = [str(p) for p in example_logs() if p.stem.endswith(("10h28m32", "10h29m04"))]


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pliant.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def killed(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 200.0
    while not ready():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


def ended(process: subprocess.Popen[str]) -> tuple[dict[str, Any], str]:
    out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    return json.loads(out), err


def state(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def files(folder: Path) -> list[str]:
    """All but the locks, which a process that was killed could not take away."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(str(path.relative_to(folder)) for path in found)


def test_identify_while_it_looks_for_intervals(tmp_path: Path) -> None:
    """The search is done, and its result in no file yet."""

    def words(folder: Path) -> list[str]:
        return [
            "identify",
            *LOGS,
            "--actuator",
            "xl330_bam_m1",
            "--starts",
            "1",
            "--jacobians",
            "6",
            "--json",
            "--output",
            str(folder / "a.toml"),
        ]

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected, _ = ended(started(*words(whole)))
    process = started(*words(broken))
    assert process.stderr is not None
    assert any(line.startswith("intervals: ") for line in process.stderr)  # read until then
    killed(process, lambda: True)
    assert files(broken) == ["a.toml.checkpoint"]
    found, err = ended(started(*words(broken)))
    assert "resuming the search" in err
    for key in ("parameters", "intervals_90", "evaluations", "mae_mrad"):
        assert found[key] == expected[key]
    assert found["steps"] < 0.1 * expected["steps"]
    assert files(broken) == ["a.toml"]


def test_identify_robot(tmp_path: Path) -> None:
    """Joints separately, then together: in the middle of the second joint."""
    from arm_recordings import record

    runs, whole, broken = tmp_path / "runs", tmp_path / "whole", tmp_path / "broken"
    runs.mkdir()
    servos = {"R1": load_actuator("mx106_bam_m4"), "R2": load_actuator("mx64_bam_m4")}
    for name in ("fast", "steps"):
        write_robot_log(record(ARM, servos, name, seconds=1.0), runs / f"{name}.csv")

    def words(folder: Path) -> list[str]:
        return [
            "identify-robot",
            str(ARM),
            str(runs),
            "--attach",
            "R1=mx106_bam_m4,R2=mx64_bam_m4",
            "--replace",
            "--law",
            "timing=command_delay",
            "--fix",
            "*.friction.*,*.control.*",
            "--how",
            "both",
            "--starts",
            "1",
            "--jacobians",
            "4",
            "--no-intervals",
            "--json",
            "--output",
            str(folder / "arm"),
            "--report",
            str(folder / "arm.html"),
        ]

    expected, _ = ended(started(*words(whole)))
    path = broken / "arm.checkpoint"
    killed(
        started(*words(broken)),
        lambda: "R1: start 0" in state(path).get("finished", {}) and "R2" in path.read_text(),
    )
    assert files(broken) == ["arm.checkpoint"]
    known = state(path)["finished"]
    found, err = ended(started(*words(broken)))
    assert "resuming the search" in err
    for key in ("identified", "parameters", "logs", "evaluations"):
        assert found[key] == expected[key]
    assert found["steps"] < expected["steps"] and known
    assert files(broken) == ["arm.html", "arm/R1.toml", "arm/R2.toml", "arm/robot.toml"]
    texts = [(folder / "arm" / "R1.toml").read_text() for folder in (whole, broken)]
    assert texts[0] == texts[1]
