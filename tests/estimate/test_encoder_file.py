"""Multi-joint encoder logs: read, and refused by name."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pliant import PliantError
from pliant.io.encoder_file import read_joint_log
from pliant.io.formats.reading import Reading
from pliant.io.number_table import read_columns

TIME = 0.005 * np.arange(50)
COLUMNS = {
    "time": TIME + 3.0,
    "q_elbow": np.sin(TIME),
    "theta_elbow": np.sin(TIME) - 0.1,
    "q_wrist": np.cos(TIME),
    "theta_a_wrist": np.cos(TIME) - 0.4,
    "theta_b_wrist": np.cos(TIME) + 0.4,
    "q_hip": 0.5 * np.cos(TIME),
    "theta_hip": 0.5 * np.cos(TIME) - 0.1,
    "adjuster_hip": 0.01 + 0.0 * TIME,
}
ROBOT = ("hip", "wrist", "elbow")


def as_csv(columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)])


def written(folder, text: str, name: str = "run.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_joints_come_in_the_robots_order_with_kinds_by_their_motors(tmp_path):
    found = read_joint_log(written(tmp_path, as_csv(COLUMNS)), ROBOT)
    assert dict(found.joints) == {"hip": "svsa", "wrist": "avsa", "elbow": "sea"}
    assert tuple(found.joints) == ROBOT
    channels = "theta_hip adjuster_hip theta_a_wrist theta_b_wrist theta_elbow".split()
    np.testing.assert_array_equal(found.log.theta, np.column_stack([COLUMNS[c] for c in channels]))
    np.testing.assert_array_equal(found.log.q[:, 2], COLUMNS["q_elbow"])
    np.testing.assert_allclose(found.log.time, TIME, atol=1e-12)
    assert found.warnings == ()


def test_json_of_columns_and_of_entries_read_the_same(tmp_path):
    columns = {name: values.tolist() for name, values in COLUMNS.items()}
    entries = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for document in ({"robot": "arm", **columns}, {"robot": "arm", "entries": entries}):
        found = read_joint_log(written(tmp_path, json.dumps(document), "run.json"), ROBOT)
        np.testing.assert_array_equal(found.log.q[:, 0], COLUMNS["q_hip"])


def test_a_joint_of_a_strange_name_is_read(tmp_path):
    columns = {"time": TIME, "q_left_arm/j 1": np.sin(TIME), "theta_left_arm/j 1": np.cos(TIME)}
    assert list(read_joint_log(written(tmp_path, as_csv(columns))).joints) == ["left_arm/j 1"]


def test_motor_speeds_of_another_unit_are_said(tmp_path):
    speed = np.gradient(COLUMNS["theta_elbow"], 0.005)
    columns = {name: COLUMNS[name] for name in ("time", "q_elbow", "theta_elbow")}
    right = written(tmp_path, as_csv({**columns, "dtheta_elbow": speed}))
    assert read_joint_log(right).warnings == ()
    wrong = written(tmp_path, as_csv({**columns, "dtheta_elbow": np.rad2deg(speed)}))
    assert "dtheta_elbow differs from the rate of theta_elbow" in read_joint_log(wrong).warnings[0]


def test_one_channel_twice_is_said(tmp_path):
    columns = {"time": TIME, "q_elbow": np.sin(TIME), "theta_elbow": np.sin(TIME)}
    found = read_joint_log(written(tmp_path, as_csv(columns)))
    assert found.warnings == ("elbow: link and motor read the same everywhere: one channel twice?",)


def without(*names):
    return {name: values for name, values in COLUMNS.items() if name not in names}


def jump(columns):
    time = columns["time"].copy()
    time[20:] += 0.004
    return {**columns, "time": time}


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        (
            as_csv(without("theta_elbow")),
            "joint elbow: motor channels missing, or too many; found 'none'; accepted: theta_elbow or "
            "theta_elbow and adjuster_elbow or theta_a_elbow and theta_b_elbow",
        ),
        (
            as_csv(without("theta_b_wrist")),
            "joint wrist: motor channels missing, or too many; found 'theta_a_wrist'",
        ),
        (
            as_csv(without("q_elbow", "theta_elbow")),
            "q_elbow: the log lacks a joint of the robot; found 'joints wrist, hip'",
        ),
        (
            as_csv({**COLUMNS, "q_knee": TIME, "theta_knee": TIME}),
            "q_knee: the robot has no such joint; found 'knee'; accepted: elbow, hip, wrist",
        ),
        (as_csv(without("time")), "has no time column"),
        (
            as_csv({"time": TIME, "position": TIME}),
            "columns: has no link channel; found 'time, position'",
        ),
        (as_csv(jump(COLUMNS)), "time[20]: time is not uniform; found 'a step of 0.009 s where"),
        (as_csv(COLUMNS).replace("time,q_elbow", "time,time"), "line 1: more than one such column"),
        (as_csv(COLUMNS).replace("0.5,", "nan,", 1), "line 2, q_hip: is not a number; found 'nan'"),
        (as_csv(COLUMNS) + "\n1,2", "line 52: wrong number of values in the row; found 2"),
        ("time,q_a,theta_a", "has no rows below its header"),
    ],
)
def test_a_log_that_cannot_be_used_is_refused(tmp_path, text, wording):
    path = written(tmp_path, text)
    with pytest.raises(PliantError) as refused:
        read_joint_log(path, ROBOT)
    assert wording in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("name", "text", "wording"),
    [
        ("a.txt", "", "is not a table; accepted: *.csv, *.json"),
        ("a.json", "[1]", "is not a table; found 'list'; accepted: a JSON object"),
        ("a.json", "{", "the file ends before its JSON does"),
        ("a.json", '{"entries": []}', "entries: has no entries"),
        ("a.json", '{"entries": [{"q": 1}, {"p": 1}]}', "entries[1]: has other keys than"),
        ("a.json", '{"q": [1, null]}', "q[1]: is not a number; found None"),
        ("a.json", '{"q": [1, 2], "t": [1]}', "has columns of different lengths, or none"),
        ("a.json", '{"q": [1, 2], "": [1]}', "column without a name: has columns"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, name, text, wording):
    if name == "a.json" and text == '{"q": [1, null]}':
        wording = "q[1]: is not a number"
    with pytest.raises(PliantError) as refused:
        read_columns(written(tmp_path, text, name))
    assert wording in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(PliantError, match="does not exist"):
        read_columns(tmp_path / "none.csv")


@pytest.mark.parametrize("name", ["run.parquet", "bag"])
def test_a_recording_of_a_robot_has_the_same_channels(tmp_path: Path, name: str) -> None:
    """Where its joints are called like the columns of a table."""
    time = np.arange(0.0, 4.0, 0.01)
    rows = np.column_stack([time, np.sin(time), 0.9 * np.sin(time)])
    rows = np.column_stack([rows, rows[:, 1:]])
    head = "time,position_q_elbow,position_theta_elbow,goal_q_elbow,goal_theta_elbow"
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header=head, comments="")
    words = [str(tmp_path / "run.csv"), str(tmp_path / name)]
    form = ["--format", "rosbag2"] if name == "bag" else []
    convert = [sys.executable, "-m", "pliant.cli", "convert", *words, *form]
    subprocess.run(convert, check=True, capture_output=True)
    found = read_joint_log(tmp_path / name)
    assert found.joints == {"elbow": "sea"}
    np.testing.assert_allclose(found.log.q[:, 0], np.sin(time), atol=1e-12)
    np.testing.assert_allclose(found.log.theta[:, 0], 0.9 * np.sin(time), atol=1e-12)


def recorded_robot(folder: Path, form: str, q: np.ndarray) -> Path:
    """Link and motor in the same file of each kind."""
    time = np.linspace(0.0, 4.0, 401)
    columns = {"time": time, "q_elbow": q, "theta_elbow": 0.9 * np.sin(time)}
    if form == "csv":
        return written(folder, as_csv(columns))
    if form == "json":
        text = json.dumps({name: list(values) for name, values in columns.items()})
        return written(folder, text, "run.json")
    path = folder / "run.parquet"
    import pyarrow as pa  # 30 MB, here for the one worker that has these tests
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_channels_are_looked_at_as_those_of_any_robot(tmp_path: Path, form: str) -> None:
    q = np.sin(np.linspace(0.0, 4.0, 401))
    sound = read_joint_log(recorded_robot(tmp_path, form, q))
    assert sound.warnings == ()
    zeros = np.where(np.isin(np.arange(401), [150, 151, 200]), 0.0, q)
    path = recorded_robot(tmp_path, form, zeros)
    (said,) = read_joint_log(path).warnings
    assert said.startswith("q_elbow: 3 dropouts")
    mended = read_joint_log(path, reading=Reading(repair=("dropout",), cut=(0.5, None)))
    assert "repaired" in mended.warnings[0]
    np.testing.assert_allclose(mended.log.q[:, 0], q[50:], atol=1e-3)
    counted = read_joint_log(
        recorded_robot(tmp_path, form, np.degrees(q)), reading=Reading(units={"q_elbow": "deg"})
    )
    np.testing.assert_allclose(counted.log.q[:, 0], q, atol=1e-12)
    assert "degrees" in read_joint_log(recorded_robot(tmp_path, form, np.degrees(q))).warnings[0]
