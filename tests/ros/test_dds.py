"""Over the network: types and names as ROS 2 has them, late joiners, restarts, strangers' bytes."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

from pliant.errors import PliantError
from pliant.ros.loopback import shut_out_others
from pliant.ros.messages import hash_of, message, plain, store
from pliant.ros.transport import Transport, domain_of_environment

from .conftest import DOMAIN, STATE


@pytest.fixture
def two() -> Iterator[tuple[Transport, Transport]]:
    with Transport(DOMAIN) as one, Transport(DOMAIN) as other:
        yield one, other


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "never"
        time.sleep(0.005)
    return found


def test_a_message_arrives_as_it_was_sent(two: Any) -> None:
    writer = two[0].publisher("joint_states", STATE)
    reader = two[1].subscriber("joint_states", STATE)
    until(lambda: writer.matched and reader.matched)
    header = message("std_msgs/msg/Header", frame_id="base")
    sent = message(STATE, header=header, name=["a", "b"], position=[0.1, np.pi], velocity=[1.0])
    writer.publish(sent)
    (got,) = until(reader.take)
    assert (got.header.frame_id, got.name, got.position) == ("base", ["a", "b"], [0.1, np.pi])
    assert (got.velocity, got.effort) == ([1.0], [])


def test_who_comes_late_gets_what_is_latched_and_a_restart_goes_on(two: Any) -> None:
    kind = "std_msgs/msg/String"
    text = two[0].publisher("robot_description", kind, latched=True)
    text.publish(message(kind, data="<robot/>"))
    for _ in range(2):
        with Transport(DOMAIN) as late:
            from cyclonedds.core import Policy, Qos
            from cyclonedds.sub import DataReader
            from cyclonedds.topic import Topic
            from cyclonedds.util import duration

            from pliant.ros.messages import struct_of

            topic = Topic(late._participant, "rt/robot_description", struct_of(kind))
            qos = Qos(
                Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.TransientLocal
            )
            reader = DataReader(late._participant, topic, qos=qos)
            (got,) = until(lambda reader=reader: reader.take(10))
            assert got.data == "<robot/>"
            del reader, topic


def test_500_a_second_of_20_joints_and_none_is_lost(two: Any) -> None:
    writer = two[0].publisher("joint_states", STATE)
    reader = two[1].subscriber("joint_states", STATE, depth=1000)
    until(lambda: writer.matched and reader.matched)
    names = [f"joint_{k}" for k in range(20)]
    seen: list[float] = []
    for k in range(1000):
        writer.publish(message(STATE, name=names, position=[float(k)] * 20))
        seen += [one.position[0] for one in reader.take()]
    end = time.monotonic() + 60.0
    while len(seen) < 1000 and time.monotonic() < end:
        seen += [one.position[0] for one in reader.take()]
        time.sleep(0.002)
    assert seen == [float(k) for k in range(1000)]


def test_types_have_the_hashes_that_ros_announces() -> None:
    # As in the type descriptions that come with ROS 2 Jazzy.
    known = {
        STATE: "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
        "std_msgs/msg/Header": "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
        "builtin_interfaces/msg/Time": "RIHS01_b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
    }
    assert {name: hash_of(name) for name in known} == known
    assert hash_of("pliant_msgs/msg/JointStiffness").startswith("RIHS01_")


def test_every_type_of_its_own_goes_round() -> None:
    for name in (
        "JointStiffness",
        "StiffnessCommand",
        "LinkState",
        "JointCommand",
        "MotorState",
        "SetGains",
    ):
        kind = f"pliant_msgs/msg/{name}"
        raw = bytes(store().serialize_cdr(plain(kind, message(kind)), kind))
        assert bytes(store().serialize_cdr(store().deserialize_cdr(raw, kind), kind)) == raw
        # Cyclone's bytes are those of rosbags: two programs that share no code
        assert message(kind).serialize(use_version_2=False)[4:] == raw[4:]


@pytest.mark.parametrize("text", ["233", "-1", "one", "1e3"])
def test_a_domain_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(PliantError, match="ROS_DOMAIN_ID"):
        domain_of_environment()


# An untouched participant of Cyclone, with a type of its own: it prints whether it found the topic.
STRANGER = """
import sys, time
from dataclasses import dataclass
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
@dataclass
class Text(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    data: str
here = DomainParticipant(int(sys.argv[1]))
reader = DataReader(here, Topic(here, "rt/chatter", Text))
end = time.monotonic() + float(sys.argv[2])
while not (got := reader.take(1)) and time.monotonic() < end:
    time.sleep(0.02)
print([one.data for one in got], flush=True)
"""
SPEAKER = """
import sys, time
from pliant.ros.messages import message
from pliant.ros.transport import Transport
kind = "std_msgs/msg/String"
with Transport(int(sys.argv[1]), local=sys.argv[2] == "local") as links:
    writer = links.publisher("chatter", kind)
    print("ready", flush=True)
    while True:
        writer.publish(message(kind, data="here"))
        time.sleep(0.02)
"""
UNTOUCHED = {name: x for name, x in os.environ.items() if not name.startswith(("CYCLONE", "ROS_"))}


def heard(*before: str, seconds: float = 60.0) -> str:
    """What an untouched participant hears; `before` stands before its command."""
    words = [*before, sys.executable, "-c", STRANGER, str(DOMAIN), str(seconds)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=UNTOUCHED)
    return done.stdout.strip()


@pytest.fixture
def speaker() -> Iterator[Callable[..., None]]:
    """Start one that is told where: ("local" or "subnet"), and what stands before its command."""
    started: list[subprocess.Popen[str]] = []

    def start(where: str, *before: str) -> None:
        words = [*before, sys.executable, "-c", SPEAKER, str(DOMAIN), where]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=UNTOUCHED))
        assert started[-1].stdout and started[-1].stdout.readline() == "ready\n"

    yield start
    for one in started:
        one.kill()
        one.communicate()


def test_a_node_without_settings_on_this_machine_finds_it(speaker: Any) -> None:
    speaker("local")
    assert heard() == "['here']"


@pytest.fixture
def machines() -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Commands that go before another to run it on one machine, on its neighbour, on one alone.

    They are network namespaces: only root may make them.
    """
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("needs ip (apt install iproute2) and root")
    names = [f"pliant-{os.getpid()}-{k}" for k in range(3)]
    there = [["ip", "netns", "exec", name] for name in names]
    wires = [f"w{os.getpid()}{k}" for k in range(2)]
    commands = [["ip", "netns", "add", name] for name in names]
    commands.append(["ip", "link", "add", wires[0], "type", "veth", "peer", "name", wires[1]])
    for k, (wire, name) in enumerate(zip(wires, names, strict=False)):
        commands.append(["ip", "link", "set", wire, "netns", name])
        commands.append([*there[k], "ip", "address", "add", f"10.99.0.{k + 1}/24", "dev", wire])
        commands.append([*there[k], "ip", "link", "set", wire, "up"])
    commands += [[*one, "ip", "link", "set", "lo", "up"] for one in there]
    try:
        for command in commands:
            if subprocess.run(command, capture_output=True, check=False).returncode:
                pytest.skip(f"not allowed here: {' '.join(command)}")
        yield there[0], there[1], there[2]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def test_another_machine_finds_nothing_unless_told(speaker: Any, machines: Any) -> None:
    here, neighbour, _ = machines
    speaker("local", *here)
    assert heard(*here) == "['here']"
    assert heard(*neighbour, seconds=4.0) == "[]"
    speaker("subnet", *here)
    assert heard(*neighbour) == "['here']"


def test_a_machine_without_a_network_finds_it(speaker: Any, machines: Any) -> None:
    *_, alone = machines
    speaker("local", *alone)
    assert heard(*alone) == "['here']"


def test_filtering_leaves_no_socket_open() -> None:
    opened = lambda: len(list(Path("/proc/self/fd").iterdir()))  # noqa: E731
    with Transport(DOMAIN):
        before = opened()
        assert shut_out_others(DOMAIN)
        assert opened() == before


def test_a_namespace_goes_before_what_is_not_absolute(two: Any) -> None:
    """By the list of topics that every participant of DDS announces."""
    from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication

    with Transport(DOMAIN, namespace="/arm_1/") as links:
        kept = [links.publisher(topic, STATE) for topic in ("joint_states", "/clock")]
        reader = BuiltinDataReader(two[0]._participant, BuiltinTopicDcpsPublication)
        found = set[str]()

        def seen() -> bool:
            found.update(one.topic_name for one in reader.take(50))
            return found >= {"rt/arm_1/joint_states", "rt/clock"}

        until(seen)
        assert not any(topic.endswith("/arm_1/clock") for topic in found)
        kept.clear()


def test_the_domain_of_the_environment_keeps_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    assert domain_of_environment() == 0
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN + 100))
    with Transport(DOMAIN) as here, Transport(domain_of_environment()) as there:
        writer, stranger = here.publisher("x", STATE), there.subscriber("x", STATE)
        reader = here.subscriber("x", STATE)
        until(lambda: writer.matched and reader.matched)
        writer.publish(message(STATE, name=["a"]))
        until(reader.take)
        assert writer.matched == 1
        assert stranger.matched == 0
        assert stranger.take() == []
