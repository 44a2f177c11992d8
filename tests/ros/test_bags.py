"""Bags are read by another program, and back here, exact."""

import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

from pliant.errors import PliantError
from pliant.ros.messages import BagWriter, message, read_bag

from .conftest import STATE, Bridged

VALUES = [0.1, -1e-300, math.pi, math.inf]


def written(path: Path, storage: Any = "mcap") -> Path:
    with BagWriter(path, storage) as bag:
        for k in range(20):
            sample = message(STATE, name=["a", "b", "c", "d"], position=[x * k for x in VALUES])
            bag.add("/joint_states", STATE, sample, 0.1 * k)
    return path


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_what_was_written_is_read_back(tmp_path: Path, storage: str) -> None:
    found = list(read_bag(written(tmp_path / "bag", storage)))
    assert [(t, kind) for t, kind, _, _ in found] == [("/joint_states", STATE)] * 20
    assert [round(s, 9) for _, _, s, _ in found] == [round(0.1 * k, 9) for k in range(20)]
    for k, (_, _, _, sample) in enumerate(found[1:], 1):
        assert sample.position.tolist() == [x * k for x in VALUES]


def test_another_program_reads_the_same(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap_ros2.reader", reason="mcap-ros2-support is not installed")
    (file,) = written(tmp_path / "bag").glob("*.mcap")
    found = list(reader.read_ros2_messages(str(file)))
    assert len(found) == 20
    for k, one in enumerate(found[1:], 1):
        assert one.channel.topic == "/joint_states"
        assert list(one.ros_msg.position) == [x * k for x in VALUES]


def test_a_bag_leads_the_robot_at_its_times(robot: Any, tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        for t, q in ((5.0, 0.1), (5.1, 0.4)):
            bag.add("/joint_commands", STATE, message(STATE, name=["elbow"], position=[q]), t)
    here = Bridged(robot, rate=1000.0, played=read_bag(tmp_path / "bag"))
    here.bridge._heard = [(h, _Named(s, f"/{h.topic}")) for h, s in here.bridge._heard]
    here.turns(100)
    assert robot.reference_1[1] == 0.1
    here.turns(1)
    assert robot.reference_1[1] == 0.4


class _Named:
    def __init__(self, source: Any, topic: str) -> None:
        self.take, self.topic = source.take, topic


def test_what_is_no_bag_or_is_there_already_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "metadata.yaml").write_text("nothing")
    with pytest.raises(PliantError, match="cannot be read as a bag"):
        list(read_bag(tmp_path / "bag"))
    with pytest.raises(PliantError, match="exists already"):
        BagWriter(tmp_path / "bag")
