"""kill -9 and Ctrl-C at any moment of a long command: files are whole, and again gives the same.

Once each; PLIANT_STOPS=20 for as many as that.
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
from pliant.io.robot_log import write_robot_log

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
pytestmark = pytest.mark.slow

STOPS = int(os.environ.get("PLIANT_STOPS", "1"))
ARM = Path(__file__).parents[2] / "src" / "pliant" / "data" / "two_link_arms" / "2r_mx.xml"
LOGS = [str(p) for p in example_logs() if p.stem.endswith(("10h28m32", "10h29m04"))]
SHORT = ["--starts", "1", "--generations", "6", "--rounds", "0", "--overwrite"]
TIMES = {"date", "seconds", "cpu", "cpu_seconds", "evaluations", "steps"}
"""Fields that depend on the clock, and on how often a fit was begun."""
Words = Callable[[Path], list[str]]


def identify(folder: Path) -> list[str]:
    report = ["--report", str(folder / "a.html")]
    actuator = ["--actuator", "xl330_bam_m1", "--output", str(folder / "a.toml")]
    return ["identify", *LOGS, *actuator, *SHORT, *report, "--no-intervals"]


def choose(folder: Path) -> list[str]:
    models = ["--actuator", "xl330_bam_m1", "--model", "m1", "--model", "m2", "--plain"]
    searched = ["--starts", "1", "--overwrite"]
    return ["choose", *LOGS, *models, *searched, "--output", str(folder / "a.toml")]


@pytest.fixture(scope="session")
def arm_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from arm_recordings import record

    runs = tmp_path_factory.mktemp("runs")
    servos = {"R1": load_actuator("mx106_bam_m4"), "R2": load_actuator("mx64_bam_m4")}
    write_robot_log(record(ARM, servos, "fast", seconds=1.0), runs / "fast.csv")
    return runs


@pytest.fixture(params=["identify", "choose", "identify-robot"])
def words(request: pytest.FixtureRequest) -> Words:
    if request.param != "identify-robot":
        return {"identify": identify, "choose": choose}[request.param]
    runs = request.getfixturevalue("arm_runs")

    def robot(folder: Path) -> list[str]:
        joints = ["--attach", "R1=mx106_bam_m4", "--attach", "R2=mx64_bam_m4"]
        held = ["--fix", "*.friction.*", "--fix", "*.control.*", "--no-intervals"]
        return [
            "identify-robot",
            str(ARM),
            str(runs),
            *joints,
            *held,
            *SHORT,
            "--output",
            str(folder / "arm"),
        ]

    return robot


def started(words: list[str]) -> subprocess.Popen[str]:
    def hear() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    command = [sys.executable, "-m", "pliant.cli", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, preexec_fn=hear, **pipes)  # noqa: PLW1509


def results(folder: Path) -> dict[str, Any]:
    """Every file, read as what it is: half of one would not be."""
    found: dict[str, Any] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        text = path.read_text("utf-8")
        if path.suffix == ".toml":
            load_actuator(path)
            found[name] = timeless(tomllib.loads(text))
        elif path.suffix == ".html":
            assert text.endswith("</html>\n"), name
            found[name] = None
        elif not path.name.startswith("."):  # drafts and locks are no results
            json.loads(text)
            found[name] = None
    return found


def timeless(values: Any) -> Any:
    if isinstance(values, dict):
        return {k: timeless(v) for k, v in values.items() if k not in TIMES}
    return [timeless(v) for v in values] if isinstance(values, list) else values


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_stopped_anywhere(tmp_path: Path, words: Words, how: signal.Signals) -> None:
    whole = started(words(tmp_path / "whole"))
    began = time.monotonic()
    _, err = whole.communicate(timeout=400)
    seconds = time.monotonic() - began
    assert whole.returncode == 0, err
    expected = results(tmp_path / "whole")
    assert expected
    moments = random.Random(how)
    for k in range(STOPS):
        folder = tmp_path / f"stopped_{k}"
        process = started(words(folder))
        time.sleep(moments.uniform(0.2, 1.0) * seconds)
        process.send_signal(how)
        _, err = process.communicate(timeout=100)
        assert process.returncode in {0, 130, -how}, err
        assert "Traceback" not in err or process.returncode == -how, err
        if folder.exists():
            results(folder)
        again = started(words(folder))
        _, err = again.communicate(timeout=400)
        assert again.returncode == 0, err
        assert results(folder) == expected
