"""Ctrl-C typed in a terminal, where it goes to every process of the command, once or twice."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs

ROOT = Path(__file__).parents[2]
PATIENCE = 200.0
"""[s] After which a command is taken to have hung: the machine may be busy."""


def at_a_terminal() -> None:
    """In the child: the terminal on stdin is its own, and it hears Ctrl-C."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Typed:
    """A command in a terminal of its own."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.master, slave = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pliant.cli", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            start_new_session=True,
            preexec_fn=at_a_terminal,  # noqa: PLW1509
            env=os.environ | {"COLUMNS": "100", "TERM": "xterm"},
        )
        os.close(slave)
        self.shown = ""

    def until(self, done: Callable[[], bool]) -> None:
        """Read what it shows until `done`, or until it has ended."""
        end = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < end:
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    new = os.read(self.master, 65536)
                except OSError:  # the last process that had the terminal open has ended
                    return
                self.shown += new.decode(errors="replace")
        assert time.monotonic() < end, self.shown[-2000:]

    def ctrl_c(self) -> None:
        os.write(self.master, b"\x03")

    def ended(self) -> int:
        """Exit status, once it has ended by itself."""
        self.until(lambda: self.process.poll() is not None and not self._more())
        os.close(self.master)
        return self.process.wait(10)

    def _more(self) -> bool:
        return bool(select.select([self.master], [], [], 0.0)[0])


def long_log(folder: Path) -> list[str]:
    """Five minutes of one servo, and what the file does not hold."""
    time = 0.01 * np.arange(30_000)
    position, goal = np.sin(3.0 * time), np.sin(3.0 * time + 0.1)
    rows = np.column_stack([time, position, goal, np.ones_like(time)])
    path = folder / "long.csv"
    head = "time,position,goal,enabled"
    np.savetxt(path, rows, "%.6g", ",", header=head, comments="")
    return [str(path), "--mass", "0.5", "--length", "0.1", "--gain", "100"]


def identify(folder: Path) -> list[str]:
    search = ["--starts", "1", "--jacobians", "100000"]
    return ["identify", *long_log(folder), "--actuator", "xl330_bam_m1", *search]


def simulate(folder: Path) -> list[str]:
    arm = [str(ROOT / "examples" / "arm.xml"), "--attach", "shoulder=mx106_bam_m4"]
    return ["simulate", *arm, "--duration", "20000", "--output", str(folder / "a.csv")]


def choose(folder: Path) -> list[str]:
    models = ["--actuator", "xl330_bam_m1", "--model", "m1", "--model", "m2"]
    logs = [str(path) for path in example_logs() if path.stem.endswith(("10h28m32", "10h29m04"))]
    return ["choose", *logs, *models, "--plain", "--jacobians", "100000"]


def reproduce(folder: Path) -> list[str]:
    names = ["qbmove_speed", "two_link_paths"]
    return ["reproduce", *names, "--jobs", "2", "--output", str(folder / "out")]


COMMANDS = {
    "simulate": (simulate, "%"),
    "choose": (choose, "model"),
    "reproduce": (reproduce, "Speed of a qbmove"),
}
"""Name to its words, and what it shows once it works."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["simulate", "choose", pytest.param("reproduce", marks=pytest.mark.long)]
)
def test_ctrl_c_in_a_terminal_ends_a_long_command(tmp_path: Path, name: str) -> None:
    words, working = COMMANDS[name]
    run = Typed(words(tmp_path), tmp_path)
    run.until(lambda: working in run.shown)
    run.ctrl_c()
    assert run.ended() == 130, run.shown[-2000:]
    assert "interrupted" in run.shown
    assert "Traceback" not in run.shown
    assert not list(tmp_path.glob(".*"))
    assert not list(tmp_path.rglob("two_link_paths*"))  # what ran beside it ended with it


@pytest.mark.long
def test_a_second_ctrl_c_ends_what_the_first_let_finish(tmp_path: Path) -> None:
    words = [*identify(tmp_path), "--output", "a.toml", "--report", "a.html"]
    run = Typed(words, tmp_path)
    run.until(lambda: "mrad" in run.shown)
    run.ctrl_c()
    run.until(lambda: "interrupted" in run.shown)
    run.ctrl_c()
    code = run.ended()
    # The signal's own end, where it comes while the interpreter is on its way out.
    assert code in (130, -signal.SIGINT), run.shown[-2000:]
    assert "Traceback" not in run.shown
    if (tmp_path / "a.toml").exists():
        assert load_actuator(tmp_path / "a.toml").identification["interrupted"] is True
    if (tmp_path / "a.html").exists():
        assert (tmp_path / "a.html").read_text().endswith("</html>\n")
