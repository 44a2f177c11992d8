"""Results survive where their file cannot be written, and the message says where they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import outcome
from pliant.io.actuator_file import load_actuator

from .conftest import TINY, Pliant


def before_writing(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """While the search runs, after the places were checked."""
    write = outcome.FitOutcome.write

    def later(self: outcome.FitOutcome, *words: Any, **more: Any) -> None:
        happens()
        write(self, *words, **more)

    monkeypatch.setattr(outcome.FitOutcome, "write", later)


def words(logs: list[Path], output: Path) -> list[Any]:
    actuator = ["--actuator", "xl330_bam_m1", "--output", output]
    return ["identify", logs[0], *TINY, *actuator, "--report", output.with_suffix(".html")]


def test_an_output_that_has_become_a_folder(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "a.toml"
    before_writing(monkeypatch, output.mkdir)
    ended = pliant(*words(logs, output))
    kept = tmp_path / "a_rescued.toml"
    assert ended.code == 1
    assert f"pliant: {output}: is a folder; the result is in {kept}\n" in ended.err
    assert load_actuator(kept).identification["logs"]
    assert (tmp_path / "a.html").is_file()


def test_a_report_that_cannot_be_encoded(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        "\udcff".encode()

    output = tmp_path / "a.toml"
    monkeypatch.setattr(outcome, "report_text", broken)
    ended = pliant(*words(logs, output))
    assert ended.code == 1
    assert f"surrogates not allowed; the result is in {output}\n" in ended.err
    assert load_actuator(output).identification["logs"]
