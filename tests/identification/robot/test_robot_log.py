"""Recordings of robots: what is read, and what is refused with its place."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.io.robot_log import Recordings, RobotLog
from pliant.io.robot_log_csv import write_robot_log
from pliant.io.robot_logs import read_robot_log, read_robot_logs

HEAD = "time,goal_a,position_a,goal_b_2,position_b_2,speed_b_2,enabled_a,supply"


def rows(count: int = 12) -> list[str]:
    return [
        f"{5 + 0.01 * k},{k},{0.1 * k},-1,0.5,0.25,{int(k < 6)},{12 - 0.1 * k}"
        for k in range(count)
    ]


def written(folder: Path, head: str = HEAD, lines: list[str] | None = None) -> Path:
    path = folder / "run.csv"
    path.write_text("\n".join([head, *(rows() if lines is None else lines)]), encoding="utf-8")
    return path


def test_each_column_is_what_its_name_says(tmp_path) -> None:
    log = read_robot_log(written(tmp_path))
    assert (log.name, log.joints) == ("run", ("a", "b_2"))
    assert log.time == pytest.approx(0.01 * np.arange(12))
    assert log.position[:, 0] == pytest.approx(0.1 * np.arange(12))
    assert (log.position[:, 1] == 0.5).all()
    assert log.goal[:, 0] == pytest.approx(np.arange(12))
    assert np.isnan(log.speed[:, 0]).all() and (log.speed[:, 1] == 0.25).all()
    assert log.enabled[:, 0].tolist() == [True] * 6 + [False] * 6
    assert log.enabled[:, 1].all()
    assert log.supply == pytest.approx(12 - 0.1 * np.arange(12))
    assert log.commanded("a") and len(log.digest) == 64


def test_one_column_switches_all_joints_off(tmp_path) -> None:
    head, lines = (
        "time,position_a,position_b,enabled",
        [f"{0.01 * k},0,0,{k % 2}" for k in range(12)],
    )
    log = read_robot_log(written(tmp_path, head, lines))
    assert (log.enabled == (np.arange(12) % 2 == 1)[:, None]).all()
    assert not log.commanded("a")


def test_what_is_written_is_read_again(tmp_path) -> None:
    log = read_robot_log(written(tmp_path))
    write_robot_log(log, tmp_path / "again.csv")
    again = read_robot_log(tmp_path / "again.csv")
    assert again.joints == log.joints
    for name in ("time", "position", "goal", "speed", "enabled", "supply"):
        assert np.allclose(getattr(again, name), getattr(log, name), equal_nan=True), name


def test_a_folder_is_read_in_order(tmp_path) -> None:
    for name in ("b", "a"):
        written(tmp_path).rename(tmp_path / f"{name}.csv")
    assert [log.name for log in read_robot_logs(tmp_path)] == ["a", "b"]


def changed(line: int, column: str, text: str) -> list[str]:
    lines = rows()
    cells = lines[line].split(",")
    cells[HEAD.split(",").index(column)] = text
    lines[line] = ",".join(cells)
    return lines


@pytest.mark.parametrize(
    ("head", "lines", "said"),
    [
        (HEAD, changed(3, "position_a", "x"), "line 5, position_a: is not a number; found 'x'"),
        (
            HEAD,
            changed(3, "position_a", "nan"),
            "position_a: 1 value is not finite (first at line 5, t = 0.030 s); accepted: repair 'nan'",
        ),
        (
            HEAD,
            changed(0, "goal_b_2", "inf"),
            "goal_b_2: 1 value is not finite (first at line 2, t = 0.000 s)",
        ),
        (
            HEAD,
            changed(1, "enabled_a", "0.5"),
            "line 3, enabled_a: cannot be used; found 0.5; accepted: 0 or 1",
        ),
        (
            HEAD,
            changed(1, "supply", "0"),
            "line 3, supply: cannot be used; found 0.0; accepted: above 0 V",
        ),
        (
            HEAD,
            changed(4, "time", "5.03"),
            "time: 1 repeated time (first at line 6); accepted: repair 'time'",
        ),
        (
            HEAD,
            [*rows()[:-1], "1,2,3"],
            "line 13: wrong number of values in the row; found 3; accepted: 8 values",
        ),
        (HEAD, rows(5), "has too few rows; found 5; accepted: a header line and at least 10 rows"),
        (
            HEAD.replace("goal_a", "gaol_a"),
            None,
            "line 1: is not a known column; found 'gaol_a'; accepted: time, position_<joint>, "
            "goal_<joint>, speed_<joint>, current_<joint>, enabled_<joint>, enabled, supply",
        ),
        (
            HEAD.replace("goal_a", "goal_c"),
            None,
            "line 1: is a joint without position_c; found 'goal_c'; did you mean",
        ),
        (
            HEAD.replace("goal_a", "position_a"),
            None,
            "line 1: more than one such column; found 'position_a'",
        ),
        (HEAD.replace("time", "enabled"), None, "line 1: has no column time; found"),
        (
            "time,supply",
            [f"{k},1" for k in range(12)],
            "line 1: has no column position_<joint>; found ['time', 'supply']",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, head, lines, said) -> None:
    path = written(tmp_path, head, lines)
    with pytest.raises(pliant.PliantError) as error:
        read_robot_log(path)
    text = str(error.value).removeprefix(f"{path}: ")
    assert text.startswith(said.removesuffix("; did you mean")), text


def test_missing_files_and_joints_are_named(tmp_path) -> None:
    with pytest.raises(pliant.PliantError, match=r"none\.csv: does not exist"):
        read_robot_log(tmp_path / "none.csv")
    with pytest.raises(pliant.PliantError, match="no logs"):
        read_robot_logs(tmp_path)
    log = read_robot_log(written(tmp_path))
    with pytest.raises(pliant.PliantError, match="joint: this joint is not recorded; found 'c'"):
        log.column("c")
    with pytest.raises(pliant.PliantError, match="two logs have the same name; found 'run'"):
        Recordings([log, log], ["a"])


def test_samples_are_laid_out_log_by_log_and_joint_by_joint() -> None:
    def log(name: str, count: int, base: float) -> RobotLog:
        position = base + np.arange(2.0 * count).reshape(count, 2)
        return RobotLog(
            name,
            ("a", "b"),
            np.arange(float(count)),
            position,
            position,
            position,
            np.ones((count, 2), bool),
        )

    laid = Recordings([log("x", 2, 0.0), log("y", 3, 100.0)], ["b", "a"])
    assert laid.measured.tolist() == [1, 3, 0, 2, 101, 103, 105, 100, 102, 104]
    assert laid.starts.tolist() == [0, 2, 4, 7, 10]
    assert [part.tolist() for part in laid.per_block(laid.time)][2] == [0, 1, 2]
    assert [(one.name, joint) for one, joint in laid.blocks][1:3] == [("x", "a"), ("y", "b")]
