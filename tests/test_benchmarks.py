"""The benchmarks can be run: their modules load, and the command line that one of them uses is read."""

import importlib
import runpy
from pathlib import Path

import pytest

from pliant.cli.command_line import read

FOLDER = Path(__file__).parents[1] / "benchmarks"
NAMES = runpy.run_path(str(FOLDER / "__main__.py"), run_name="table")["NAMES"]


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_loads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    assert callable(importlib.import_module(name).rows)


def test_the_words_of_a_search_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    read(importlib.import_module("seeds").command(3, tmp_path / "a.toml"))
