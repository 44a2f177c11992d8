"""`pliant cache`: how much compiled code there is, and nothing else deleted than that."""

from pathlib import Path

import numpy as np
import pytest

from pliant.catalogue import load_law
from pliant.lower.law import lower_law


def test_it_is_counted_and_deleted_and_made_again(
    pliant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "compiled"
    nothing = {"folder": str(folder), "files": 0, "bytes": 0, "deleted": False}
    assert pliant("cache", "--json").json == nothing

    def used() -> None:
        lower_law.cache_clear()
        lower_law(load_law("sensing", "ideal"), "llvm").evaluate("measured", np.array([[0.5]]))

    used()
    [code] = folder.iterdir()
    (folder / "killed.tmp").write_bytes(b"half")
    (folder / "mine.txt").write_text("not of Pliant")
    size = code.stat().st_size + 4
    assert pliant("cache", "--json").json == nothing | {"files": 2, "bytes": size}
    assert pliant("cache").out == f"{size / 1e6:.1f} MB of compiled code, 2 files, in {folder}\n"
    said = f"{size / 1e6:.1f} MB of compiled code, 2 files, deleted from {folder}\n"
    assert pliant("cache", "--clear").out == said
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    used()
    assert code.exists()


def test_what_cannot_be_deleted_is_named(
    pliant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    path = tmp_path / "compiled" / "law.o"
    path.parent.mkdir()
    path.write_bytes(b"")

    def refused(self: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refused)
    ended = pliant("cache", "--clear")
    assert ended.code == 1
    assert ended.err == f"pliant: {path}: cannot be deleted; found 'Permission denied'\n"


def test_what_a_link_leads_to_is_not_deleted(
    pliant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine = tmp_path / "mine" / "law.py"
    mine.parent.mkdir()
    mine.write_text("K = 1.0\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "compiled").symlink_to(mine.parent)
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path / "home"))
    assert pliant("cache", "--clear", "--json").json["files"] == 0
    assert mine.read_text() == "K = 1.0\n"
