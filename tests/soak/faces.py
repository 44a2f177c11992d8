"""`python -m tests.soak.faces --messages 1e6 --viewers 100`: a working day of the page and of ROS 2.

    1. viewers open the page of a running robot one after the other, read it, turn knobs, and leave
    2. another DDS participant commands a robot and hears its states, some commands are nonsense, and
       ten times it leaves and comes back

Afterwards memory, threads, files and ports are to be what they were. `--browser` takes Chromium for a
viewer; otherwise it is a web socket that reads what the page sends.
"""

import argparse
import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ARM = Path(__file__).parents[2] / "examples" / "compliant_arm.toml"
DOMAIN = 89
STATE = "sensor_msgs/msg/JointState"
RESTARTS = 10
MANY = 20
"""Viewers from which on memory is measured with a full history."""
NONSENSE = 50
"""One command in so many is nonsense."""
MOST = 24 * 2**20
"""[bytes] By which memory may grow after the first tenth: lists that are full only later are not leaks."""


@dataclass(frozen=True)
class Held:
    """Memory [bytes], threads, open files and ports of this process."""

    memory: int
    threads: int
    files: int
    ports: int

    @classmethod
    def now(cls) -> "Held":
        """As it is."""
        process = psutil.Process()
        return cls(
            process.memory_info().rss,
            process.num_threads(),
            process.num_fds(),
            len(process.net_connections()),
        )

    def __str__(self) -> str:
        return (
            f"{self.memory / 2**20:.1f} MiB, {self.threads} threads, {self.files} files, "
            f"{self.ports} ports"
        )

    def left_by(self, before: "Held") -> list[str]:
        """What there is more of than before."""
        return [
            f"{name}: {getattr(before, name)}, then {getattr(self, name)}"
            for name in ("threads", "files", "ports")
            if getattr(self, name) > getattr(before, name)
        ]


def main(words: list[str] | None = None) -> int:
    """Both, and what is left of them; 1 if something is."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.faces")
    parser.add_argument("--messages", type=float, default=1e6)
    parser.add_argument("--viewers", type=int, default=100)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args(words)
    wrong = viewed(given.viewers, given.browser) if given.viewers else []
    wrong += talked(int(given.messages)) if given.messages else []
    for text in wrong:
        print(f"LEFT: {text}")
    return int(bool(wrong))


def viewed(viewers: int, browser: bool) -> list[str]:
    """Viewers come and go; what is wrong afterwards."""
    from pliant.engines.spec.placing import Wishes
    from pliant.view.commands import Reference
    from pliant.view.page import shown
    from pliant.view.robots import robot_maker
    from pliant.view.simulated import Simulated

    def session(count: int) -> tuple[Held, Held]:
        scene = Simulated(robot_maker(ARM, [], Wishes()), "soak")
        with shown(scene, port=0) as page, _viewer(page, browser) as visit:
            if count >= MANY:
                _fill(page.session)
            begun = Held.now()
            for k in range(count):
                visit()
                page.session.send(Reference("shoulder", 1, 0.1 * (k % 10)))
                if k == count // 10:
                    begun = Held.now()
            _until(lambda: not page.server.get_clients(), "viewers stay")
            return begun, Held.now()

    session(1)  # what is made once and stays: compiled laws, viser's thread pools
    before = Held.now()
    began = time.monotonic()
    early, late = session(viewers)
    after = _settled(before)
    print(f"{viewers} viewers, {time.monotonic() - began:.0f} s")
    print(f"  before {before}\n  early {early}\n  late {late}\n  after {after}")
    grown = late.memory - early.memory
    return after.left_by(before) + ([f"memory: {grown / 2**20:.1f} MiB"] if grown > MOST else [])


def talked(messages: int) -> list[str]:
    """Messages both ways over DDS; what is wrong afterwards."""
    import pliant
    from pliant.ros.bridge import Bridge, Settings
    from pliant.ros.channels import Channels
    from pliant.ros.commands import Commands
    from pliant.ros.transport import Transport

    def session(count: int) -> tuple[Held, Held, list[str]]:
        robot = pliant.load_robot(ARM)
        commands = Commands(robot)
        with Transport(DOMAIN) as links:
            bridge = Bridge(
                robot, commands, Channels(robot, commands), links, Settings(real_time=False)
            )
            begun, sent, nonsense = Held.now(), 0, 0
            for part in range(RESTARTS):
                with Transport(DOMAIN) as other:
                    told = _talk(bridge, other, (part + 1) * count // RESTARTS)
                sent, nonsense = sent + told, nonsense + -(-told // NONSENSE)
                if part == 0:
                    begun = Held.now()
            late, spent = Held.now(), bridge.spent
            dropped, received = sum(bridge.dropped.values()), spent.received
            del bridge
        print(f"  {spent.sent} sent, {received} of {sent} received, {dropped} dropped")
        wrong = [f"messages: {sent - received} lost"] if received != sent else []
        wrong += [f"nonsense: {dropped} of {nonsense} dropped"] if dropped != nonsense else []
        return begun, late, wrong

    session(1000)
    before = Held.now()
    began = time.monotonic()
    early, late, wrong = session(messages)
    after = _settled(before)
    print(f"{messages} messages, {time.monotonic() - began:.0f} s")
    print(f"  before {before}\n  early {early}\n  late {late}\n  after {after}")
    grown = late.memory - early.memory
    wrong += after.left_by(before)
    return wrong + ([f"memory: {grown / 2**20:.1f} MiB"] if grown > MOST else [])


def _talk(bridge: Any, other: Any, until: int) -> int:
    """Turns of the bridge until it has sent and received `until` messages; commands that it was sent."""
    from pliant.ros.messages import message

    writer = other.publisher("joint_commands", STATE)
    reader = other.subscriber("joint_states", STATE, depth=1000)
    _until(lambda: writer.matched and reader.matched, "no match")
    spent, sent, begun = bridge.spent, 0, bridge.spent.received
    while spent.sent + spent.received < until:
        value = float("nan") if sent % NONSENSE == 0 else 0.3
        writer.publish(message(STATE, name=["shoulder", "elbow"], position=[value, 0.1]))
        sent += 1
        taken = begun + sent
        _until(lambda taken=taken: bridge.turn() or spent.received >= taken, "a command is lost")
        reader.take()
    return sent


def _fill(session: Any) -> None:
    """Let the session remember as many frames as it ever will, so that only viewers can add to memory."""
    from pliant.view.commands import Pause, Step

    session.send(Pause(True))
    steps = round(80.0 / session.scene.timestep)
    end = session.frame.steps + steps
    session.send(Step(steps))
    _until(lambda: session.frame.steps >= end, "the history does not fill")
    session.send(Pause(False))


@contextlib.contextmanager
def _viewer(page: Any, browser: bool) -> Generator[Callable[[], None]]:
    """A function that opens the page, sees it move, and leaves."""
    from pliant.view.server import address_of

    address = address_of(page.server)
    if not browser:
        yield lambda: _read(address)
        return
    from playwright.sync_api import sync_playwright

    words = ["--no-sandbox", "--disable-gpu"]
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=shutil.which("chromium"), args=words)
        try:
            yield lambda: _look(made, address)
        finally:
            made.close()


def _read(address: str) -> None:
    import viser
    import websockets.sync.client

    with websockets.sync.client.connect(
        address.replace("http", "ws"),
        subprotocols=[f"viser-v{viser.__version__}"],  # pyright: ignore[reportArgumentType]
        origin=address,  # pyright: ignore[reportArgumentType]
        max_size=None,
    ) as connection:
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            with contextlib.suppress(TimeoutError):
                connection.recv(timeout=0.1)


def _look(browser: Any, address: str) -> None:
    tab = browser.new_page()
    tab.set_default_timeout(120_000)
    tab.goto(address)
    tab.wait_for_selector("[data-reading=time]")
    tab.close()


def _settled(before: Held) -> Held:
    """What is held once sockets and threads had time to end."""
    end = time.monotonic() + 10.0
    while (now := Held.now()).left_by(before) and time.monotonic() < end:
        time.sleep(0.1)
    return now


def _until(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + 300.0
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(what)
        time.sleep(0.0)


if __name__ == "__main__":
    sys.exit(main())
