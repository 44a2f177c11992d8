"""A CSV that is too long to be held as text is read as a short one is, and refused as clearly."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io import robot_log_csv
from pliant.io.robot_log_csv import read_robot_csv
from pliant.io.robot_logs import read_robot_log

TEXT = "time [ms],position_a [deg],goal_a\n\n" + "".join(
    f"{10 * k},{k % 7}.5,0.25\n" for k in range(20)
)


@pytest.fixture(autouse=True)
def every_file_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_log_csv, "LONG", 0)


def written(folder: Path, text: str) -> Path:
    path = folder / "run.csv"
    path.write_text(text)
    return path


def test_it_is_the_recording_that_a_short_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, TEXT)
    long = read_robot_csv(path)
    monkeypatch.setattr(robot_log_csv, "LONG", 10**9)
    short = read_robot_csv(path)
    assert long.time[:3] == pytest.approx([0.0, 0.01, 0.02])
    assert long.position[1, 0] == pytest.approx(np.radians(1.5))
    for name in ("time", "position", "goal", "enabled"):
        assert np.array_equal(getattr(long, name), getattr(short, name)), name
    assert (long.digest, long.joints) == (short.digest, short.joints)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("30,3.5", "30,x"), "row 4, position_a [deg]"),
        (lambda text: text.replace("30,3.5", "30"), "row 4"),
        (lambda text: text.replace("30,3.5", "20,3.5"), "time: 1 repeated time (first at row 4)"),
        (lambda text: text.replace("[ms]", "[h]"), "is not a unit of time"),
        (lambda text: text.replace("goal_a", "time"), "more than one such column"),
        (lambda text: "time,position_a\n1,2,3\n", "wrong number of values"),
        (lambda text: "x" * 2_000_000, "has no header line"),
    ],
)
def test_a_fault_is_one_message_with_its_place(
    tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    with pytest.raises(PliantError) as error:
        read_robot_log(written(tmp_path, change(TEXT)))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_ten_gigabytes_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    with path.open("wb") as file:
        file.truncate(10 * 10**9)  # takes no place on the disk
    with pytest.raises(PliantError, match="is too large"):
        read_robot_csv(path)


def test_more_numbers_than_memory_should_hold_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*given: object, **named: object) -> None:
        raise AssertionError

    monkeypatch.setattr(robot_log_csv.np, "loadtxt", read)
    with pytest.raises(PliantError, match="is too large"):
        read_robot_csv(written(tmp_path, TEXT + "\n" * 21_000_000))
