"""A robot on its topics, with lists instead of a network."""

import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

ROOT = Path(__file__).parents[2]
ARM = ROOT / "examples" / "compliant_arm.toml"
DOMAIN = 1 + os.getpid() % 100
"""Of this process: tests that run beside each other do not hear each other."""
STATE = "sensor_msgs/msg/JointState"


class Lists:
    """Messages in lists: `sent[topic]` and `waiting[topic]`."""

    def __init__(self) -> None:
        self.sent: dict[str, list[Any]] = defaultdict(list)
        self.waiting: dict[str, list[Any]] = defaultdict(list)
        self.asked: dict[str, list[Any]] = defaultdict(list)
        self.answers: dict[str, list[tuple[bool, str]]] = defaultdict(list)

    def publisher(self, topic: str, kind: str, *, latched: bool = False) -> Any:
        return _Sink(self.sent[topic])

    def subscriber(self, topic: str, kind: str) -> Any:
        return _Source(self.waiting[topic])

    def server(self, service: str, kind: str) -> Any:
        return _Server(self.asked[service], self.answers[service])


class _Sink:
    def __init__(self, messages: list[Any]) -> None:
        self.publish: Callable[[Any], None] = messages.append


class _Source:
    def __init__(self, messages: list[Any]) -> None:
        self._messages = messages

    def take(self) -> list[Any]:
        found = list(self._messages)
        self._messages.clear()
        return found


class _Server(_Source):
    def __init__(self, requests: list[Any], answers: list[tuple[bool, str]]) -> None:
        super().__init__(requests)
        self._answers = answers

    def answer(self, request: Any, *, success: bool, message: str) -> None:
        self._answers.append((success, message))


class Bridged:
    """A bridge and what it said."""

    def __init__(self, robot: Any, **settings: Any) -> None:
        from pliant.ros.bridge import Bridge, Settings
        from pliant.ros.channels import Channels
        from pliant.ros.commands import Commands

        options = {
            k: settings.pop(k)
            for k in ("manager", "ros2_control", "controller", "sections")
            if k in settings
        }
        played = settings.pop("played", ())
        self.robot, self.links, self.said = robot, Lists(), list[str]()
        self.commands = Commands(robot, settings.pop("compensator", None))
        channels = Channels(robot, self.commands, **options)
        chosen = Settings(real_time=False, **settings)
        self.bridge = Bridge(
            robot, self.commands, channels, self.links, chosen, say=self.said.append, played=played
        )

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.bridge.turn()

    def tell(self, topic: str, sample: Any) -> None:
        self.links.waiting[topic].append(sample)

    def ask(self, service: str, request: Any) -> None:
        self.links.asked[service].append(request)

    def last(self, topic: str) -> Any:
        return self.links.sent[topic][-1]


@pytest.fixture
def robot() -> Any:
    import pliant

    return pliant.load_robot(ARM)
