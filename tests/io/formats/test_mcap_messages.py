"""MCAP with JSON and with protobuf messages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from mcap.writer import Writer
from mcap_protobuf.writer import Writer as ProtobufWriter

from pliant.errors import PliantError
from pliant.io.robot_logs import read_robot_log

NAMES = ["pan", "lift"]
COUNT = 100
LINE = np.column_stack([np.sin(0.1 * np.arange(COUNT)), 0.2 * np.cos(0.1 * np.arange(COUNT))])
GOAL = LINE + 0.25
STEP = 5_000_000


def from_json(path: Path, state: Any = None) -> Path:
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema("sensor_msgs/JointState", "jsonschema", b"{}")
        topics = [writer.register_channel(t, "json", schema) for t in ("/joint_states", "/goals")]
        for k in range(COUNT):
            for topic, line in zip(topics, (LINE, GOAL), strict=True):
                head = {"stamp": {"sec": 0, "nsec": k * STEP}}
                said = {
                    "header": head,
                    "name": NAMES,
                    "position": list(line[k]),
                    "note": [{"a": 1}],
                }
                data = json.dumps(said if state is None else state).encode()
                writer.add_message(topic, k * STEP, data, k * STEP)
        writer.finish()
    return path


def test_json_is_exact(tmp_path: Path) -> None:
    log = read_robot_log(from_json(tmp_path / "a.mcap"))
    assert log.joints == tuple(NAMES)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)
    np.testing.assert_allclose(log.time, 0.005 * np.arange(COUNT), atol=1e-12)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"name": NAMES}, "has no positions"),
        ({"name": NAMES, "position": [1.0]}, "has another number of positions than names"),
        ([1, 2], "has no positions"),
        ({"name": NAMES, "position": ["a", "b"]}, "has no positions"),
    ],
)
def test_json_without_positions_is_refused(tmp_path: Path, state: Any, message: str) -> None:
    with pytest.raises(PliantError, match=message):
        read_robot_log(from_json(tmp_path / "a.mcap", state))


def foxglove(joints: Any, k: int) -> dict[str, Any]:
    return {"timestamp": {"sec": 0, "nsec": k * STEP}, "joints": joints}


def foxglove_file(path: Path, joints: Any = None, encoding: str = "json") -> Path:
    """Foxglove's JointStates, as its SDK names and encodes them in JSON."""
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema("foxglove.JointStates", "jsonschema", b"{}")
        topics = [writer.register_channel(t, encoding, schema) for t in ("/joint_states", "/goals")]
        for k in range(COUNT):
            for topic, line in zip(topics, (LINE, GOAL), strict=True):
                said = [
                    {"name": n, "position": x, "velocity": 0.5}
                    for n, x in zip(NAMES, line[k], strict=True)
                ]
                data = json.dumps(foxglove(said if joints is None else joints, k)).encode()
                writer.add_message(topic, k * STEP, data, k * STEP)
        writer.finish()
    return path


def test_foxglove_s_joints_are_exact(tmp_path: Path) -> None:
    log = read_robot_log(foxglove_file(tmp_path / "a.mcap"))
    assert log.joints == tuple(NAMES)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)
    np.testing.assert_array_equal(log.speed, 0.5)
    np.testing.assert_allclose(log.time, 0.005 * np.arange(COUNT), atol=1e-12)


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ([], "has no joints with names"),
        (7, "has no joints with names"),
        ([{"position": 1.0}], "has no joints with names"),
        ([{"name": "pan"}], "has no positions"),
        ([{"name": "pan", "position": 1.0}, {"name": "lift"}], "has no positions"),
    ],
)
def test_foxglove_s_joints_without_names_or_positions_are_refused(
    tmp_path: Path, joints: Any, message: str
) -> None:
    with pytest.raises(PliantError, match=message):
        read_robot_log(foxglove_file(tmp_path / "a.mcap", joints))


def test_an_encoding_that_is_not_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PliantError, match="unsupported encoding; found 'flatbuffer'"):
        read_robot_log(foxglove_file(tmp_path / "a.mcap", encoding="flatbuffer"))


def foxglove_class() -> Any:
    """`foxglove.JointStates` as a protobuf message, of a descriptor made here; numbers are optional."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="foxglove/JointStates.proto",
        package="foxglove",
        syntax="proto3",
        dependency=["google/protobuf/timestamp.proto"],
    )
    one = file.message_type.add(name="JointState")
    one.field.add(name="name", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    for number, name in enumerate(("position", "velocity", "acceleration", "effort")):
        one.oneof_decl.add(name=f"_{name}")
        one.field.add(
            name=name,
            number=number + 2,
            type=field.TYPE_DOUBLE,
            label=field.LABEL_OPTIONAL,
            proto3_optional=True,
            oneof_index=number,
        )
    all_of_them = file.message_type.add(name="JointStates")
    for number, (name, of, label) in enumerate(
        (
            ("timestamp", ".google.protobuf.Timestamp", field.LABEL_OPTIONAL),
            ("joints", ".foxglove.JointState", field.LABEL_REPEATED),
        )
    ):
        all_of_them.field.add(
            name=name, number=number + 1, type=field.TYPE_MESSAGE, type_name=of, label=label
        )
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("foxglove.JointStates"))


def test_foxglove_s_joints_in_protobuf_are_exact_and_at_their_stamps(tmp_path: Path) -> None:
    kind = foxglove_class()
    path = tmp_path / "a.mcap"
    with path.open("wb") as stream, ProtobufWriter(stream) as writer:
        for k in range(COUNT):
            for topic, line in (("/joint_states", LINE), ("/goals", GOAL)):
                joints = [{"name": n, "position": x} for n, x in zip(NAMES, line[k], strict=True)]
                said = kind(timestamp={"seconds": 1, "nanos": k * STEP}, joints=joints)
                late = 10**9 + k * STEP + k % 7 * 1000
                writer.write_message(topic, said, log_time=late, publish_time=late)
    log = read_robot_log(path)
    assert log.joints == tuple(NAMES)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)
    assert np.isnan(log.speed).all()
    np.testing.assert_allclose(log.time, 0.005 * np.arange(COUNT), atol=1e-12)


def message_class() -> Any:
    """`sensor_msgs.JointState` as a protobuf message, of a descriptor made here."""
    file = descriptor_pb2.FileDescriptorProto(
        name="joint.proto", package="sensor_msgs", syntax="proto3"
    )
    kind = file.message_type.add(name="JointState")
    field = descriptor_pb2.FieldDescriptorProto
    for number, (name, of) in enumerate(
        (("name", field.TYPE_STRING), ("position", field.TYPE_DOUBLE))
    ):
        kind.field.add(name=name, number=number + 1, type=of, label=field.LABEL_REPEATED)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("sensor_msgs.JointState"))


def test_protobuf_is_exact(tmp_path: Path) -> None:
    kind = message_class()
    path = tmp_path / "a.mcap"
    with path.open("wb") as stream, ProtobufWriter(stream) as writer:
        for k in range(COUNT):
            for topic, line in (("/joint_states", LINE), ("/goals", GOAL)):
                said = kind(name=NAMES, position=line[k])
                writer.write_message(topic, said, log_time=k * STEP, publish_time=k * STEP)
    log = read_robot_log(path)
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, GOAL)
