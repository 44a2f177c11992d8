"""CSV as other tools export it: rows of one topic each, paths as names, no header, blanks, counts."""

import math
from pathlib import Path

import numpy as np
import pytest

from pliant.csv_rows import csv_text
from pliant.errors import PliantError
from pliant.examine import check
from pliant.io.formats.reading import Reading
from pliant.io.log import read_log
from pliant.io.log_csv import at_positions
from pliant.io.robot_logs import read_robot_log
from pliant.io.table import Table

TIME = np.arange(0.0, 4.0, 0.01)
LINE = np.column_stack([0.5 * np.sin(3.0 * TIME), 0.4 * np.cos(2.0 * TIME)])
GOAL = 1.1 * LINE + 0.02
COUNT = 2.0 * np.pi / 4096


def text(head: str, rows: list[list[object]]) -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)])


def mixed(head: str, states: np.ndarray, goals: np.ndarray) -> str:
    rows: list[list[object]] = []
    blank = [""] * states.shape[1]
    for t, state, goal in zip(TIME, states, goals, strict=True):
        rows += [[t, *blank, *goal], [t + 0.001, *state, *blank]]
    return text(head, rows)


ARRAYS = (
    "__time,/joint_states/position[0],/joint_states/position[1],/commands/data[0],/commands/data[1]"
)
PLOTJUGGLER = (
    "__time,/joint_states/a/position,/joint_states/b/position,/joint_commands/a/position,"
    "/joint_commands/b/position"
)


@pytest.mark.parametrize(
    ("head", "joints"),
    [
        (PLOTJUGGLER, "ab"),
        ("time,position_a,position_b,goal_a,goal_b", "ab"),
        (ARRAYS, ("joint_0", "joint_1")),
        (ARRAYS.replace("[", ".").replace("]", ""), ("joint_0", "joint_1")),
        ("timestamp,/x/js/a/pos,/x/js/b/pos,/x/target/a/pos,/x/target/b/pos", "ab"),
        ("Time,state/a/q,state/b/q,setpoint/a/q,setpoint/b/q", "ab"),
    ],
)
def test_each_signal_is_taken_at_its_own_times(
    tmp_path: Path, head: str, joints: tuple[str, ...]
) -> None:
    (tmp_path / "a.csv").write_text(mixed(head, LINE, GOAL))
    log = read_robot_log(tmp_path / "a.csv")
    assert log.joints == tuple(joints)
    np.testing.assert_allclose(log.position, LINE, atol=1e-12)
    np.testing.assert_allclose(log.goal, GOAL, atol=1e-12)
    np.testing.assert_allclose(log.time, TIME, atol=1e-9)


def test_across_a_gap_of_its_own_nothing_is_known_of_a_signal() -> None:
    time = np.arange(40.0)
    other = np.where((time > 9.0) & (time < 20.0), np.nan, 2.0 * time)
    found, _, _ = at_positions({"time": time, "position_a": time, "position_b": other})
    np.testing.assert_array_equal(found["position_b"], other)


@pytest.mark.parametrize(
    "head",
    [
        "time,a.q,b.q,a.cmd,b.cmd",
        "t,position_a,position_b,goal_a,goal_b",
        "time,s/a/data,s/b/data,cmd/a/data,cmd/b/data",
    ],
)
def test_rows_of_signals_without_a_known_position_or_time_are_refused(
    tmp_path: Path, head: str
) -> None:
    (tmp_path / "a.csv").write_text(mixed(head, LINE, GOAL))
    with pytest.raises(PliantError, match="line 1: is not a known column"):
        read_robot_log(tmp_path / "a.csv")


def test_a_log_of_one_joint_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(mixed("time,position,goal", LINE[:, :1], GOAL[:, :1]))
    log = read_log(tmp_path / "a.csv", mass=1.0, length=0.1, gain=1.0)
    np.testing.assert_allclose(log.goal, GOAL[:, 0], atol=1e-12)


def test_topics_that_would_both_do_are_named_and_one_is_chosen(tmp_path: Path) -> None:
    rows = [[t, *a, *b] for t, a, b in zip(TIME, LINE, GOAL, strict=True)]
    head = "__time,/arm/a/position,/sim/a/position,/cmd/a/position,/goal/a/position"
    (tmp_path / "a.csv").write_text(text(head, rows))
    with pytest.raises(
        PliantError, match=r"--reading state=TOPIC; found 'position_a'; accepted: arm, sim"
    ):
        read_robot_log(tmp_path / "a.csv")
    log = read_robot_log(tmp_path / "a.csv", Reading(state="/sim", command="cmd"))
    np.testing.assert_allclose(log.position[:, 0], LINE[:, 1])
    np.testing.assert_allclose(log.goal[:, 0], GOAL[:, 0])


def counts(values: np.ndarray) -> np.ndarray:
    return 2048 + np.round(values / COUNT)


def test_a_map_names_the_columns_of_a_robot_s_file_without_a_header(tmp_path: Path) -> None:
    table = np.column_stack([1e3 * TIME, counts(LINE), np.degrees(GOAL)])
    for separator in (",", ";", " "):
        np.savetxt(tmp_path / "a.csv", table, delimiter=separator)
        with pytest.raises(PliantError, match="has no header line"):
            read_robot_log(tmp_path / "a.csv", Reading(state="x"))
        assert "has no header line" in str(check(tmp_path / "a.csv"))
        zero = "zero=2048" if separator == "," else ""
        columns = "time=1[ms],position_a=2[counts],goal_a=4[deg],position_b=3[counts],counts_per_turn=4096"
        log = read_robot_log(tmp_path / "a.csv", Reading(columns=f"{columns},{zero}"))
        off = 0.0 if zero else np.pi
        np.testing.assert_allclose(log.position - off, LINE, atol=COUNT)
        if not zero:
            np.testing.assert_allclose(log.goal[:, 0], GOAL[:, 0], atol=1e-9)
        assert not log.commanded("b")


def test_a_map_in_a_file_has_a_zero_for_each_joint_and_check_knows_it(tmp_path: Path) -> None:
    table = np.column_stack([TIME, counts(LINE), LINE[:, 0] / (2.0 * np.pi)])
    np.savetxt(tmp_path / "a.csv", table, delimiter=",", header="t,x,y,r", comments="")
    (tmp_path / "a.toml").write_text(
        'counts_per_turn = 4096\nzero = { a = 2048, b = 1024 }\n[columns]\ntime = "t"\n'
        'position_a = "x[counts]"\nposition_b = "y[counts]"\nposition_c = "r[rev]"\n'
    )
    assert check(tmp_path / "a.toml").ok
    log = read_robot_log(tmp_path / "a.csv", Reading(columns=tmp_path / "a.toml"))
    truth = np.column_stack([LINE[:, 0], LINE[:, 1] + np.pi / 2, LINE[:, 0]])
    np.testing.assert_allclose(log.position, truth, atol=COUNT)
    np.testing.assert_allclose(log.time, TIME)  # of a map that says no unit


def test_a_zero_of_one_joint_is_taken_off_positions_and_goals(tmp_path: Path) -> None:
    rows = [
        [t, *x]
        for t, x in zip(TIME, counts(np.column_stack([LINE[:, 0], GOAL[:, 0]])), strict=True)
    ]
    (tmp_path / "a.csv").write_text(text("t,x,g", rows))
    columns = "time=t,position=x[counts],goal=g[counts],counts_per_turn=4096,zero=2048"
    log = read_log(tmp_path / "a.csv", columns=columns, mass=1.0, length=0.1, gain=1.0)
    np.testing.assert_allclose(log.position, LINE[:, 0], atol=COUNT)
    np.testing.assert_allclose(log.goal, GOAL[:, 0], atol=COUNT)


@pytest.mark.parametrize(
    ("unit", "size"),
    [
        ("rev", 2.0 * np.pi),
        ("turns", 2.0 * np.pi),
        ("deg", np.pi / 180.0),
        ("mrad", 1e-3),
        ("counts", COUNT),
    ],
)
def test_units_of_drives_are_those_of_one_joint_and_of_a_robot(
    tmp_path: Path, unit: str, size: float
) -> None:
    rows = np.column_stack([TIME, LINE / size, GOAL / size]).tolist()
    (tmp_path / "a.csv").write_text(text("t,a,b,c,d", rows))
    turn = ",counts_per_turn=4096" if unit == "counts" else ""
    columns = f"position_x=a[{unit}],position_y=b[{unit}],goal_x=c[{unit}],goal_y=d[{unit}]{turn}"
    log = read_robot_log(tmp_path / "a.csv", Reading(columns=f"time=t,{columns}"))
    np.testing.assert_allclose(np.hstack([log.position, log.goal]), np.hstack([LINE, GOAL]))
    columns = f"time=t,position=a[{unit}],goal=c[{unit}]{turn}"
    one = read_log(tmp_path / "a.csv", columns=columns, mass=1.0, length=0.1, gain=1.0)
    np.testing.assert_allclose(one.position, LINE[:, 0])
    np.testing.assert_allclose(one.goal, GOAL[:, 0])


@pytest.mark.parametrize(("lost", "line"), list(enumerate([-3.0, 3.0, 11.0, 18.0, 30.0])))
def test_a_line_through_the_neighbours_replaces_what_was_lost(lost: int, line: float) -> None:
    time = np.array([0.0, 1.0, 3.0, 4.0, 6.0])
    table = Table({"time": time, "position": time**2}, {}, np.arange(5), "", time < 0.0)
    assert table.interpolate("position", np.arange(5) == lost).channels["position"][lost] == line


def test_names_in_blanks_are_read(tmp_path: Path) -> None:
    rows = "\n".join(f"  {t:.3f}   {a:.6f} {b:.6f}" for t, (a, b) in zip(TIME, LINE, strict=True))
    (tmp_path / "a.csv").write_text(f"time  position_a  position_b\n{rows}\n")
    np.testing.assert_allclose(read_robot_log(tmp_path / "a.csv").position, LINE, atol=1e-6)


def test_a_table_written_as_csv_keeps_names_with_commas_and_leaves_out_what_is_no_number():
    text = csv_text(["time", "hip, left"], [[0.0, 1.0 / 3.0], [0.5, math.nan]], figures=4)
    assert text == 'time,"hip, left"\n0,0.3333\n0.5,\n'
