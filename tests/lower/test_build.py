"""Generated modules: named by their content, kept where they can be, run from the text."""

import errno
import logging
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from pliant.catalogue import load_law
from pliant.lower import cache
from pliant.lower.cache import build, cache_folder
from pliant.lower.law import lower_law


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "cache"))
    cache.say.cache_clear()
    return tmp_path / "cache" / "compiled"


def made(text: str, stem: str = "thing") -> Path:
    module = build(text, stem)
    del sys.modules[module.__name__]
    return Path(str(module.__file__))


def test_the_folder_is_the_one_that_is_asked_for(folder: Path) -> None:
    assert cache_folder() == folder
    assert made("A = 1\n").parent == folder


def test_without_one_it_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLIANT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/pliant/compiled")


def test_other_content_is_another_file(folder: Path) -> None:
    one, two = made("A = 1\n"), made("A = 2\n")
    assert one != two
    assert made("A = 1\n") == one
    assert len(list(folder.glob("*.py"))) == 2


def test_a_long_name_is_no_obstacle(folder: Path) -> None:
    assert made("A = 3\n", "long" * 100).is_file()


def test_a_module_is_imported_once(folder: Path) -> None:
    assert build("A = object()\n", "once") is build("A = object()\n", "once")


@pytest.mark.parametrize("there", ["", "A = 2\n", "A = 1\n" * 2, "\0"])
def test_a_file_that_is_not_the_text_is_never_run(folder: Path, there: str) -> None:
    path = made("A = 1\n")
    path.write_text(there)
    module = build("A = 1\n", "thing")
    del sys.modules[module.__name__]
    assert module.A == 1
    assert path.read_text() == "A = 1\n"


def test_a_changed_law_is_another_module(folder: Path, tmp_path: Path) -> None:
    text = load_law("sensing", "encoder").path.read_text()
    files = []
    for k, changed in enumerate([text, text.replace("+ 0.5", "+ 0.25")]):
        path = tmp_path / f"{k}" / "encoder.py"
        path.parent.mkdir()
        path.write_text(changed)
        files.append(lower_law(load_law("sensing", str(path)), "python").path)
    assert files[0] != files[1]


@pytest.mark.parametrize("blocked", ["a file", "a link", "of others", "under others"])
def test_a_folder_that_is_not_this_users_alone_is_not_used(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, blocked: str
) -> None:
    if blocked == "a file":
        folder.parent.write_text("")
    elif blocked == "a link":
        (tmp_path / "theirs").mkdir()
        folder.parent.mkdir()
        folder.symlink_to(tmp_path / "theirs")
    elif blocked == "of others":
        folder.mkdir(parents=True)
        folder.chmod(0o777)
    else:
        folder.mkdir(parents=True)
        folder.parent.chmod(0o777)
    path = made("A = 'not there'\n")
    assert path.is_file()
    assert not path.is_relative_to(tmp_path)
    assert not list(tmp_path.rglob("*.py"))
    [said] = caplog.messages
    assert said.startswith(f"pliant: {folder}: ")
    assert said.endswith("; compiled code is kept for this process only")


def test_a_folder_that_others_could_read_is_closed(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    made("A = 'mine'\n")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_without_any_folder_it_runs_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> None:
        return None

    folder.parent.write_text("")
    monkeypatch.setattr(cache, "_temporary_folder", none)
    law = load_law("sensing", "ideal")
    lower_law.cache_clear()
    for target in ("python", "llvm"):
        lowered = lower_law(law, target)
        for name in [name for name in sys.modules if name.startswith("sensing_ideal_")]:
            del sys.modules[name]
        assert lowered.evaluate("measured", np.array([[0.5]])) == [[0.5]]
    [said] = caplog.messages
    assert said.endswith("compiled code is not kept, so each start compiles again")


def test_a_full_disk_is_said_and_does_not_matter(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = tempfile.mkstemp

    def full(**where: object) -> tuple[int, str]:
        if where.get("suffix") == ".tmp":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(**where)  # type: ignore[call-overload]

    monkeypatch.setattr(tempfile, "mkstemp", full)
    caplog.set_level(logging.WARNING)
    module = build("A = 'never'\n", "thing")
    assert module.A == "never"
    assert caplog.messages == [
        f"pliant: {folder}: compiled code cannot be kept (No space left on device)"
    ]


def test_a_module_that_fails_is_not_left_behind(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            build("A = 1 / 0\n", "broken")
