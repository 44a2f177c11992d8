"""Topics over Cyclone DDS, with ROS 2's names and types.

    with Transport(domain=0) as transport:
        states = transport.publisher("/joint_states", "sensor_msgs/msg/JointState")
        commands = transport.subscriber("/joint_commands", "sensor_msgs/msg/JointState")

A message that does not match its type is dropped and counted. No part of a message is executed.

A service is two topics. Each DDS vendor has its own way to match a response to its request; here it is that
of rmw_cyclonedds_cpp (rmw_node.cpp, rmw_init_cs), so clients need that as RMW_IMPLEMENTATION. From Kilted
on, it announces a type without the header that it sends (dyntype.cpp), which Cyclone's Python cannot
announce, so those clients do not find the server.
"""

import os
import time
from collections import Counter, deque
from typing import Any, Self
from weakref import WeakValueDictionary

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from pliant.errors import PliantError
from pliant.ros.loopback import configuration, shut_out_others
from pliant.ros.messages import HEADER, hash_of, message, struct_of

__all__ = ["Publisher", "Server", "Subscriber", "Transport", "domain_of_environment"]

HIGHEST_DOMAIN = 232
"""Highest domain: those above would need port numbers that do not exist."""
DEPTH = 100
"""Messages kept for a subscriber that lags or has not read yet: 0.2 s at 500 Hz. With rmw's 10, messages may be
lost as soon as either process waits 20 ms for a processor."""
MOST = 1000
"""Messages taken from a topic at once."""
LONGEST_WAIT = 1.0
"""[s] Longest wait for the response reader of a client that sent a request."""


def domain_of_environment() -> int:
    """ROS_DOMAIN_ID, or 0."""
    text = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    if not text.isdecimal() or int(text) > HIGHEST_DOMAIN:
        accepted = f"0 to {HIGHEST_DOMAIN}"
        raise PliantError("out of range", field="ROS_DOMAIN_ID", found=text, accepted=accepted)
    return int(text)


class Transport:
    """A DDS participant that ROS 2 nodes can see.

    Args:
        domain: ROS_DOMAIN_ID. local: only this machine. namespace: prefix of topics that do not begin
            with a slash.

    Attributes:
        dropped: topic to number of messages that did not match their type.
    """

    def __init__(self, domain: int = 0, *, local: bool = True, namespace: str = "") -> None:
        self._shared = _shared(domain) if local else None
        self._participant: Any = DomainParticipant(domain)
        self._namespace = namespace.strip("/")
        self._services = 0
        self.dropped: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def publisher(
        self, topic: str, kind: str, *, latched: bool = False, depth: int = DEPTH
    ) -> "Publisher":
        """A publisher of messages of a type; late joiners get the last message of a `latched` topic."""
        made = Topic(self._participant, f"rt{self.full(topic)}", struct_of(kind))
        qos = _qos(kind, latched=latched, depth=1 if latched else depth)
        return Publisher(self.full(topic), kind, DataWriter(self._participant, made, qos=qos))

    def subscriber(self, topic: str, kind: str, *, depth: int = DEPTH) -> "Subscriber":
        """A subscriber to messages of a type."""
        made = Topic(self._participant, f"rt{self.full(topic)}", struct_of(kind))
        reader = DataReader(self._participant, made, qos=_qos(kind, depth=depth))
        return Subscriber(self.full(topic), kind, reader, self.dropped)

    def server(self, service: str, kind: str) -> "Server":
        """A server of a service, such as std_srvs/srv/SetBool."""
        name = self.full(service)
        self._services += 1
        more = f"serviceid={self._participant.guid.hex}.{self._services};"
        asked, answered = f"{kind}_Request", f"{kind}_Response"
        requests = Topic(self._participant, f"rq{name}Request", struct_of(asked))
        responses = Topic(self._participant, f"rr{name}Reply", struct_of(answered))
        reader = DataReader(self._participant, requests, qos=_qos(asked, more=more))
        writer = DataWriter(self._participant, responses, qos=_qos(answered, more=more))
        return Server(
            Subscriber(name, asked, reader, self.dropped), Publisher(name, answered, writer)
        )

    def full(self, topic: str) -> str:
        """A topic with its namespace."""
        if topic.startswith("/"):
            return topic
        return f"/{self._namespace}/{topic}" if self._namespace else f"/{topic}"

    def close(self) -> None:
        """Leave, and free topics and ports."""
        import gc

        self._participant = None
        self._shared = None
        gc.collect()  # Cyclone's entities are deleted when Python collects them


class _Configured:
    """A domain of this process with its configuration, as long as anyone uses it."""

    def __init__(self, number: int) -> None:
        self.domain = Domain(number, configuration())
        shut_out_others(number)


_DOMAINS: WeakValueDictionary[int, _Configured] = WeakValueDictionary()


def _shared(number: int) -> _Configured:
    """The configured domain, of which a process has only one for each number."""
    found = _DOMAINS.get(number)
    if found is None:
        found = _DOMAINS[number] = _Configured(number)
    return found


class Publisher:
    """A published topic.

    Attributes:
        topic: its full name. kind: type of its messages.
    """

    def __init__(self, topic: str, kind: str, writer: Any) -> None:
        self.topic, self.kind, self._writer = topic, kind, writer

    def publish(self, sample: Any) -> None:
        """Send a message."""
        self._writer.write(sample)

    @property
    def matched(self) -> int:
        """Present number of subscribers."""
        return len(self._writer.get_matched_subscriptions())


class Subscriber:
    """A subscribed topic.

    Attributes:
        topic: its full name. kind: type of its messages.
    """

    def __init__(self, topic: str, kind: str, reader: Any, dropped: Counter[str]) -> None:
        self.topic, self.kind, self._reader, self._dropped = topic, kind, reader, dropped

    def take(self) -> list[Any]:
        """The messages received since the last call, oldest first."""
        try:
            samples = self._reader.take(MOST)
        except Exception:  # noqa: BLE001 - whatever a stranger's bytes do to the decoder
            self._dropped[self.topic] += 1
            return []
        return [one for one in samples if one.sample_info.valid_data]

    @property
    def matched(self) -> int:
        """Present number of publishers."""
        return len(self._reader.get_matched_publications())


class Server:
    """A service of this participant.

    A client's two topics are discovered at different times, and a response to a client whose reader is not yet known
    would be lost. So it waits, as in rmw_cyclonedds_cpp, until there are as many response readers as request writers,
    for a second at most; `take` sends waiting responses.

    Attributes:
        service: its full name.
    """

    def __init__(self, requests: Subscriber, responses: Publisher) -> None:
        self.service, self._requests, self._responses = requests.topic, requests, responses
        self._waiting: deque[tuple[float, Any]] = deque()

    def take(self) -> list[Any]:
        """The requests received since the last call, oldest first."""
        self._send()
        return self._requests.take()

    def answer(self, request: Any, **fields: Any) -> None:
        """Send the response to a request."""
        whose = {name: getattr(request, name) for name in HEADER}
        response = message(self._responses.kind, **whose, **fields)
        self._waiting.append((time.monotonic() + LONGEST_WAIT, response))
        self._send()

    def _send(self) -> None:
        while self._waiting:
            end, response = self._waiting[0]
            if self._responses.matched < self._requests.matched and time.monotonic() < end:
                return
            self._responses.publish(response)
            self._waiting.popleft()


def _qos(kind: str, *, latched: bool = False, depth: int = DEPTH, more: str = "") -> Qos:
    """QoS as rmw's default, or latched: kept for late joiners."""
    durability: Any = Policy.Durability
    return Qos(
        Policy.Reliability.Reliable(duration(milliseconds=100)),
        Policy.History.KeepLast(depth),
        durability.TransientLocal if latched else durability.Volatile,
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.Userdata(f"typehash={hash_of(kind)};{more}".encode()),
    )
