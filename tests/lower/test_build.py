"""Generated modules: named by their content, kept where they can be."""

import os
import sys
from pathlib import Path

import pytest

from pliant.catalogue import load_law
from pliant.errors import PliantError
from pliant.lower import build as build_module
from pliant.lower.build import build, cache_folder
from pliant.lower.law import lower_law
from pliant.lower.link import Linker


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def made(text: str) -> Path:
    module = build(text, "thing", Linker())
    del sys.modules[module.__name__]
    return Path(str(module.__file__))


def test_the_folder_is_the_one_that_is_asked_for(folder: Path) -> None:
    assert cache_folder() == folder
    assert made("A = 1\n").parent == folder


def test_without_one_it_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLIANT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/pliant")


def test_other_content_is_another_file(folder: Path) -> None:
    one, two = made("A = 1\n"), made("A = 2\n")
    assert one != two
    assert made("A = 1\n") == one
    assert len(list(folder.glob("*.py"))) == 2


def test_a_module_is_imported_once(folder: Path) -> None:
    assert build("A = object()\n", "once", Linker()) is build("A = object()\n", "once", Linker())


def test_a_changed_law_is_another_module(folder: Path, tmp_path: Path) -> None:
    text = load_law("sensing", "encoder").path.read_text()
    files = []
    for k, changed in enumerate([text, text.replace("+ 0.5", "+ 0.25")]):
        path = tmp_path / f"{k}" / "encoder.py"
        path.parent.mkdir()
        path.write_text(changed)
        files.append(lower_law(load_law("sensing", str(path)), "python").path)
    assert files[0] != files[1]


@pytest.mark.parametrize("blocked", ["no folder can be made", "the folder is not writable"])
def test_a_read_only_folder_is_no_obstacle(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocked: str
) -> None:
    if blocked == "no folder can be made":
        (tmp_path / "file").touch()
        monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    else:
        first = made("A = 'read-only'\n")
        _forbid(first.parent, monkeypatch)
    path = made("A = 'read-only'\n")
    assert path.is_file()
    assert not path.is_relative_to(tmp_path)
    lowered = lower_law(load_law("sensing", "ideal"), "numba")
    assert lowered.functions["measured"](0.5, lowered.structures["P"]()) == 0.5


def _forbid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user without the right to write there; the superuser needs to be told."""
    folder.chmod(0o500)
    access, make = os.access, build_module.tempfile.mkstemp

    def may(path: Path, mode: int) -> bool:
        return Path(path) != folder and access(path, mode)

    def refuse(**where: object) -> tuple[int, str]:
        if where["dir"] == folder:
            raise PermissionError(13, "Permission denied")
        return make(**where)

    monkeypatch.setattr(build_module.os, "access", may)
    monkeypatch.setattr(build_module.tempfile, "mkstemp", refuse)


def test_no_room_anywhere_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**where: object) -> tuple[int, str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build_module.tempfile, "mkstemp", full)
    with pytest.raises(PliantError) as caught:
        made("A = 'never'\n")
    assert "cannot be written; found '[Errno 28] No space left on device'; accepted: " in str(
        caught.value
    )


def test_a_module_that_fails_is_not_left_behind(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            build("A = 1 / 0\n", "broken", Linker())
