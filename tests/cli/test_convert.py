"""`pliant convert`: what it writes is read by other implementations, and by `identify`."""

import csv
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from pliant.io.log import read_log
from pliant.io.robot_logs import read_robot_log

from .conftest import Pliant

TIME = np.arange(0.0, 1.0, 0.01)
GOAL = 1.1 * np.sin(TIME + 0.05)
COLUMNS = {
    "time": TIME,
    "position_a": np.sin(TIME),
    "goal_a": GOAL,
    "position_b": 0.1 * TIME,
    "torque_a": TIME,
    "torque_b": -TIME,
    "supply": 12.0 + TIME,
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*COLUMNS.values(), strict=True))
    return path


def test_parquet_has_the_columns(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    from pyarrow.parquet import read_table

    ended = pliant("convert", str(run), str(tmp_path / "run.parquet"), "--json")
    assert ended.json["files"] == [str(tmp_path / "run.parquet")]
    table = read_table(tmp_path / "run.parquet").to_pydict()
    assert table["goal_a"] == list(GOAL)
    assert table["supply"] == list(12.0 + TIME)


def test_another_implementation_reads_the_bag(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    bag = tmp_path / "bag"
    assert pliant("convert", str(run), str(bag), "--format", "rosbag2").code == 0
    (file,) = bag.glob("*.mcap")
    with file.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        states = [m for _, _, _, m in reader.iter_decoded_messages(topics="/joint_states")]
    assert [list(m.position) for m in states] == [
        [a, b] for a, b in zip(np.sin(TIME), 0.1 * TIME, strict=True)
    ]
    assert [m.effort[0] for m in states] == list(TIME)
    assert [m.header.stamp.nanosec for m in states][:3] == [0, 10_000_000, 20_000_000]
    with AnyReader([bag]) as other:
        goals = [
            other.deserialize(raw, connection.msgtype).position[0]
            for connection, _, raw in other.messages()
            if connection.topic == "/joint_commands"
        ]
    assert goals == list(GOAL)


def test_warnings_of_what_is_read_are_printed_once(
    pliant: Pliant, run: Path, tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    pliant("convert", str(run), str(bag), "--format", "rosbag2")
    (bag / "metadata.yaml").write_text("a: [")
    ended = pliant("convert", str(bag), str(tmp_path / "again.csv"))
    assert ended.code == 0
    assert ended.err.count("warning: metadata.yaml: line 1: is not YAML") == 1


def test_a_bag_comes_back_as_it_was(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    pliant("convert", str(run), str(tmp_path / "bag"), "--format", "rosbag2")
    log = read_robot_log(tmp_path / "bag")
    np.testing.assert_array_equal(log.position[:, 0], np.sin(TIME))
    np.testing.assert_array_equal(log.goal[:, 0], GOAL)
    assert not log.commanded("b")
    np.testing.assert_array_equal(log.others["torque"][:, 1], -TIME)


def test_what_a_bag_has_no_place_for_is_told(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    ended = pliant("convert", str(run), str(tmp_path / "bag"), "--format", "rosbag2")
    assert "JointState has no place for supply: left out" in ended.out + ended.err
    ended = pliant("convert", str(run), str(tmp_path / "run.parquet"))
    assert "no place" not in ended.out + ended.err


def test_one_joint_is_a_log_for_identify(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "joint.csv"
    assert pliant("convert", str(run), str(out), "--joint", "a").code == 0
    log = read_log(out, mass=0.5, length=0.1, gain=100.0)
    np.testing.assert_allclose(log.goal, GOAL, atol=1e-8)
    assert log.voltage is not None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--joint", "c"], "this joint is not recorded; found 'c'"),
        (["--rename", "q=a"], "this joint is not recorded; found 'q'"),
        (["--unit", "percent"], "position_a: percent needs the range"),
        (
            ["--format", "parquet"],
            "is not the format of the output's suffix; found 'parquet, out.csv'",
        ),
        (["--episodes", "x"], "is not an episode; found 'x'"),
    ],
)
def test_a_wrong_option_is_one_line(
    pliant: Pliant, run: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    ended = pliant("convert", str(run), str(tmp_path / "out.csv"), *words)
    assert ended.code == 1
    assert message in ended.err and "Traceback" not in ended.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        (
            "out.mcap",
            [],
            "OUTPUT: is read, not written; found 'out.mcap'; accepted: *.csv, *.parquet",
        ),
        ("out", ["--format", "parquet", "--joint", "a"], "writes CSV only"),
    ],
)
def test_another_output_is_refused_before_anything_is_written(
    pliant: Pliant, run: Path, tmp_path: Path, name: str, words: list[str], message: str
) -> None:
    ended = pliant("convert", str(run), str(tmp_path / name), *words)
    assert ended.code == 1
    assert message in ended.err
    assert not (tmp_path / name).exists()


def test_nothing_is_replaced_unasked(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    assert "exists already" in pliant("convert", str(run), str(run)).err
    (tmp_path / "bag").mkdir()
    assert (
        "exists already"
        in pliant("convert", str(run), str(tmp_path / "bag"), "--format", "rosbag2").err
    )


def test_a_map_of_one_joint_is_refused(pliant: Pliant, run: Path, tmp_path: Path) -> None:
    """It was passed over in silence, and the header blamed."""
    ended = pliant(
        "convert", str(run), str(tmp_path / "out"), "--columns", "time=time,position=position_a"
    )
    assert ended.code == 1
    assert "--columns: names no joint; found 'time=time,position=position_a'" in ended.err
