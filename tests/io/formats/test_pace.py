"""PACE files: one that torch 2 wrote, and pickles that would do something else."""

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.robot_logs import read_robot_log

SAVED = Path(__file__).with_name("pace.pt")
TIME = np.arange(0.0, 2.0, 0.01)


def test_what_torch_saved_is_read() -> None:
    log = read_robot_log(SAVED)
    assert log.joints == ("joint_0", "joint_1")
    np.testing.assert_allclose(log.time, TIME, atol=1e-6)
    np.testing.assert_allclose(log.position[:, 0], np.sin(3.0 * TIME), atol=1e-6)
    np.testing.assert_allclose(log.goal[:, 1], 0.5 * np.cos(2.0 * (TIME + 0.02)), atol=1e-6)


def changed(folder: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """The same file with other entries."""
    with zipfile.ZipFile(SAVED) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    path = folder / "run.pt"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def refused(path: Path) -> str:
    with pytest.raises(PliantError) as caught:
        read_robot_log(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class Attack:
    """Something that calls a function when it is unpickled."""

    def __init__(self, called: Callable[..., Any], *given: Any) -> None:
        self.how = called, given

    def __reduce__(self) -> Any:
        return self.how


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_code_in_a_pickle_is_refused_and_not_run(tmp_path: Path, protocol: int) -> None:
    traces = [tmp_path / name for name in ("a", "b")]
    attacks = [Attack(Path.touch, traces[0]), Attack(exec, f"open({str(traces[1])!r}, 'w')")]
    for attack in attacks:
        data = pickle.dumps({"time": attack}, protocol)
        assert "data.pkl" in refused(
            changed(tmp_path, lambda e, d=data: e.update({"pace/data.pkl": d}))
        )
    assert not any(trace.exists() for trace in traces)
    pickle.loads(pickle.dumps(attacks[0]))
    assert traces[0].exists()  # it would have


def deep() -> bytes:
    """Pairs of pairs of pairs: small, and without end for whoever hashes it."""
    return b"\x80\x02}(" + b")" + b"q\x00h\x00\x86" * 200 + b"K\x01u."


@pytest.mark.parametrize(
    ("pickled", "message"),
    [
        (b"\x80\x02}q\x00", "pickle"),
        (b"\x80\x02]q\x00.", "is not a dict of tensors"),
        (b"\x80\x02}q\x00.", "time: is missing"),
        (deep(), "its pickle is broken"),
        (b"garbage", "its pickle is broken"),
        (b"\x80\x02" + b"(" * 49_990 + b"t" * 49_990 + b".", "is not a dict of tensors"),
        (b"\x80\x02}X\x01\x00\x00\x00a(K\x01\x86s.", "its pickle is broken"),  # over a mark
        (b"\x80\x02]" + 100_001 * b"q\x00" + b".", "its pickle is too long"),
    ],
)
def test_other_pickles_are_refused(tmp_path: Path, pickled: bytes, message: str) -> None:
    path = changed(tmp_path, lambda entries: entries.update({"pace/data.pkl": pickled}))
    assert message in refused(path)


def test_numbers_that_are_cut_off_or_missing_are_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda e: e.update({"pace/data/1": e["pace/data/1"][:-4]}))
    assert "dof_pos: is cut off" in refused(path)
    assert "has no numbers" in refused(changed(tmp_path, lambda e: e.pop("pace/data/0")))


def test_a_shape_beyond_its_numbers_is_refused(tmp_path: Path) -> None:
    def longer(entries: dict[str, bytes]) -> None:
        was = entries["pace/data.pkl"]
        assert was.count(b"K\xc8\x85") == 1
        entries["pace/data.pkl"] = was.replace(b"K\xc8\x85", b"K\xc9\x85")

    assert "time: reaches beyond its numbers" in refused(changed(tmp_path, longer))


@pytest.mark.parametrize("number", [-1, 2**62, 10**30, pytest.param(10**400, id="10**400")])
@pytest.mark.parametrize("stride", [True, False])
def test_a_stride_or_shape_that_no_tensor_has_is_refused(
    tmp_path: Path, number: int, stride: bool
) -> None:
    size = pickle.encode_long(number)
    word = b"\x8a" + bytes([len(size)]) + size

    def strided(entries: dict[str, bytes]) -> None:
        was = entries["pace/data.pkl"]
        shape, between, each = b"K\xc8", b"\x85q\x08", b"K\x01"
        assert was.count(shape + between + each + b"\x85") == 1
        wrong = shape + between + word if stride else word + between + each
        entries["pace/data.pkl"] = was.replace(shape + between + each, wrong)

    text = refused(changed(tmp_path, strided))
    assert "its pickle is broken" in text or "reaches beyond its numbers" in text


def test_a_file_before_torch_1_6_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.pt").write_bytes(pickle.dumps({"time": [1.0]}))
    assert "is not a file that torch saves" in refused(tmp_path / "old.pt")
    (tmp_path / "cut.pt").write_bytes(SAVED.read_bytes()[:-200])
    assert "is not a file that torch saves" in refused(tmp_path / "cut.pt")


def test_an_entry_beyond_all_files_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more", b"")
        archive.filelist[0].header_offset = archive.filelist[1].header_offset = 2**63 - 1
    assert "is not a file that torch saves" in refused(path)
