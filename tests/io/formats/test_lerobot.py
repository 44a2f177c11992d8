"""LeRobot data sets of both versions, against arrays that pyarrow wrote."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.examine import check
from pliant.io.formats.lerobot_names import beside, feature_names, of_pose, positions
from pliant.io.formats.reading import Reading
from pliant.io.robot_findings import robot_findings
from pliant.io.robot_logs import read_robot_log, read_robot_logs

from . import arrow as pa
from .conftest import NAMES, Made

K = np.arange(60)


@pytest.mark.parametrize("version", ["v3.0", "v2.1"])
def test_every_episode_is_a_log_in_the_order_of_its_frames(made: Made, version: str) -> None:
    logs = read_robot_logs(made(version), Reading(unit="deg"))
    assert [log.name for log in logs] == ["set_000", "set_001", "set_002"]
    assert all(log.joints == ("shoulder_pan", "elbow_flex") for log in logs)
    for number, log in enumerate(logs):
        line = np.radians(40.0 * np.sin(0.1 * (number + 1) * K))
        np.testing.assert_allclose(log.position[:, 0], line, atol=1e-6)
        np.testing.assert_allclose(
            log.goal[:, 1], np.radians(20.0 * np.cos(0.07 * (K + 1.5))), atol=1e-6
        )
        np.testing.assert_allclose(log.time, K / 30.0, atol=1e-5)


def test_without_a_unit_the_numbers_stay(made: Made) -> None:
    log = read_robot_logs(made())[0]
    assert log.position.max() > 39.0


def test_percent_is_of_the_range_about_its_middle(made: Made) -> None:
    ranges = {"shoulder_pan": (-1.0, 3.0), "elbow_flex": (-2.0, 2.0)}
    log = read_robot_logs(made(), Reading(unit="percent", ranges=ranges))[0]
    np.testing.assert_allclose(log.position[:, 0], 1.0 + 0.8 * np.sin(0.1 * K), atol=1e-6)


def test_one_joint_may_be_in_a_unit_of_its_own(made: Made) -> None:
    """A gripper in percent beside joints in degrees, as LeRobot's arms are recorded in degrees."""
    ranges = {"elbow_flex": (-2.0, 2.0)}
    folder = made()
    plain = read_robot_logs(folder)[0]
    reading = Reading(unit="deg", units={"elbow_flex": "percent"}, ranges=ranges)
    log = read_robot_logs(folder, reading)[0]
    np.testing.assert_allclose(log.position[:, 0], np.pi / 180.0 * plain.position[:, 0])
    zero = -2.0 if plain.position[:, 1].min() >= 0.0 else 0.0
    size = 0.04 if zero else 0.02
    np.testing.assert_allclose(log.position[:, 1], zero + size * plain.position[:, 1])
    with pytest.raises(PliantError, match="not recorded"):
        read_robot_logs(folder, Reading(units={"elbow": "deg"}))
    # The recording's own name will do, as it was advised before the advice to rename was followed.
    renaming = replace(reading, rename={"elbow_flex": "elbow"}, ranges={"elbow": (-2.0, 2.0)})
    again = read_robot_logs(folder, renaming)[0]
    np.testing.assert_array_equal(again.position, log.position)
    with pytest.raises(PliantError, match=r"only these have one: use --rename.*accepted: elbow"):
        read_robot_logs(folder, replace(renaming, rename={}))


def test_an_episode_is_read_by_its_number_and_joints_by_the_model_s_names(made: Made) -> None:
    reading = Reading(episodes=[2], rename={"elbow_flex": "elbow"})
    log = read_robot_log(made(), reading)
    assert (log.name, log.joints) == ("set_002", ("shoulder_pan", "elbow"))


def test_several_episodes_are_not_one_log(made: Made) -> None:
    with pytest.raises(PliantError, match="holds several runs; found 3"):
        read_robot_log(made())


def said(root: Path) -> str:
    return str(check(root))


def test_check_says_what_such_a_set_cannot_know(made: Made) -> None:
    text = said(made())
    assert "data set of 3 runs" in text
    assert "frame_index / 30 Hz by design" in text
    assert "was read before the action" in text
    assert "degrees, or percent" in text


def test_check_tells_another_rate_than_the_nominal_one(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    slower = pa.array(1.25 * table.column("timestamp").to_numpy())
    pa.parquet.write_table(
        table.set_column(table.column_names.index("timestamp"), "timestamp", slower), path
    )
    assert "come at 24 Hz, where meta/info.json says 30 Hz" in said(root)


def test_check_tells_missing_frames(made: Made) -> None:
    """Those that an episode begins without are none: it was cut."""
    root = made(total_frames=177)
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    pa.parquet.write_table(pa.concat_tables([table[2:30], table[31:]]), path)
    assert "1 of 58 frames are missing" in said(root)


def test_a_pause_between_frames_is_a_gap_and_no_other_rate(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    time, frame = (table.column(name).to_numpy() for name in ("timestamp", "frame_index"))
    late = pa.array(time + 2.0 * (frame >= 30) + 0.003 * np.sin(frame))
    pa.parquet.write_table(
        table.set_column(table.column_names.index("timestamp"), "timestamp", late), path
    )
    text = said(root)
    assert "1 gap, the longest 2.03" in text
    assert "meta/info.json says" not in text


MODEL = """<mujoco><worldbody><body><joint name="ShoulderPan_joint" range="-60 60"/><geom size=".1"/>
<body><joint name="elbow_flex" range="-60 60"/><geom size=".1"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("rename", "unit", "message"),
    [
        ({}, "deg", "add --rename shoulder_pan=ShoulderPan_joint"),
        ({"shoulder_pan": "ShoulderPan_joint"}, None, "they fit as degrees: --unit deg"),
        ({"shoulder_pan": "ShoulderPan_joint"}, "deg", "all 2 are in arm.xml"),
    ],
)
def test_check_compares_a_set_with_its_model(
    made: Made, tmp_path: Path, rename: dict, unit: Any, message: str
) -> None:
    model = tmp_path / "arm.xml"
    model.write_text(MODEL)
    checked = check(made(), robot=model, reading=Reading(rename=rename, unit=unit))
    assert message in str(checked)
    assert checked.ok == message.startswith("all")


def test_values_that_are_no_positions_are_channels_or_left_out(made: Made, tmp_path: Path) -> None:
    """Robots with speeds and torques beside positions, or with wheels."""
    root = made()
    names = ["elbow.vel", "elbow.pos", "x.vel", "elbow.torque"]
    told = {"action": {"names": ["x.vel", "elbow.pos"]}, "observation.state": {"names": names}}
    info = f'{{"codebase_version": "v3.0", "fps": 30, "features": {json.dumps(told)}}}'
    (root / "meta" / "info.json").write_text(info)
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    state = np.add.outer(np.arange(len(table)), [0.1, 0.2, 0.3, 0.4])
    lists = pa.array(list(state), pa.list_(pa.float64(), 4))
    where = table.column_names.index("observation.state")
    pa.parquet.write_table(table.set_column(where, "observation.state", lists), path)
    log = read_robot_log(root, Reading(unit="deg", episodes=[1]))
    mine = table.column("episode_index").to_numpy() == 1
    assert log.joints == ("elbow",)
    np.testing.assert_allclose(log.position[:, 0], np.radians(state[mine, 1]))
    np.testing.assert_allclose(log.speed[:, 0], np.radians(state[mine, 0]))
    np.testing.assert_allclose(log.others["torque"][:, 0], state[mine, 3])
    action = np.stack(table.column("action").to_pylist())
    np.testing.assert_allclose(log.goal[:, 0], np.radians(action[mine, 1]))
    texts = [str(finding) for finding in log.findings]
    assert "note: observation.state: x.vel are no positions of joints: left out" in texts


def test_names_with_and_without_an_ending_are_positions() -> None:
    assert positions(["a.pos", "b", "c.vel"]) == {"a": 0, "b": 1}
    assert positions(["arm.a", "b.vel"]) == {"arm.a": 0, "b.vel": 1}


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b"],
        [["a", "b"]],  # as Unitree's converter writes them
        {"motors": ["a", "b"]},
        {"left_arm": ["a"], "right_arm": ["b"]},
        {"b": 1, "a": 0},  # as LeRobot's teleoperators say them
        [{"motor_names": ["a", "b"]}],
    ],
)
def test_names_are_read_in_every_form_that_recorders_write(names: Any) -> None:
    info = {"features": {"action": {"shape": [2], "names": names}}}
    assert feature_names(info, "action") == ["a", "b"]


@pytest.mark.parametrize("names", [[], {}, "ab", [1, 2], {"a": 0, "b": 5}, {"a": True}, [["a"], 3]])
def test_what_are_no_names_is_refused(names: Any) -> None:
    info = {"features": {"action": {"shape": [2], "names": names}}}
    with pytest.raises(PliantError, match=r"features\.action\.names: are not names"):
        feature_names(info, "action")


def test_more_names_than_a_robot_has_are_refused_at_once() -> None:
    names = [f"j{k}" for k in range(100_000)]
    more: list[dict[str, Any]] = [
        {"names": names},
        {"names": {"motors": [names]}},
        {"names": [names]},
    ]
    more += [
        {"names": {name: k for k, name in enumerate(names)}},
        {"names": {"a": names, "b": names}},
    ]
    more += [{"shape": [10**12]}, {"shape": [-1]}]
    for said in more:
        with pytest.raises(PliantError, match=r"features\.action.*: are not the values of a robot"):
            feature_names({"features": {"action": said}}, "action")


def test_two_arms_whose_joints_have_the_same_names_are_refused(made: Made) -> None:
    feature = {"dtype": "float32", "shape": [2], "names": ["pan.pos", "pan.pos"]}
    root = made(features={"action": feature, "observation.state": feature})
    with pytest.raises(PliantError, match=r"two values have the same name; found 'pan\.pos'"):
        read_robot_logs(root)
    with pytest.raises(PliantError, match="two positions of one joint"):
        positions(["pan", "pan.pos"])


def test_unitree_s_endings_are_known() -> None:
    names = ["hip.q", "hip.dq", "hip.tau", "knee.q"]
    assert positions(names) == {"hip": 0, "knee": 3}
    assert beside(names, "hip") == {"speed": 1, "torque": 2}


def test_an_episode_that_was_stopped_at_once_is_left_out_and_told(made: Made) -> None:
    root = made(total_frames=121)
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    second = (table.column("episode_index").to_numpy() == 1).nonzero()[0]
    pa.parquet.write_table(table.take(np.setdiff1d(np.arange(180), second[1:])), path)
    logs = read_robot_logs(root)
    assert [log.name for log in logs] == ["set_000", "set_002"]
    assert "warning: episodes: 1: fewer than 10 frames each, left out" in said(root)
    with pytest.raises(PliantError, match="episode 1: has too few samples; found 1"):
        read_robot_logs(root, Reading(episodes=[1]))


def test_a_data_set_of_nothing_but_short_episodes_is_refused(made: Made) -> None:
    root = made(total_frames=3)
    path = root / "data" / "chunk-000" / "file-000.parquet"
    pa.parquet.write_table(pa.parquet.read_table(path).take([0, 60, 120]), path)
    with pytest.raises(PliantError, match="has too few samples; found 1"):
        read_robot_logs(root)


def test_numbers_that_are_not_read_are_told(made: Made) -> None:
    feature = {"dtype": "float32", "shape": [2], "names": NAMES}
    features = dict.fromkeys(("action", "observation.state", "observation.velocity"), feature)
    assert "note: features: not read: observation.velocity" in said(made(features=features))


def test_a_gripper_is_in_percent_beside_degrees(made: Made) -> None:
    feature = {"dtype": "float32", "shape": [2], "names": ["pan.pos", "gripper.pos"]}
    root = made(features={"action": feature, "observation.state": feature})

    def told(reading: Reading) -> bool:
        texts = [str(finding) for finding in read_robot_logs(root, reading)[0].findings]
        return any("--unit deg,gripper=percent" in text for text in texts)

    assert told(Reading(unit="deg"))
    ranges = {"gripper": (0.0, 1.0)}
    assert not told(Reading(unit="deg", units={"gripper": "percent"}, ranges=ranges))
    assert not told(Reading())


def test_one_arm_of_two_is_read_under_the_model_s_names(made: Made) -> None:
    names = ["left_pan.pos", "right_pan.pos"]
    feature = {"dtype": "float32", "shape": [2], "names": names}
    root = made(features={"action": feature, "observation.state": feature})
    both = read_robot_logs(root)[0]
    log = read_robot_logs(root, Reading(rename={"right_*": "*"}, leave_out=["left_*"]))[0]
    assert log.joints == ("pan",)
    np.testing.assert_array_equal(log.position[:, 0], both.position[:, 1])
    np.testing.assert_array_equal(log.goal[:, 0], both.goal[:, 1])
    for wrong in (Reading(leave_out=["*_lift"]), Reading(rename={"arm_*": "*"})):
        with pytest.raises(PliantError, match="not recorded"):
            read_robot_logs(root, wrong)
    with pytest.raises(PliantError, match="no joint is left"):
        read_robot_logs(root, Reading(leave_out=["*pan"]))
    with pytest.raises(PliantError, match="two joints have the same name"):
        read_robot_logs(root, Reading(rename={"left_*": "*", "right_*": "*"}))


@pytest.mark.parametrize("name", ["a.parquet", "a.mcap", "a.db3"])
def test_a_pointer_of_git_lfs_is_told_from_a_broken_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(PliantError, match="is a Git LFS pointer, not the file itself"):
        read_robot_logs(path)


def test_a_row_without_a_state_is_refused(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    where = table.column_names.index("observation.state")
    rows = table.column("observation.state").to_pylist()
    holed = pa.array([None, *rows[1:]], pa.list_(pa.float32()))
    pa.parquet.write_table(table.set_column(where, "observation.state", holed), path)
    assert "observation.state: is missing in some rows; found 1" in refused(root)


def test_percent_that_is_never_negative_is_from_the_lowest_angle(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    for name in ("observation.state", "action"):
        rows = np.abs(np.stack(table.column(name).to_pylist()))
        lists = pa.array(list(rows), pa.list_(pa.float64(), 2))
        table = table.set_column(table.column_names.index(name), name, lists)
    pa.parquet.write_table(table, path)
    plain = read_robot_logs(root)[0]
    ranges = dict.fromkeys(plain.joints, (-1.0, 3.0))
    log = read_robot_logs(root, Reading(unit="percent", ranges=ranges))[0]
    np.testing.assert_allclose(log.position, -1.0 + 0.04 * plain.position)


def test_of_a_set_that_is_there_in_part_episodes_are_read_by_number(made: Made) -> None:
    root = made(total_frames=1000)
    assert "accepted: 1000, or --reading episodes=... with some of the existing" in refused(root)
    assert read_robot_log(root, Reading(episodes=[1])).name == "set_001"
    (root / "meta" / "info.json").write_text(
        (root / "meta" / "info.json").read_text().replace("1000", "170")
    )
    with pytest.raises(PliantError, match="another number of frames"):
        read_robot_log(root, Reading(episodes=[1]))


def refused(root: Path) -> str:
    with pytest.raises(PliantError) as caught:
        read_robot_logs(root)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_set_without_its_description_is_refused(made: Made) -> None:
    root = made()
    (root / "meta" / "info.json").unlink()
    assert "info.json: does not exist" in refused(root)
    (root / "meta").rename(root.parent / "gone")
    assert "info.json: does not exist" in refused(root)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"codebase_version": "v9.9"}, "codebase_version: is not a version"),
        ({"fps": "fast"}, "fps: is not a rate"),
        ({"fps": 0}, "fps: is not a rate"),
        ({"features": {}}, "features.observation.state: is missing"),
        ({"features": [1]}, "features.observation.state: is missing"),
        ({"total_frames": 500}, "total_frames: has another number of frames"),
    ],
)
def test_a_description_that_is_wrong_is_refused(made: Made, changes: dict, message: str) -> None:
    assert message in refused(made(**changes))


def test_names_that_are_not_as_many_as_the_values_are_refused(made: Made) -> None:
    feature = {"dtype": "float32", "shape": [3], "names": ["a.pos", "b.pos", "c.pos"]}
    root = made(features={"action": feature, "observation.state": feature})
    assert "another number of values than meta/info.json says; found 2" in refused(root)


def test_a_file_that_is_cut_off_is_refused(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    assert "file-000.parquet: is not a Parquet file" in refused(root)


def test_a_set_without_data_or_with_another_schema_is_refused(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    pa.parquet.write_table(table.drop_columns(["action"]), path)
    assert "action: is missing" in refused(root)
    pa.parquet.write_table(table.set_column(0, "action", pa.array(["x"] * len(table))), path)
    assert "action: has no numbers" in refused(root)
    ragged = pa.array([[1.0] * (1 + k % 2) for k in range(len(table))])
    pa.parquet.write_table(table.set_column(0, "action", ragged), path)
    assert "action: has rows of different lengths" in refused(root)
    pa.parquet.write_table(table.slice(0, 0), path)
    assert "data: has no frames" in refused(root)
    path.unlink()
    assert "data: has no data" in refused(root)


def test_what_may_not_be_read_is_not_called_empty_or_broken(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = made()
    data = root / "data"
    # Its owner may read all of it, and so may whoever runs tests as root.
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: Path(path) != data)
        assert "data: cannot be read; found 'Permission denied'" in refused(root)

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Failed to open local file. Detail: ...")

    monkeypatch.setattr(pa.parquet, "ParquetFile", denied)
    assert "file-000.parquet: cannot be read; found 'Permission denied'" in refused(root)


def test_a_set_whose_actions_are_all_missing_has_no_command(made: Made) -> None:
    root = made()
    path = root / "data" / "chunk-000" / "file-000.parquet"
    table = pa.parquet.read_table(path)
    where = table.column_names.index("action")
    nothing = pa.array([[float("nan")] * 2] * len(table), pa.list_(pa.float32()))
    pa.parquet.write_table(table.set_column(where, "action", nothing), path)
    for log in read_robot_logs(root):
        assert [one.message for one in robot_findings(log) if one.field == "goal"] == [
            "no joint has a command: actuators cannot be identified, joints can only follow the recording"
        ]


def test_an_episode_that_is_not_there_is_refused(made: Made) -> None:
    with pytest.raises(PliantError, match="episodes: no such episode; found 7; accepted: 0 to 2"):
        read_robot_logs(made(), Reading(episodes=[7]))


def test_percent_needs_the_range(made: Made) -> None:
    with pytest.raises(PliantError, match="position_shoulder_pan: percent needs the range"):
        read_robot_logs(made(), Reading(unit="percent"))


def test_commands_under_other_names_are_told(made) -> None:
    feature = {"dtype": "float32", "shape": [2]}
    state, action = ["shoulder_pan.pos", "elbow_flex.pos"], ["shoulder_pan.pos", "elbow.pos"]
    features = {"observation.state": feature | {"names": state}}
    log = read_robot_logs(made(features=features | {"action": feature | {"names": action}}))[0]
    said = [str(finding) for finding in log.findings if finding.kind == "missing"]
    assert len(said) == 1 and "no command of elbow_flex" in said[0] and "it has elbow," in said[0]
    assert np.isnan(log.goal[:, 1]).all() and not np.isnan(log.goal[:, 0]).any()


def test_goals_are_clipped_as_they_were_when_they_were_sent(made) -> None:
    plain = read_robot_logs(made(), Reading(unit="deg"))[0]
    clip = Reading(unit="deg", clip={"shoulder_pan": (-0.3, 0.2)})
    clipped = read_robot_logs(plain.path, clip)[0]
    np.testing.assert_array_equal(clipped.goal[:, 0], np.clip(plain.goal[:, 0], -0.3, 0.2))
    np.testing.assert_array_equal(clipped.goal[:, 1], plain.goal[:, 1])
    np.testing.assert_array_equal(clipped.position, plain.position)


@pytest.mark.parametrize(
    "names",
    [
        ["cmd_pan.pos", "cmd_elbow.pos"],
        ["cmd_pan", "cmd_elbow"],
        [["cmd_pan.pos", "cmd_elbow.pos"]],
        {"motors": ["cmd_pan", "cmd_elbow"]},
        {"cmd_elbow.pos": 1, "cmd_pan.pos": 0},
        {"arm": ["cmd_pan.pos"], "hand": ["cmd_elbow.pos"]},
    ],
)
def test_commands_of_other_names_are_reached_by_rename(made: Made, names: Any) -> None:
    actions = {"dtype": "float32", "shape": [2], "names": names}
    states = {"dtype": "float32", "shape": [2], "names": NAMES}
    root = made(features={"action": actions, "observation.state": states})
    assert "--rename cmd_pan=shoulder_pan" in said(root)
    rename = {"cmd_pan": "shoulder_pan", "cmd_elbow": "elbow", "elbow_flex": "elbow"}
    log = read_robot_logs(root, Reading(rename=rename))[0]
    assert log.joints == ("shoulder_pan", "elbow")
    assert all(map(log.commanded, log.joints))


def test_poses_are_no_joints(made: Made) -> None:
    names = ["x", "y", "z", "roll", "pitch", "yaw"]
    assert of_pose(names) and of_pose([f"ee.{name}.pos" for name in names])
    assert not of_pose(NAMES) and not of_pose(["x", "y"])


def test_a_pose_in_the_place_of_joints_is_refused_and_one_of_commands_is_none(made: Made) -> None:
    def of(names: list[str]) -> dict[str, Any]:
        return {"dtype": "float32", "shape": [len(names)], "names": names}

    pose, numbered = ["x", "y", "z"], ["eef_pos_0", "eef_pos_1", "eef_pos_2"]
    for states, actions in ((pose, NAMES), (numbered, NAMES), (NAMES, pose), (NAMES, numbered)):
        root = made(features={"action": of(actions), "observation.state": of(states)})
        path = root / "data" / "chunk-000" / "file-000.parquet"
        table = pa.parquet.read_table(path)
        name = "action" if states is NAMES else "observation.state"
        wider = pa.array(
            [[0.1, *row] for row in table.column(name).to_pylist()], pa.list_(pa.float32())
        )
        pa.parquet.write_table(table.set_column(table.column_names.index(name), name, wider), path)
        expected = "is a pose of the end effector"
        if states is not NAMES:
            with pytest.raises(PliantError, match=expected):
                read_robot_logs(root)
        else:
            log = read_robot_logs(root)[0]
            assert any(expected in one.message for one in log.findings)
            assert not any(map(log.commanded, log.joints))
        shutil.rmtree(root)
