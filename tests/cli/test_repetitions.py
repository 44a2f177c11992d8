"""Repetitions of one command, beside the errors that they are the floor of."""

import json
import re
from pathlib import Path

import pytest

from pliant.io.actuator_file import load_actuator

from .conftest import TINY, Pliant


@pytest.fixture
def twice(logs: list[Path], tmp_path: Path) -> list[Path]:
    """The first recording, and the same 5 mrad further."""
    document = json.loads(logs[0].read_text())
    for entry in document["entries"]:
        entry["position"] += 5e-3
    again = tmp_path / "again.json"
    again.write_text(json.dumps(document))
    return [logs[0], again]


def test_repetitions_stand_among_the_errors_and_in_the_file(
    pliant: Pliant, twice: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    words = ("identify", *twice, "--actuator", "xl330_bam_m1", *TINY, "--zero-by", "none")
    said = pliant(*words, "--output", file).out
    table, _, below = said.partition("figures of this fit")[0].partition("repetitions of 1 command")
    assert re.search(r"distance between repetitions +5\.0 ", table)
    assert below.startswith(" differ from each other by 5.0 mrad")
    assert load_actuator(file).identification["repeatability_mrad"] == {twice[0].stem: 5.0}


def test_evaluate_tells_them_below_its_errors(pliant: Pliant, twice: list[Path]) -> None:
    said = pliant("evaluate", "xl330_bam_m1", *twice, "--zero-by", "none").out
    _, below, *_ = [
        part for part in said.split("\n\n") if "mean over logs" in part or "repet" in part
    ]
    assert below.startswith("repetitions of 1 command differ from each other by 5.0 mrad")
