"""The command line as a user types it, and files to give it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import main
from pliant.io.log import example_logs

TINY = ["--starts", "1", "--jacobians", "2", "--no-intervals"]


@dataclass(frozen=True)
class Ended:
    """Result of a command: exit status, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


Pliant = Callable[..., Ended]


@pytest.fixture
def pliant(capsys: pytest.CaptureFixture[str]) -> Pliant:
    def run(*words: object) -> Ended:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture
def logs() -> list[Path]:
    """Two recordings of the same trajectory: gain 100 and 200."""
    return [path for path in example_logs() if path.stem.endswith(("10h28m32", "10h29m04"))]


@pytest.fixture
def recording(logs: list[Path]) -> dict[str, Any]:
    """One recording, to be spoilt."""
    return json.loads(logs[0].read_text())


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body><joint name="elbow" axis="0 -1 0"/>'
        '<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.1" mass=".1"/>'
        '<body pos="0 0 -.1"><joint name="wrist" type="ball"/><geom size=".02" mass=".01"/></body>'
        "</body></worldbody></mujoco>"
    )
    return path


def refusal(ended: Ended) -> str:
    """The one line on stderr, and nothing on stdout."""
    assert ended.code == 1
    assert ended.out == ""
    lines = [line for line in ended.err.splitlines() if line.startswith("pliant: ")]
    assert len(lines) == 1, ended.err
    return lines[0].removeprefix("pliant: ")
