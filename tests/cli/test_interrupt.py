"""Ctrl-C keeps what there is, or says that nothing was kept."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pliant.io.actuator_file import load_actuator

from .conftest import Pliant


@pytest.fixture(autouse=True)
def hears_ctrl_c() -> Iterator[None]:
    """A shell starts what it runs in the background deaf to Ctrl-C, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(words: list[str], ready: str) -> tuple[int, str, str]:
    """Run a command and send SIGINT once `ready` has stood on stderr."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pliant.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if ready in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=240)
    return process.returncode, out, seen + err


LONG = ["--jacobians", "100000", "--starts", "300"]


def test_ctrl_c_keeps_the_best_so_far(logs: list[Path], tmp_path: Path) -> None:
    output, report = tmp_path / "best.toml", tmp_path / "best.html"
    words = [
        "identify",
        *map(str, logs),
        "--actuator",
        "xl330_bam_m1",
        *LONG,
        "--json",
        "--output",
        str(output),
        "--report",
        str(report),
    ]
    code, out, err = interrupted(words, "% done")
    assert code == 130, err
    found = json.loads(out)
    assert found["interrupted"] is True
    assert found["files"] == {"actuator": str(output), "report": str(report)}
    assert f"interrupted: kept the best so far ({found['mae_mrad']:.1f} mrad) in {output}" in err
    assert load_actuator(output).identification["interrupted"] is True
    assert report.read_text().endswith("</html>\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["best.html", "best.toml"]


def test_ctrl_c_before_anything_was_found(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "best.toml"
    words = [
        "identify",
        *map(str, logs),
        "--actuator",
        "xl330_bam_m1",
        *LONG,
        "--output",
        str(output),
    ]
    code, out, err = interrupted(words, "to fit")
    assert "Traceback" not in err
    assert code == 130
    if output.exists():  # the compiled search was in the cache, and quicker than the signal
        assert load_actuator(output).identification["interrupted"] is True
        return
    assert err.splitlines()[-1] == "pliant: interrupted; nothing was kept"
    assert out == ""
    assert list(tmp_path.iterdir()) == []


class Going:
    """Something whose end is interrupted, where Python drops what is raised."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


class Waiting:
    """A command that takes as long as it is let."""

    def run(self, _: object) -> int:
        thing = Going()
        del thing
        for _ in range(1000):
            time.sleep(0.01)
        return 0


def test_ctrl_c_while_python_clears_away_is_heard(
    pliant: Pliant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pliant.cli.entry.read", lambda *_: Waiting())
    ended = pliant("wait")
    assert (ended.code, ended.err) == (130, "pliant: interrupted; nothing was kept\n")


def test_ctrl_c_that_a_library_makes_another_error_of(
    monkeypatch: pytest.MonkeyPatch, pliant: Pliant
) -> None:
    def loaded() -> dict[str, str]:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            error = ValueError("argument 1: KeyboardInterrupt")
        raise error  # as ctypes does: without a cause

    monkeypatch.setattr("pliant.experiments.index.titles", loaded)
    ended = pliant("reproduce")
    assert (ended.code, ended.err) == (130, "pliant: interrupted; nothing was kept\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_nothing_is_taken_down_after_ctrl_c() -> None:
    """A library whose loading was cut short can make Python abort at its end."""
    program = (
        "import atexit, sys, pliant.cli.__main__ as entry\n"
        "class Library:\n"
        "    def __del__(self): print('taken down', flush=True)\n"
        "def main():\n"
        "    sys.kept = Library()\n"
        "    atexit.register(print, 'left tidy')\n"
        "    return 130\n"
        "entry.main = main\n"
        "entry.process()\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "left tidy\n", "")
