"""Everything that a command prints fits a terminal of 40 columns, and nothing of a table is lost."""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from pliant.cli import main
from pliant.cli.command_line import commands
from pliant.io.log import example_logs

from .conftest import TINY

WIDTH = 40
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LOG = next(path for path in example_logs() if path.stem.endswith("10h28m32"))
ARM = Path(__file__).parents[2] / "examples" / "arm.xml"


class Terminal(io.StringIO):
    """A stream that says it is a terminal; its width is `COLUMNS`."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What `pliant WORDS` shows on a terminal of this width, without colours."""

    def run(*words: object, width: int = WIDTH) -> str:
        with monkeypatch.context() as patch:
            stream = Terminal()
            for name, value in (("COLUMNS", str(width)), ("TERM", "xterm")):
                patch.setenv(name, value)
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, stream)
            main([str(word) for word in words])
        return ANSI.sub("", stream.getvalue())

    return run


def on_terminal(*words: object, width: int = WIDTH, term: str = "xterm") -> str:
    """The same of a process of its own, on a terminal of the system."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    program = [sys.executable, "-m", "pliant.cli", *map(str, words)]
    with subprocess.Popen(
        program, stdin=theirs, stdout=theirs, stderr=theirs, env=env | {"TERM": term}
    ) as running:
        os.close(theirs)
        parts: list[bytes] = []
        try:
            while part := os.read(ours, 1 << 16):
                parts.append(part)
        except OSError:  # Linux, once the other end is closed
            pass
        os.close(ours)
        running.wait()
    text = b"".join(parts).decode()
    return ANSI.sub("", text.replace("\r\n", "\n"))


def too_wide(text: str, width: int = WIDTH) -> list[str]:
    """Lines that are wider than the terminal, but for a word (a path) and what is to be copied."""
    shown = [line.rpartition("\r")[2] for line in text.splitlines()]
    wide = [line for line in shown if len(line) > width and len(line.split()) > 1]
    return [line for line in wide if not line.lstrip().startswith(("Use it:", "pliant "))]


@pytest.mark.parametrize("name", ["", *commands()])
def test_help_fits(name: str, shown: Callable[..., str]) -> None:
    for width in (WIDTH, 60, 80):
        for option in ("--help", "--help-all"):
            text = shown(*([name] if name else []), option, width=width)
            assert too_wide(text, width) == []
            assert f"pliant {name}" in " ".join(text.split())


@pytest.mark.parametrize(
    "words",
    [
        ("actuators", "xl330"),
        ("actuators", "--laws"),
        ("show", "xl330_bam_m6"),
        ("check", LOG, ARM),
        ("simulate", ARM, "--attach", "elbow=xl330_bam_m1", "--duration", 0.1),
        ("evaluate", "xl330_bam_m1", LOG),
        ("reproduce",),
        ("simulate", ARM, "--attach", "wrist=xl330_bam_m1"),
        ("simulate",),
        ("no-such-command",),
    ],
    ids=lambda words: " ".join(Path(str(word)).name for word in words[:2]),
)
def test_output_fits(words: tuple[object, ...], shown: Callable[..., str]) -> None:
    for width in (WIDTH, 60, 80):
        text = shown(*words, width=width)
        assert text.strip()
        assert too_wide(text, width) == []
        assert "Traceback" not in text


@pytest.mark.parametrize(
    "words",
    [
        ("identify", LOG, "--actuator", "xl330_bam_m1", *TINY, "--no-test"),
        ("identify", LOG, "--actuator", "xl330_bam_m1", *TINY, "--no-test", "--verbose"),
        ("plan", "xl330_bam_m1", "--mass", 0.2, "--length", 0.1, "--runs", 1),
        ("stiffness", "none.csv", "--robot", "none.urdf"),
        ("record", "--emulated", "none"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_what_takes_longer_fits_the_narrowest(
    words: tuple[object, ...], shown: Callable[..., str]
) -> None:
    text = shown(*words)
    assert text.strip() and too_wide(text) == []


@pytest.mark.parametrize("width", [20, 30, WIDTH, 60, 80])
def test_no_column_is_lost(width: int, shown: Callable[..., str]) -> None:
    found = shown("actuators", "xl330_bam_m6", width=width).split()
    for cell in ("name", "maker", "title", "V", "law", "ROBOTIS", "7.4", "m6"):
        assert cell in found or f"{cell}:" in found


def test_a_terminal_without_cursor_control_has_its_own_width_and_its_progress() -> None:
    words = ("simulate", ARM, "--attach", "elbow=xl330_bam_m1", "--duration", 0.1)
    text = on_terminal(*words, term="dumb")
    assert too_wide(text) == []
    assert "\r" not in text
    assert "attaching the actuators" in text
