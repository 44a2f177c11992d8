"""Services as rmw_cyclonedds_cpp has them: a client made of plain IDL, in a process of its own."""

import math
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

from pliant.robots.sections import Sections
from pliant.ros.messages import message
from pliant.ros.transport import Server, Transport

from .conftest import DOMAIN, Bridged

CLIENT = """
import os, sys, time
from dataclasses import dataclass
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct, types
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

# rmw_cyclonedds_cpp, serdata.hpp: cdds_request_header { uint64_t guid; int64_t seq; } before the fields.
# Names are not on the wire, but Cyclone compares them where both sides announce a type.
@dataclass
class Request(IdlStruct, typename="std_srvs::srv::dds_::SetBool_Request_"):
    client: types.uint64
    sequence: types.int64
    data: bool

@dataclass
class Response(IdlStruct, typename="std_srvs::srv::dds_::SetBool_Response_"):
    client: types.uint64
    sequence: types.int64
    success: bool
    message: str

configuration = sys.argv[2]
domain = Domain(int(sys.argv[1]), configuration)
participant = DomainParticipant(int(sys.argv[1]))
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10),
          Policy.DataRepresentation(use_cdrv0_representation=True))
writer = DataWriter(participant, Topic(participant, "rq/arm/enableRequest", Request), qos=qos)
reader = DataReader(participant, Topic(participant, "rr/arm/enableReply", Response), qos=qos)
end = time.monotonic() + 60
while not (writer.get_matched_subscriptions() and reader.get_matched_publications()):
    assert time.monotonic() < end, "no server"
    time.sleep(0.01)
guid = 0xfedcba9876543210
for seq, on in ((7, False), (8, True)):
    writer.write(Request(guid, seq, on))
    while not (found := reader.take(1)):
        assert time.monotonic() < end, "no answer"
        time.sleep(0.01)
    one = found[0]
    assert (one.client, one.sequence) == (guid, seq)
    print(one.success, one.message, flush=True)
"""


def test_a_client_that_knows_only_the_wire_is_answered() -> None:
    from pliant.ros.loopback import LOOPBACK

    heard: list[bool] = []
    with Transport(DOMAIN) as here:
        server = here.server("/arm/enable", "std_srvs/srv/SetBool")
        ended = threading.Event()

        def serve() -> None:
            while not ended.wait(0.005):
                for request in server.take():
                    heard.append(request.data)
                    server.answer(request, success=request.data, message="so be it")

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            done = subprocess.run(
                [sys.executable, "-c", CLIENT, str(DOMAIN), LOOPBACK],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        finally:
            ended.set()
            thread.join()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False so be it", "True so be it"]
    assert heard == [False, True]


class Half:
    """One of a service's two topics, with as many at its other end as are set."""

    topic, kind = "/arm/enable", "std_srvs/srv/SetBool_Response"

    def __init__(self, matched: int) -> None:
        self.matched, self.sent = matched, list[Any]()
        self.publish = self.sent.append

    def take(self) -> list[Any]:
        return []


def test_a_response_waits_for_the_reader_of_who_asked() -> None:
    requests, responses = Half(1), Half(0)
    server = Server(cast("Any", requests), cast("Any", responses))
    asked = message("std_srvs/srv/SetBool_Request", client=1, sequence=2, data=True)
    server.answer(asked, success=True, message="first")
    server.take()
    assert not responses.sent
    responses.matched = 1
    server.take()
    assert [one.message for one in responses.sent] == ["first"]
    server.answer(asked, success=True, message="second")
    assert [one.message for one in responses.sent] == ["first", "second"]


def test_a_response_waits_no_longer_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    requests, responses = Half(2), Half(1)  # a client has gone with one of its topics
    server = Server(cast("Any", requests), cast("Any", responses))
    now = 10.0
    monkeypatch.setattr("pliant.ros.transport.time", SimpleNamespace(monotonic=lambda: now))
    asked = message("std_srvs/srv/SetBool_Request", client=1, sequence=2, data=True)
    server.answer(asked, success=True, message="")
    now = 11.1
    server.take()
    assert len(responses.sent) == 1


def test_a_section_is_switched_by_its_service(robot: Any) -> None:
    sections = Sections(robot, {"arm": ["shoulder", "elbow"]})
    here = Bridged(robot, sections=sections)
    here.ask("arm/enable", message("std_srvs/srv/SetBool_Request", data=False))
    here.turns(1)
    assert sections.enabled == {"arm": False}
    assert here.links.answers["arm/enable"] == [(True, "")]


def test_a_lost_stream_keeps_motors_off_whatever_a_service_says(robot: Any) -> None:
    sections = Sections(robot, {"arm": ["shoulder", "elbow"]})
    here = Bridged(robot, sections=sections, on_loss="off", timeout=0.01)
    state = message("sensor_msgs/msg/JointState", name=["elbow"], position=[0.1])
    here.tell("joint_commands", state)
    here.turns(20)
    here.ask("arm/enable", message("std_srvs/srv/SetBool_Request", data=True))
    here.turns(1)
    group = int(robot.model.actuator_group[robot.places.ids[0]])
    assert (robot.model.opt.disableactuator >> group) & 1
    here.ask("arm/enable", message("std_srvs/srv/SetBool_Request", data=False))
    here.tell("joint_commands", state)
    here.turns(1)
    assert (robot.model.opt.disableactuator >> group) & 1, "commands came, the section stays off"
    here.ask("arm/enable", message("std_srvs/srv/SetBool_Request", data=True))
    here.turns(1)
    assert not (robot.model.opt.disableactuator >> group) & 1


def test_gains_that_a_joint_lacks_are_answered_with_why(robot: Any) -> None:
    here = Bridged(robot)
    ask = dict.fromkeys(("k_p", "k_i", "k_d", "k_v", "limit"), math.nan)
    here.ask("set_gains", message("pliant_msgs/srv/SetGains_Request", joint="knee", **ask))
    here.turns(1)
    ((success, why),) = here.links.answers["set_gains"]
    assert not success
    assert "no such joint" in why
    assert "knee" in why
