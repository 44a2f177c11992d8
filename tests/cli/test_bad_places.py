"""Places that cannot be written to."""

import os
import time
from pathlib import Path

import pytest

from .conftest import TINY, Pliant, refusal


def test_output_that_exists(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("precious")
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", "--output", path, *TINY)
    line = refusal(pliant(*words))
    assert line == f"{path}: exists already; accepted: another name, or --overwrite"
    assert path.read_text() == "precious"
    assert pliant(*words, "--overwrite").code == 0
    assert "precious" not in path.read_text()


def test_output_that_is_a_pipe_stays_one(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    os.mkfifo(path)
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", "--output", path, "--overwrite")
    assert refusal(pliant(*words)) == f"{path}: is a pipe; accepted: a regular file"
    assert path.is_fifo()


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_folder_that_cannot_be_written(pliant: Pliant, logs: list[Path], option: str) -> None:
    name = "mine.toml" if option == "--output" else "mine.html"
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", option, f"/proc/pliant/{name}")
    began = time.monotonic()
    line = refusal(pliant(*words))
    assert line.startswith("/proc/pliant: cannot be written; found 'No such file or directory'")
    assert line.endswith("accepted: a folder that this user may write, with space left")
    assert time.monotonic() - began < 5.0  # before the search, not after it


def test_folder_that_is_a_file(pliant: Pliant, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = refusal(pliant("demo", "--output", tmp_path / "file" / "demo"))
    assert line.startswith(f"{tmp_path}/file/demo: cannot be written; found 'Not a directory'")
