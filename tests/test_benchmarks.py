"""The benchmarks can be run: their modules load, and the command line that one of them uses is read."""

import runpy
from pathlib import Path

import pytest

from pliant.cli.command_line import read

FOLDER = Path(__file__).parents[1] / "benchmarks"
NAMES = runpy.run_path(str(FOLDER / "__main__.py"), run_name="table")["NAMES"]


# Those with warp in their names are `long`.
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_loads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))  # some take from others
    assert callable(runpy.run_path(str(FOLDER / f"{name}.py"), run_name=name)["rows"])


def test_the_words_of_a_search_are_read(tmp_path: Path) -> None:
    read(
        runpy.run_path(str(FOLDER / "seeds.py"), run_name="seeds")["command"](
            3, tmp_path / "a.toml"
        )
    )
