"""Bags that other implementations wrote: rosbags and mcap-ros2-support, against the arrays that went in."""

import contextlib
import itertools
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import CompressionType
from mcap_ros2.writer import Writer as McapWriter
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from pliant.errors import PliantError
from pliant.examine import check
from pliant.io.formats.reading import Reading
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_log

NAMES = ["pan", "lift", "a joint with a long name"]
STEP = 2_000_000  # ns
START = 1_700_000_000_000_000_000
COUNT = 200
LINE = np.column_stack([np.sin(0.05 * (k + 1) * np.arange(COUNT)) for k in range(3)])
GOAL = LINE + 0.1

STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""
CONTROLLER = """std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint reference
trajectory_msgs/JointTrajectoryPoint feedback
trajectory_msgs/JointTrajectoryPoint error
trajectory_msgs/JointTrajectoryPoint output
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: trajectory_msgs/JointTrajectoryPoint
float64[] positions
float64[] velocities
float64[] accelerations
float64[] effort
builtin_interfaces/Duration time_from_start
"""
ARRAY = """std_msgs/MultiArrayLayout layout
float64[] data
================================================================================
MSG: std_msgs/MultiArrayLayout
std_msgs/MultiArrayDimension[] dim
uint32 data_offset
================================================================================
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride
"""


def stamp(ns: int) -> dict[str, Any]:
    return {"stamp": {"sec": ns // 10**9, "nanosec": ns % 10**9}, "frame_id": "base"}


def state(k: int, at: int) -> dict[str, Any]:
    moved = {"position": list(LINE[k]), "velocity": list(2 * LINE[k]), "effort": []}
    return {"header": stamp(at), "name": NAMES} | moved


def mcap(
    path: Path,
    messages: list[tuple[str, str, str, int, dict[str, Any]]],
    compression: CompressionType = CompressionType.ZSTD,
) -> Path:
    """Topic, type, definition, log time and message of each."""
    with path.open("wb") as stream:
        writer = McapWriter(stream, compression=compression, enable_crcs=False)
        schemas = {kind: writer.register_msgdef(kind, text) for _, kind, text, _, _ in messages}
        for topic, kind, _, at, message in messages:
            writer.write_message(topic, schemas[kind], message, log_time=at, publish_time=at)
        writer.finish()
    return path


def joint_states(late: int = 300_000, offset: int = 0) -> list[tuple[str, str, str, int, dict]]:
    """Positions with their stamps, logged `late` after them; commands a half step before."""
    found: list[tuple[str, str, str, int, dict]] = []
    for k in range(COUNT):
        at = START + k * STEP
        goal = {"layout": {"dim": [], "data_offset": 0}, "data": list(GOAL[k])}
        found.append(("/commands", "std_msgs/msg/Float64MultiArray", ARRAY, at - STEP // 2, goal))
        said = state(k, at + offset)
        found.append(("/joint_states", "sensor_msgs/msg/JointState", STATE, at + late, said))
    return found


def kinds(log: RobotLog) -> dict[str, str]:
    return {finding.kind: finding.message for finding in log.findings}


@pytest.mark.parametrize("compression", CompressionType)
def test_positions_and_commands_of_another_writer_are_exact(
    tmp_path: Path, compression: CompressionType
) -> None:
    log = read_robot_log(mcap(tmp_path / "a.mcap", joint_states(), compression))
    assert log.joints == tuple(NAMES)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.speed, 2 * LINE)
    np.testing.assert_array_equal(log.goal, GOAL)
    np.testing.assert_allclose(log.time, 0.002 * np.arange(COUNT), atol=1e-12)
    assert "0.3 ms after its header's stamp" in kinds(log)["rate"]
    assert "1 ms old in the median" in kinds(log)["order"]


def test_a_controller_s_state_is_command_and_motion_in_one(tmp_path: Path) -> None:
    zero = {"sec": 0, "nanosec": 0}
    empty = {"positions": [], "velocities": [], "accelerations": [], "effort": []}

    def point(values: np.ndarray) -> dict[str, Any]:
        return empty | {"positions": list(values), "time_from_start": zero}

    messages = []
    for k in range(COUNT):
        said = {"header": stamp(START + k * STEP), "joint_names": NAMES}
        said |= {"reference": point(GOAL[k]), "feedback": point(LINE[k])}
        said |= {"error": point(GOAL[k] - LINE[k]), "output": point(np.array([]))}
        kind = "control_msgs/msg/JointTrajectoryControllerState"
        messages.append(("/arm/controller_state", kind, CONTROLLER, START + k * STEP, said))
    log = read_robot_log(mcap(tmp_path / "a.mcap", messages + joint_states()))
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)


@pytest.mark.parametrize("plugin", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
@pytest.mark.parametrize("version", [8, 9])
def test_rosbag2_of_both_storages_is_exact(
    tmp_path: Path, plugin: StoragePlugin, version: int
) -> None:
    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    kind = types["sensor_msgs/msg/JointState"]
    header, time = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
    with Writer(tmp_path / "bag", version=version, storage_plugin=plugin) as writer:
        topics = [
            writer.add_connection(name, kind.__msgtype__, typestore=store)
            for name in ("/joint_states", "/joint_commands")
        ]
        for k in range(COUNT):
            at = START + k * STEP
            for topic, line in zip(topics, (LINE, GOAL), strict=True):
                head = header(time(at // 10**9, at % 10**9), "")
                nothing = np.array([], dtype=float)
                message = kind(head, NAMES, line[k], nothing, nothing)
                writer.write(topic, at, store.serialize_cdr(message, kind.__msgtype__))
    log = read_robot_log(tmp_path / "bag", Reading(rename={"pan": "shoulder"}))
    assert log.joints == ("shoulder", *NAMES[1:])
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)


KINDS = {
    "float32": np.float32,
    "int8": np.int8,
    "int16": np.int16,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
}


def filled(store: Any, kind: Any, **values: Any) -> Any:
    """A message of zeros, but for `values`."""
    fields = {}
    for name, (node, said) in store.fielddefs[kind.__msgtype__][1]:
        if int(node) == 3:  # an array of fixed length
            (inner, element), count = said
            if int(inner) == 2:
                fields[name] = [filled(store, store.types[element]) for _ in range(count)]
            else:
                fields[name] = np.zeros(count, KINDS[element[0]])
        else:
            fields[name] = filled(store, store.types[said]) if int(node) == 2 else 0
    return kind(**(fields | values))


# Each argument is one thing that such robots differ in.
def unitree(
    folder: Path,
    package: str,
    texts: dict[str, str],
    motors: int,
    heat: Any,
    *,
    goal: np.ndarray = GOAL,
    speeds: tuple[float, float, float] = (0.0, 0.5, 0.0),
    **more: Any,
) -> RobotLog:
    """A bag without definitions of three motors that move, and others that do not."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    for name, text in texts.items():
        store.register(get_types_from_msg(text, f"{package}/msg/{name}"))
    types = {name: store.types[f"{package}/msg/{name}"] for name in texts}

    def motor(name: str, count: int, **values: Any) -> list[Any]:
        idle = [filled(store, types[name]) for _ in range(motors - count)]
        rows = [{key: one[j] for key, one in values.items()} for j in range(count)]
        return [filled(store, types[name], **row) for row in rows] + idle

    with Writer(folder / "bag", version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        topics = {
            name: writer.add_connection(topic, types[name].__msgtype__, typestore=store)
            for name, topic in (("LowCmd", "/lowcmd"), ("LowState", "/lowstate"))
        }
        for k in range(COUNT):
            told = motor("MotorCmd", 3, q=goal[k], kp=[40.0] * 3, dq=speeds)
            seen = motor("MotorState", 3, q=LINE[k], tau_est=[3.0] * 3, temperature=[heat] * 3)
            for name, message in (
                ("LowCmd", filled(store, types["LowCmd"], motor_cmd=told)),
                ("LowState", filled(store, types["LowState"], motor_state=seen, **more)),
            ):
                raw = store.serialize_cdr(message, types[name].__msgtype__)
                writer.write(topics[name], START + k * STEP, raw)
    return read_robot_log(folder / "bag")


def test_unitree_s_motors_are_read_from_a_bag_without_definitions(tmp_path: Path) -> None:
    from pliant.io.formats.cdr import _HG

    log = unitree(tmp_path, "unitree_hg", _HG, 35, np.array([30, 41], np.int16))
    assert log.joints == ("motor_0", "motor_1", "motor_2")
    np.testing.assert_array_equal(log.position, LINE.astype(np.float32))
    np.testing.assert_array_equal(log.goal, GOAL.astype(np.float32))
    assert (log.others["torque"] == 3.0).all()
    assert (log.others["temperature"] == 41.0).all()  # the hotter of two
    texts = [str(finding) for finding in log.findings]
    assert any("goal_motor_1: was commanded with kp 40" in text for text in texts)
    assert [text for text in texts if "a speed was commanded" in text] == [
        "warning: goal_motor_1: a speed was commanded in addition to the position, up to 0.5: a position "
        "controller alone does not follow it"
    ]


def test_check_tells_all_that_is_to_say_of_one_motor(tmp_path: Path) -> None:
    """Its gains, a note, and the speed that was commanded beside the position, a warning."""
    from pliant.io.formats.cdr import _HG

    unitree(tmp_path, "unitree_hg", _HG, 35, np.array([30, 41], np.int16))
    text = str(check(tmp_path / "bag"))
    assert "note: goal of all 3 joints: was commanded with kp 40, kd 0" in text
    assert "warning: goal_motor_1: a speed was commanded in addition to the position" in text
    assert text.count("a speed was commanded") == 1


def test_a_quadruped_s_motors_have_names_and_a_supply(tmp_path: Path) -> None:
    from pliant.io.formats.cdr import _GO

    log = unitree(tmp_path, "unitree_go", _GO, 20, 35, power_v=29.5)
    assert log.joints == ("FR_hip_joint", "FR_thigh_joint", "FR_calf_joint")
    np.testing.assert_array_equal(log.position, LINE.astype(np.float32))
    assert log.supply is not None and (log.supply == 29.5).all()
    assert (log.others["temperature"] == 35.0).all()


ROW = np.arange(COUNT)[:, None]
STOPPED = {
    "all at first": np.broadcast_to(ROW < 30, LINE.shape),
    "one at last": ROW >= [COUNT, 150, COUNT],
    "two in between": np.abs(ROW - 100) < [20, 0, 50],
    "every other sample": ROW % 2 < [1, 0, 0],
    "one sample": ROW == [-1, -1, 77],
    "one throughout": ROW < [0, COUNT, 0],
}


@pytest.mark.parametrize("stopped", STOPPED.values(), ids=STOPPED)
def test_numbers_by_which_a_maker_says_that_nothing_is_commanded_are_none(
    tmp_path: Path, stopped: np.ndarray
) -> None:
    """PosStopF and VelStopF of Unitree's SDK."""
    from pliant.io.formats.cdr import _GO

    goal = np.where(stopped, 2.146e9, GOAL)
    log = unitree(tmp_path, "unitree_go", _GO, 20, 35, goal=goal, speeds=(16000.0, 0.0, 16000.0))
    np.testing.assert_array_equal(log.enabled, ~stopped)
    np.testing.assert_array_equal(log.goal, np.where(stopped, LINE, GOAL).astype(np.float32))
    texts = [str(finding) for finding in log.findings]
    for joint, off in zip(log.joints, stopped.T, strict=True):
        said = f"goal_{joint}: is PosStopF (no command) in {off.sum()} sample"
        assert any(said in text for text in texts) == off.any()
        assert (
            any(f"goal_{joint}: has kp 0 or is PosStopF throughout" in text for text in texts)
            == off.all()
        )
    assert not [text for text in texts if "speed was commanded" in text or "degrees" in text]


def test_positions_before_the_first_command_are_left_out(tmp_path: Path) -> None:
    late = [
        one for one in joint_states() if one[0] == "/joint_states" or one[3] > START + 49 * STEP
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", late))
    np.testing.assert_array_equal(log.position, LINE[50:])
    np.testing.assert_array_equal(log.goal, GOAL[50:])


def test_one_command_is_held(tmp_path: Path) -> None:
    states = [one for one in joint_states() if one[0] == "/joint_states"]
    log = read_robot_log(mcap(tmp_path / "a.mcap", [joint_states()[0], *states]))
    np.testing.assert_array_equal(log.goal, np.tile(GOAL[0], (COUNT, 1)))


def test_commands_that_were_logged_out_of_order_act_by_their_stamps(tmp_path: Path) -> None:
    messages = stamped_commands()
    told, states = messages[::2], messages[1::2]
    mixed = [told[k] for k in np.random.default_rng(0).permutation(COUNT)]
    log = read_robot_log(mcap(tmp_path / "a.mcap", mixed + states))
    np.testing.assert_array_equal(log.goal, GOAL)


def test_stamps_that_were_never_set_are_no_clock(tmp_path: Path) -> None:
    messages = [
        (topic, kind, text, at, said | {"header": stamp(0)} if "header" in said else said)
        for topic, kind, text, at, said in joint_states()
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", messages))
    np.testing.assert_allclose(log.time, 0.002 * np.arange(COUNT), atol=1e-12)
    assert "rate" not in kinds(log)


def test_two_clocks_are_told_and_the_log_s_is_used(tmp_path: Path) -> None:
    log = read_robot_log(mcap(tmp_path / "a.mcap", joint_states(offset=-START)))
    assert "another clock" in kinds(log)["rate"]
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)


def test_messages_of_other_joints_on_the_topic_are_left_out_and_told(tmp_path: Path) -> None:
    messages = joint_states()
    other = {
        "header": stamp(START),
        "name": ["hand"],
        "position": [1.0],
        "velocity": [],
        "effort": [],
    }
    messages += [
        ("/joint_states", "sensor_msgs/msg/JointState", STATE, START + k, other) for k in range(7)
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", messages))
    assert "7 messages of other joints (hand)" in kinds(log)["missing"]
    np.testing.assert_array_equal(log.position, LINE)


def test_a_hand_that_speaks_more_often_on_the_topic_does_not_push_the_commanded_arm_out(
    tmp_path: Path,
) -> None:
    hand = {"name": ["hand"], "position": [1.0], "velocity": [], "effort": []}
    kind = "sensor_msgs/msg/JointState"
    often = [
        ("/joint_states", kind, STATE, at, {"header": stamp(at)} | hand)
        for at in range(START + 500_000, START + COUNT * STEP, STEP // 4)
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", joint_states() + often))
    assert log.joints == tuple(NAMES)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)


def test_messages_that_were_published_twice_count_once(tmp_path: Path) -> None:
    twice = [one for one in joint_states() for _ in range(2)]
    log = read_robot_log(mcap(tmp_path / "a.mcap", twice))
    assert f"{COUNT} messages repeat the previous one" in kinds(log)["held"]
    np.testing.assert_array_equal(log.position, LINE)


def test_messages_of_one_stamp_that_differ_are_refused(tmp_path: Path) -> None:
    twice = joint_states()
    twice += [(*one[:4], one[4] | {"position": [9.0] * 3}) for one in twice if "name" in one[4]]
    twice.sort(key=lambda one: one[3])
    said = refused(mcap(tmp_path / "a.mcap", twice))
    assert "/joint_states: 2 programs publish its joints" in said
    assert f"{COUNT} messages of frame 'base', 500 Hz, never moves" in said
    for k in (1, 2):
        reading = Reading(publishers={"/joint_states": k})
        log = read_robot_log(tmp_path / "a.mcap", reading)
        assert np.array_equal(log.position, LINE) or (log.position == 9.0).all()


def test_commands_by_other_names_than_the_positions_are_told(tmp_path: Path) -> None:
    meant = [(*one[:4], one[4] | {"name": ["pam", *NAMES[1:]]}) for one in stamped_commands()]
    named = [
        new if new[0] == "/goals" else old
        for new, old in zip(meant, stamped_commands(), strict=True)
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", named))
    (told,) = [str(one) for one in log.findings if one.kind == "missing"]
    assert "/goals: commands pam, of which /joint_states has no position: it has pan, lift" in told


@pytest.mark.parametrize("still", [0.0 * LINE[0], LINE[COUNT // 3] + 1e-3], ids=["zeros", "amid"])
def test_two_programs_that_publish_one_joint_are_suspected(
    tmp_path: Path, still: np.ndarray
) -> None:
    kind = "sensor_msgs/msg/JointState"
    zeros = {"name": NAMES, "position": still.tolist(), "velocity": [], "effort": []}
    plain = [
        (*one[:4], one[4] | {"velocity": []}) for one in joint_states() if one[0] == "/joint_states"
    ]
    second = [
        (
            "/joint_states",
            kind,
            STATE,
            one[3] + STEP // 2,
            zeros | {"header": stamp(one[3] + STEP // 2)},
        )
        for one in plain
    ]
    assert "sources" not in kinds(read_robot_log(mcap(tmp_path / "a.mcap", plain)))
    for every in (1, 3, 5):
        both = sorted(plain + second[::every], key=lambda one: one[3])
        at_once = refused(mcap(tmp_path / "c.mcap", at_one_time(both)))
        assert f"2: {-(-COUNT // every)} messages of frame 'base', " in at_once
        path = mcap(tmp_path / "b.mcap", both)
        assert f"2: {-(-COUNT // every)} messages" in refused(path)
        ours = [read_robot_log(path, Reading(publishers={"": k})).position for k in (1, 2)]
        assert any(len(one) == COUNT and np.abs(one - LINE).max() < 2e-3 for one in ours)
        assert any(np.ptp(one, axis=0).max() < 2e-3 for one in ours)


def test_a_line_that_rests_and_moves_beside_another_is_one_program(tmp_path: Path) -> None:
    k = np.arange(COUNT)
    up = np.clip((k % 40 - 10) / 3, 0, 1)
    line = np.where((k // 40) % 2 == 0, up, 1.0 - up)[:, None] * [1.0, 0.5, -1.0]
    states = [one for one in joint_states() if one[0] == "/joint_states"]
    messages: list[Any] = []
    for n, one in enumerate(states):
        later = one[3] + STEP // 2
        rest = {"position": [0.02, 0.01, -0.02], "header": stamp(later)}
        messages += [
            (*one[:4], one[4] | {"position": line[n].tolist()}),
            (*one[:3], later, one[4] | rest),
        ]
    said = refused(mcap(tmp_path / "a.mcap", messages))
    assert f"2 programs publish its joints (1: {COUNT} messages" in said


def test_a_second_program_with_other_fields_or_another_frame_is_told(tmp_path: Path) -> None:
    states = [one for one in joint_states() if one[0] == "/joint_states"]
    other = {"frame_id": "sim"} | {"stamp": {"sec": 0, "nanosec": 0}}
    for change in ({"velocity": [], "effort": []}, {"header": other}):
        shifted = [(*one[:4], one[4] | change) for one in states[::4]]
        path = mcap(tmp_path / "a.mcap", sorted(states + shifted, key=lambda one: one[3]))
        assert "2 programs publish its joints" in refused(path)
        log = read_robot_log(path, Reading(publishers={"": 1}))
        np.testing.assert_array_equal(log.position, LINE)


def test_joints_in_another_order_are_put_back_where_they_belong(tmp_path: Path) -> None:
    """As when a publisher is started again: some messages name the joints the other way round."""
    messages = joint_states()
    for at, (topic, kind, definition, logged, said) in enumerate(messages):
        if topic == "/joint_states" and at % 3 == 1:
            turned = {key: said[key][::-1] for key in ("name", "position", "velocity", "effort")}
            messages[at] = (topic, kind, definition, logged, said | turned)
    log = read_robot_log(mcap(tmp_path / "a.mcap", messages))
    whole = read_robot_log(mcap(tmp_path / "b.mcap", joint_states()))
    at = [log.joints.index(joint) for joint in whole.joints]
    assert "missing" not in kinds(log)
    np.testing.assert_array_equal(log.position[:, at], whole.position)
    np.testing.assert_array_equal(log.goal[:, at], whole.goal)
    np.testing.assert_array_equal(log.time, whole.time)


def parts(folder: Path, count: int) -> Path:
    """A bag of so many MCAP files, as `ros2 bag record` splits one, described."""
    folder.mkdir()
    rows = np.array_split(np.arange(2 * COUNT), count)
    for number, mine in enumerate(rows):
        mcap(folder / f"arm_{number}.mcap", [joint_states()[k] for k in mine])
    listed = "".join(f"    - arm_{number}.mcap\n" for number in range(count))
    text = f"rosbag2_bagfile_information:\n  version: 9\n  relative_file_paths:\n{listed}"
    (folder / "metadata.yaml").write_text(text)
    return folder


def test_the_tenth_file_of_a_bag_comes_after_the_ninth(tmp_path: Path) -> None:
    log = read_robot_log(parts(tmp_path / "bag", 12))
    np.testing.assert_array_equal(log.position, LINE)
    assert "missing" not in kinds(log)
    described = tmp_path / "bag" / "metadata.yaml"  # as it was before it was unpacked
    described.write_text(described.read_text().replace(".mcap", ".mcap.zstd"))
    assert "missing" not in kinds(read_robot_log(tmp_path / "bag"))


def test_a_file_that_the_description_lists_and_is_not_there_is_told(tmp_path: Path) -> None:
    bag = parts(tmp_path / "bag", 4)
    (bag / "arm_3.mcap").unlink()
    log = read_robot_log(bag)
    assert len(log.time) == 3 * COUNT // 4
    assert "lists arm_3.mcap, not in the folder" in kinds(log)["missing"]


def test_mcap_beside_a_broken_description_is_read_and_told(tmp_path: Path) -> None:
    bag = parts(tmp_path / "bag", 2)
    (bag / "metadata.yaml").write_text("a: [")
    log = read_robot_log(bag)
    np.testing.assert_array_equal(log.position, LINE)
    (told,) = [finding for finding in log.findings if finding.kind == "unreadable"]
    assert str(told).startswith("warning: metadata.yaml: line 1: is not YAML")


def at_one_time(messages: list[tuple[str, str, str, int, dict]]) -> list:
    return [(topic, kind, text, START, said) for topic, kind, text, _, said in messages]


def stamped_commands() -> list[tuple[str, str, str, int, dict]]:
    """States and commands that all have stamps."""
    states = [one for one in joint_states() if one[0] == "/joint_states"]
    told = []
    for k, (_, kind, text, at, said) in enumerate(states):
        goal = said | {"header": stamp(START + k * STEP), "position": list(GOAL[k])}
        told.append(("/goals", kind, text, at, goal))
    return [one for pair in zip(told, states, strict=True) for one in pair]


def test_messages_logged_at_one_time_have_their_stamps_times_or_none(tmp_path: Path) -> None:
    log = read_robot_log(mcap(tmp_path / "a.mcap", at_one_time(stamped_commands())))
    np.testing.assert_allclose(log.time, 0.002 * np.arange(COUNT), atol=1e-12)
    np.testing.assert_array_equal(log.goal, GOAL)
    assert "/joint_states and /goals were logged at one time" in kinds(log)["rate"]
    text = refused(mcap(tmp_path / "b.mcap", at_one_time(joint_states())))
    assert "/commands: has no stamps, and all messages were logged at one time" in text


def test_states_without_names_are_called_by_number_and_told(tmp_path: Path) -> None:
    messages = [
        (topic, kind, text, at, said | {"name": []} if "name" in said else said)
        for topic, kind, text, at, said in joint_states()
    ]
    log = read_robot_log(mcap(tmp_path / "a.mcap", messages))
    assert log.joints == ("joint_0", "joint_1", "joint_2")
    np.testing.assert_array_equal(log.position, LINE)
    assert "has no names of joints" in kinds(log)["missing"]


TRAJECTORY = f"""std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint[] points
{CONTROLLER.partition("output")[2].strip()}
"""


@pytest.mark.parametrize("points", [1, 3])
def test_a_trajectory_is_a_command_where_it_has_one_point(tmp_path: Path, points: int) -> None:
    messages = [one for one in joint_states() if one[0] == "/joint_states"]
    kind = "trajectory_msgs/msg/JointTrajectory"
    nothing = {"velocities": [], "accelerations": [], "effort": []}
    for k in range(COUNT):
        at = START + k * STEP - STEP // 2
        after = {"time_from_start": {"sec": 0, "nanosec": STEP}}
        path = [nothing | after | {"positions": list(GOAL[k] + n)} for n in range(points)]
        said = {"header": stamp(at), "joint_names": NAMES, "points": path}
        messages.append(("/goals", kind, TRAJECTORY, at, said))
    bag = mcap(tmp_path / "a.mcap", messages)
    if points == 1:
        np.testing.assert_array_equal(read_robot_log(bag).goal, GOAL)
    else:
        assert "/goals: contains paths of several points" in refused(bag)


def test_commands_to_other_joints_are_left_out_and_told(tmp_path: Path) -> None:
    hand = {"name": ["hand"], "position": [1.0], "velocity": [], "effort": []}
    others = [("/goals", *one[1:4], one[4] | hand) for one in stamped_commands()[:10:2]]
    log = read_robot_log(mcap(tmp_path / "a.mcap", stamped_commands() + others))
    (told,) = [finding for finding in log.findings if finding.kind == "missing"]
    assert str(told).startswith("warning: /goals: 5 messages of other joints")
    np.testing.assert_array_equal(log.goal, GOAL)


def refused(path: Path, reading: Reading | None = None) -> str:
    with pytest.raises(PliantError) as caught:
        read_robot_log(path, reading)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_topic_is_named_where_several_would_do(tmp_path: Path) -> None:
    messages = joint_states()
    twice = [("/others", *rest) for topic, *rest in messages if topic == "/commands"]
    path = mcap(tmp_path / "a.mcap", messages + twice)
    assert "name one with --reading command=TOPIC; accepted: /commands, /others" in refused(path)
    log = read_robot_log(path, Reading(command="/others"))
    np.testing.assert_array_equal(log.goal, GOAL)
    assert "no such topic of commands; found '/comands'; did you mean '/commands'" in refused(
        path, Reading(command="/comands")
    )


def test_a_bag_without_joints_or_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = mcap(
        tmp_path / "a.mcap", [("/x", "std_msgs/msg/String", "string data", 0, {"data": "a"})]
    )
    assert "has no topic of joints" in refused(path)
    whole = mcap(tmp_path / "b.mcap", joint_states()).read_bytes()
    for length in (len(whole) // 2, 12, 8):
        path.write_bytes(whole[:length])
        assert f"{path}: is cut off: an MCAP file ends as it begins; accepted: a whole" in refused(
            path
        )
    path.write_bytes(b"no bag at all, but long enough to be looked at twice")
    assert f"{path}: is not an MCAP file; found 'no bag a'" in refused(path)
    path.write_bytes(b"")
    assert "is not an MCAP file; found 'an empty file'" in refused(path)
    (tmp_path / "c.db3").write_bytes(b"no database")
    assert "cannot be read as a bag" in refused(tmp_path / "c.db3")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "metadata.yaml").write_text("rosbag2_bagfile_information: {version: 5}")
    assert "cannot be read as a bag" in refused(tmp_path / "folder")


ALIASES = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(9 * ['*' + chr(ord(name) - 1)])}]\n" for name in "bcdefghij"
)
"""A few hundred bytes that are some 10^9 words written out."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- 1\n- 2\n",
            "rosbag2_bagfile_information: is not the description of a bag; found '[1, 2]'",
        ),
        ("5", "rosbag2_bagfile_information: is not the description of a bag; found '5'"),
        ("", "rosbag2_bagfile_information: is not the description of a bag; found 'None'"),
        (
            "rosbag2_bagfile_information: [1]",
            "rosbag2_bagfile_information: is not the description of a bag",
        ),
        ("other: {}", "rosbag2_bagfile_information: is not the description of a bag"),
        ("words", "rosbag2_bagfile_information: is not the description of a bag; found 'words'"),
        (ALIASES, "rosbag2_bagfile_information: is not the description of a bag; found "),
        ("a: [", "line 1: is not YAML: while parsing a flow node"),
        (
            "!!python/object/apply:os.system ['touch pwned']",
            "line 1: is not YAML: could not determine a",
        ),
    ],
)
def test_a_description_that_is_none_is_one_message(
    tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "metadata.yaml").write_text(text)
    assert f"{tmp_path / 'metadata.yaml'}: {message}" in refused(tmp_path)
    assert not Path("pwned").exists()


SECOND = (START // 10**9).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        (b"float64[] velocity", b"float32[] velocity", "not as its type"),
        (b"float64[] velocity", b"float64[ velocity]", "its definition cannot be read"),
        (b"string[] name", b"Thing[]  name", "has no definition of a type"),
        (
            b"\0\1\0\0" + SECOND,
            b"\0\3\0\0" + SECOND,
            "not a message in plain CDR; found '00030000'",
        ),
    ],
)
def test_a_message_or_definition_that_is_another_s_is_refused(
    tmp_path: Path, was: bytes, becomes: bytes, message: str
) -> None:
    path = mcap(tmp_path / "a.mcap", joint_states(), CompressionType.NONE)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(was, becomes))
    assert message in refused(path)


def test_a_row_of_a_database_that_holds_a_number_is_refused(tmp_path: Path) -> None:
    """As a message it would be so many zeros."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    kind = store.types["sensor_msgs/msg/JointState"].__msgtype__
    with Writer(tmp_path / "bag", version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        topic = writer.add_connection("/joint_states", kind, typestore=store)
        writer.write(topic, START, b"\0" * 40)
    with contextlib.closing(sqlite3.connect(tmp_path / "bag" / "bag.db3")) as base:
        base.execute("UPDATE messages SET data = 1000000000000")
        base.commit()
    assert "/joint_states: a message is no bytes; found 'int'" in refused(tmp_path / "bag")


def arrays(order: list[int]) -> list[tuple[str, str, str, int, dict]]:
    kind, told = "std_msgs/msg/Float64MultiArray", np.roll(GOAL, -3, axis=0)[:, order]
    states = [one for one in joint_states() if one[0] == "/joint_states"]
    layout = {"dim": [], "data_offset": 0}
    sent = [
        ("/commands", kind, ARRAY, one[3], {"layout": layout, "data": row.tolist()})
        for one, row in zip(states, told, strict=True)
    ]
    return [message for pair in zip(sent, states, strict=True) for message in pair]


@pytest.mark.parametrize("places", [*itertools.permutations(range(3))][1:])
def test_the_order_that_the_motion_has_is_named_and_one_can_be_given(
    tmp_path: Path, places: tuple[int, ...]
) -> None:
    log = read_robot_log(mcap(tmp_path / "a.mcap", arrays([0, 1, 2])))
    turned = mcap(tmp_path / "b.mcap", arrays([*places]))
    order = [NAMES[k] for k in places]
    assert f"--reading command_joints={','.join(order)} (judging by the motion)" in refused(turned)
    given = read_robot_log(turned, Reading(command_joints=order))
    np.testing.assert_array_equal(given.goal, log.goal)


def test_a_description_without_a_topic_s_type_has_no_topic_of_joints(tmp_path: Path) -> None:
    store = get_typestore(Stores.ROS2_HUMBLE)
    kind = store.types["sensor_msgs/msg/JointState"].__msgtype__
    with Writer(tmp_path / "bag", version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        writer.write(
            writer.add_connection("/joint_states", kind, typestore=store), START, b"\0" * 40
        )
    described = tmp_path / "bag" / "metadata.yaml"
    described.write_text(described.read_text("utf-8").replace(f"type: {kind}", "type:"), "utf-8")
    assert "has no topic of joints" in refused(tmp_path / "bag")
