"""Machine code: kept as object files that only this user can write, made anew where one cannot be used."""

import logging
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.lower import cache, machine
from pliant.lower.link import Linker
from pliant.lower.program import typed
from pliant.lower.source import read_source

SUM = """
from math import exp

def total(x: Vector, factor: float, whole: int, on: bool) -> float:
    s = 0.0
    for k in range(len(x)):
        s += factor * x[k]
    if on:
        s += exp(0.0) * whole
    return s
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "cache"))
    cache.say.cache_clear()
    return tmp_path / "cache" / "compiled"


def compiled(path: Path, text: str = SUM) -> machine.Compiled:
    if not path.exists():
        path.write_text(text, encoding="utf-8")
    linker = Linker()
    entries = {linker.function(read_source(path, path.stem), "total").name: "total"}
    return machine.compiled(typed(linker, entries), "sum")


def called(path: Path, text: str = SUM) -> float:
    return compiled(path, text).functions["total"](np.arange(4.0), 2.0, 5, True)


def test_numbers_truths_and_arrays_go_in_and_a_number_comes_out(tmp_path: Path) -> None:
    total = compiled(tmp_path / "a.py").functions["total"]
    assert total(np.arange(4.0), 2.0, 5, True) == 17.0
    assert total(np.empty(0), 2.0, -3, False) == 0.0


@pytest.mark.parametrize("wrong", [np.arange(8.0)[::2], np.arange(4), np.arange(4.0, dtype="f4")])
def test_an_array_of_another_kind_is_refused(tmp_path: Path, wrong: np.ndarray) -> None:
    with pytest.raises(TypeError, match="x is not a dense array of float64"):
        compiled(tmp_path / "a.py").functions["total"](wrong, 2.0, 5, True)


def test_the_same_text_is_one_file_and_another_text_another(folder: Path, tmp_path: Path) -> None:
    assert called(tmp_path / "a.py") == called(tmp_path / "a.py") == 17.0
    assert len(list(folder.glob("*.o"))) == 1
    assert called(tmp_path / "a2.py", SUM.replace("factor *", "factor +")) == 19.0
    assert len(list(folder.glob("*.o"))) == 2


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "one bit", "of another"])
def test_a_damaged_file_is_compiled_again_and_told_once(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    assert called(tmp_path / "a.py") == 17.0
    [path] = folder.glob("*.o")
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "empty": b"",
            "text": b"garbage\n",
            "cut": content[:100],
            "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "of another": content[:-32] + bytes(32),
        }[damage]
    )
    assert called(tmp_path / "a.py") == 17.0
    assert caplog.messages == [f"pliant: {path}: is damaged; it is compiled again"]
    caplog.clear()
    cache.say.cache_clear()
    assert called(tmp_path / "a.py") == 17.0
    assert not caplog.messages


def test_a_full_disk_is_said_and_does_not_matter(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(**where: object) -> tuple[int, str]:
        raise OSError(28, "No space left on device")

    cache.folder()  # made while there is room
    monkeypatch.setattr(tempfile, "mkstemp", full)
    caplog.set_level(logging.WARNING)
    assert called(tmp_path / "a.py") == 17.0
    assert caplog.messages == [
        f"pliant: {folder}: compiled code cannot be kept (No space left on device)"
    ]


def test_two_processes_at_once_share_one_folder(folder: Path, tmp_path: Path) -> None:
    """Each makes its own draft and puts it in place whole."""
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]); "
        "from lower.test_machine import called; print(called(Path(sys.argv[1])))"
    )
    tests = str(Path(__file__).parents[1])
    (tmp_path / "a.py").write_text(SUM)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "a.py"), tests], stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    assert [one.communicate()[0] for one in running] == [b"17.0\n"] * 3
    assert [p.suffix for p in folder.iterdir()] == [".o"]


def test_another_llvmlite_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.llvmlite, "__version__", "0.44.0")
    machine._target.cache_clear()
    with pytest.raises(PliantError) as caught:
        machine._target()
    machine._target.cache_clear()
    assert str(caught.value) == (
        "installed llvmlite: this llvmlite cannot be used; found '0.44.0'; "
        "accepted: llvmlite >=0.45,<0.51"
    )


def test_what_is_compiled_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIANT_LOWER_DUMP", str(tmp_path / "dump"))
    compiled(tmp_path / "a.py")
    shown = {path.name: path.read_text() for path in (tmp_path / "dump").iterdir()}
    assert "def a__total(x: 1-d array of float64, factor: float" in shown["sum.tree"]
    assert "define double @total(" in shown["sum.ll"] and "total:" in shown["sum.s"]
