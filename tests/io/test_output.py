"""Places to write to, checked before the work; files that are whole or not there."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from pliant.errors import PliantError
from pliant.io.output import check_output, outputs_held, rescued, way_to, write_whole


def refusal(path: Path) -> str:
    with pytest.raises(PliantError) as caught:
        check_output(path)
    return str(caught.value)


def test_a_place_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    check_output(tmp_path / "new.toml")
    assert list(tmp_path.iterdir()) == []


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    check_output(tmp_path / "a" / "b" / "new.toml")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_that_exists_is_refused_unless_it_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text("old")
    assert refusal(path) == f"{path}: exists already; accepted: another name, or --overwrite"
    check_output(path, overwrite=True)
    assert path.read_text() == "old"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: is a folder; accepted: a file name"
    with pytest.raises(PliantError):
        check_output(tmp_path, overwrite=True)


WRITABLE = "accepted: a folder that this user may write, with space left"


def test_a_place_under_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "folder"
    assert refusal(folder / "x.toml") == (
        f"{folder}: cannot be written; found 'Not a directory'; {WRITABLE}"
    )


def test_a_name_that_is_too_long_cannot_be_written(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)) == (
        f"{tmp_path}: cannot be written; found 'File name too long'; {WRITABLE}"
    )


def test_a_folder_that_is_read_only_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a user without the right to; the superuser may write there all the same."""
    if os.access(tmp_path, os.W_OK) and os.geteuid() == 0:

        def forbidden(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(tempfile, "NamedTemporaryFile", forbidden)
    else:
        tmp_path.chmod(0o500)
    assert refusal(tmp_path / "x.toml") == (
        f"{tmp_path}: cannot be written; found 'Permission denied'; {WRITABLE}"
    )


def test_a_full_disk_is_noticed_and_the_probe_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert refusal(tmp_path / "x.toml") == (
        f"{tmp_path}: cannot be written; found 'No space left on device'; {WRITABLE}"
    )
    assert list(tmp_path.iterdir()) == []


def test_text_is_written_whole_and_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    write_whole(path, "θ = 1\n" * 1000)
    assert path.read_text("utf-8") == "θ = 1\n" * 1000
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("where", ["while it is written", "before it is renamed"])
def test_an_interrupt_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "old.toml"
    path.write_text("old")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    if where == "before it is renamed":
        monkeypatch.setattr(Path, "replace", stop)
    else:
        monkeypatch.setattr(os, "fchmod", stop)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_has_gone_since_is_said(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "x.toml"
    with pytest.raises(PliantError) as caught:
        write_whole(path, "new")
    assert str(caught.value) == f"{path}: cannot be written; found 'No such file or directory'"


def test_a_file_on_another_drive_is_named_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert way_to(tmp_path / "models" / "arm.xml", tmp_path / "my_arm") == "../models/arm.xml"

    def as_on_windows(path: str, start: str) -> str:
        raise ValueError(f"path is on mount 'Z:', start on mount 'C:': {path}, {start}")

    monkeypatch.setattr(os.path, "relpath", as_on_windows)
    monkeypatch.chdir(tmp_path)
    assert way_to("arm.xml", tmp_path / "my_arm") == f"{tmp_path.as_posix()}/arm.xml"


def test_half_a_character_does_not_lose_the_file(tmp_path: Path) -> None:
    """Out of a log's name that is not UTF-8."""
    write_whole(tmp_path / "new.html", "a\udcffb")
    assert (tmp_path / "new.html").read_text() == "a?b"


def test_what_is_written_is_all_that_is_asked_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    fdopen = os.fdopen

    def small(handle: int, mode: str) -> object:
        file = fdopen(handle, mode)
        write = file.write

        class Disk:
            def __enter__(self) -> "Disk":
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def flush(self) -> None:
                file.flush()

            def write(self, data: bytes) -> int:
                asked.append(len(data))
                return write(data)

        return Disk()

    monkeypatch.setattr(os, "fdopen", small)
    write_whole(tmp_path / "new.toml", "twelve bytes")
    assert asked == [12]


def test_a_text_that_cannot_go_to_its_place_goes_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output that has become a folder; one whose folder has gone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").mkdir()
    for k, path in enumerate((tmp_path / "a.toml", tmp_path / "gone" / "a.toml")):
        with pytest.raises(PliantError) as caught:
            write_whole(path, "found")
        there = tmp_path / f"a_rescued{k or ''}.toml"
        found = rescued(path, "found", caught.value)
        assert there.read_text() == "found"
        assert str(found).startswith(f"{path}: cannot be written; the result is in {there}; ")


HOLDER = """
import sys, time
from pathlib import Path
from pliant.io.output import outputs_held
from pliant.io.output import check_output
with outputs_held():
    check_output(Path(sys.argv[1]), overwrite=True)
    print("held", flush=True)
    time.sleep(60)
"""


def test_an_output_belongs_to_one_process_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    (tmp_path / "link").symlink_to(tmp_path)
    with outputs_held():
        for same in (path, tmp_path / "link" / "a.toml"):
            assert refusal(same) == (
                f"{same}: is being written by another process; "
                "accepted: another name, or the same one when that process has ended"
            )
        check_output(tmp_path / "b.toml")
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
        check_output(path)
        check_output(path)
    assert [p.name for p in tmp_path.iterdir()] == ["link"]


def test_locks_of_killed_processes_are_cleared_by_the_next_one_in_the_folder(
    tmp_path: Path,
) -> None:
    others = [tmp_path / "b.toml", tmp_path / "c.toml"]
    holders = [
        subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=-1, text=True)
        for path in others
    ]
    for holder in holders:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    (tmp_path / ".poetry.lock").write_text("not ours")
    holders[0].kill()
    holders[0].communicate()
    assert len(list(tmp_path.iterdir())) == 3
    with outputs_held():
        check_output(tmp_path / "a.toml")
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {".pliant_a.toml.lock", ".pliant_c.toml.lock", ".poetry.lock"}
        assert "is being written" in refusal(others[1])
        check_output(others[0])
    holders[1].kill()
    holders[1].communicate()


def test_a_process_that_just_clears_the_folder_refuses_nobody(tmp_path: Path) -> None:
    clearing = FileLock(tmp_path / ".pliant_a.toml.lock", thread_local=False)
    clearing.acquire()
    end = threading.Timer(0.1, clearing.release)
    with outputs_held():
        end.start()
        check_output(tmp_path / "a.toml")
        end.join()
        assert [path.name for path in tmp_path.iterdir()] == [".pliant_a.toml.lock"]


def test_a_process_killed_while_it_writes_leaves_nothing(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from pliant.io import output
def stopped(*_): os.kill(os.getpid(), signal.SIGKILL)
os.fchmod = stopped
output.write_whole(Path(sys.argv[1]), "x" * 10**6)
"""
    ended = subprocess.run([sys.executable, "-c", code, tmp_path / "a.toml"], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_held_where_no_command_runs(tmp_path: Path) -> None:
    check_output(tmp_path / "a.toml")
    assert list(tmp_path.iterdir()) == []
