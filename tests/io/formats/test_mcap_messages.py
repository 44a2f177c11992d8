"""MCAP with JSON and with protobuf messages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
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
