"""kill -9 and Ctrl-C at any moment of a long command: files are whole, and again gives the same.

Commands that end within seconds keep nothing on the way: each file of theirs is whole by tests/io/test_output.py.

Once each, but for what test_kill.py stops where it hurts; PLIANT_STOPS=20 for as many as that of all, four
of each in a row before a run is left alone.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs
from pliant.io.robot_log_csv import write_robot_log

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.long

STOPS = int(os.environ.get("PLIANT_STOPS", "1"))
IN_A_ROW = 4
ARM = ROOT / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
LOGS = [str(p) for p in example_logs() if p.stem.endswith(("10h28m32", "10h29m04"))]
SHORT = ["--starts", "1", "--jacobians", "6", "--overwrite"]
TIMES = set(
    "date seconds cpu cpu_seconds took evaluations steps files figures tables output report".split()
)
"""Fields that depend on the clock, on how often a fit was begun, or on the folder."""
COMMANDS: dict[str, Callable[[Path, Path], list[str]]] = {}
"""Name to the words of a command that reads from the first folder and writes to the second."""
KILLED = {"identify", "identify-robot"}
"""Those of test_kill.py."""


def command(words: Callable[[Path, Path], list[str]]) -> Callable[[Path, Path], list[str]]:
    COMMANDS[words.__name__.replace("_", "-")] = words
    return words


@command
def identify(_: Path, folder: Path) -> list[str]:
    report = ["--report", str(folder / "a.html")]
    actuator = ["--actuator", "xl330_bam_m1", "--output", str(folder / "a.toml")]
    return [*LOGS, *actuator, *SHORT, *report, "--no-intervals"]


@command
def choose(_: Path, folder: Path) -> list[str]:
    models = ["--actuator", "xl330_bam_m1", "--model", "m1", "--model", "m2", "--plain"]
    return [*LOGS, *models, *SHORT, "--no-intervals", "--output", str(folder / "a.toml")]


@command
def identify_robot(given: Path, folder: Path) -> list[str]:
    joints = ["--attach", "R1=mx106_bam_m4", "--attach", "R2=mx64_bam_m4", "--replace"]
    held = ["--fix", "*.friction.*", "--fix", "*.control.*", "--no-intervals"]
    return [str(ARM), str(given / "runs"), *joints, *held, *SHORT, "--output", str(folder / "arm")]


@command
def demo(_: Path, folder: Path) -> list[str]:
    return ["--quick", "--output", str(folder)]


@command
def reproduce(_: Path, folder: Path) -> list[str]:
    return ["qbmove_stiffness", "--output", str(folder)]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of the commands."""
    from arm_recordings import record

    folder = tmp_path_factory.mktemp("given")
    servos = {"R1": load_actuator("mx106_bam_m4"), "R2": load_actuator("mx64_bam_m4")}
    (folder / "runs").mkdir()
    write_robot_log(record(ARM, servos, "fast", seconds=1.0), folder / "runs" / "fast.csv")
    return folder


def started(words: list[str]) -> subprocess.Popen[str]:
    def hear() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    program = [sys.executable, "-m", "pliant.cli", *words, "--json"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(program, text=True, preexec_fn=hear, **pipes)  # noqa: PLW1509


def finished(words: list[str]) -> Any:
    """Output of a run that is left alone."""
    process = started(words)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return timeless(json.loads(out))


def results(folder: Path) -> dict[str, Any]:
    """Every file, read as what it is: half of one would not be."""
    files = [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"]
    return {str(path.relative_to(folder)): read(path) for path in sorted(files)}


def read(path: Path) -> Any:
    if path.suffix == ".png":
        assert path.read_bytes().endswith(b"IEND\xaeB`\x82"), path
        return None
    text = path.read_text("utf-8")
    match path.suffix:
        case ".toml":
            return timeless(tomllib.loads(text))
        case ".html":
            assert text.endswith("</html>\n"), path
            return None
        case ".csv":
            assert text.endswith("\n"), path
            return text
        case _:
            json.loads(text)
            return None


def timeless(values: Any) -> Any:
    if isinstance(values, dict):
        return {k: timeless(v) for k, v in values.items() if k not in TIMES}
    return [timeless(v) for v in values] if isinstance(values, list) else values


def stopped(words: list[str], how: signal.Signals, after: float) -> None:
    process = started(words)
    time.sleep(after)
    process.send_signal(how)
    _, err = process.communicate(timeout=100)
    assert process.returncode in {0, 130, -how}, err
    assert "Traceback" not in err or process.returncode == -how, err


@pytest.mark.parametrize("name", [n for n in COMMANDS if STOPS > 1 or n not in KILLED])
def test_stopped_anywhere(tmp_path: Path, given: Path, name: str) -> None:
    def words(folder: Path) -> list[str]:
        return [name, *COMMANDS[name](given, folder)]

    if STOPS > 1:
        finished(words(tmp_path / "first"))  # compiles what is not in the cache
    began = time.monotonic()
    said = finished(words(tmp_path / "whole"))
    seconds = time.monotonic() - began
    expected = results(tmp_path / "whole")
    assert expected
    moments = random.Random(name)
    for k in range(0, STOPS, IN_A_ROW):
        folder = tmp_path / f"stopped_{k}"
        ways = [signal.SIGKILL, signal.SIGINT] * min(IN_A_ROW, STOPS - k)
        for how in moments.sample(ways, len(ways)):
            stopped(words(folder), how, moments.uniform(0.1, 1.0) * seconds)
            results(folder)
        assert finished(words(folder)) == said
        assert results(folder) == expected
        assert not list(folder.rglob(".*"))
