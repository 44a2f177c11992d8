"""One real recording, to be broken in one place per test; the place of an actuator file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.io.log import example_logs

Write = Callable[[dict[str, Any]], Path]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Place of the drive's file."""
    return tmp_path / "drive.toml"


@pytest.fixture
def run() -> dict[str, Any]:
    """The fastest shipped recording that does not saturate: `sin_time_square`, gain 200."""
    path = next(p for p in example_logs() if p.stem.endswith("10h29m04"))
    return json.loads(path.read_text())


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(document: dict[str, Any]) -> Path:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(document))
        return path

    return to_file
