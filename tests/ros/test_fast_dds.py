"""Against Fast DDS, another vendor's implementation in C++: what is sent comes back, all of it, soon.

Skipped where Debian's fastddsgen and libfastrtps-dev are not installed. PLIANT_ROS_SECONDS=60 makes it
as long as the figures of the measurements.
"""

import math
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

from pliant.ros.messages import message
from pliant.ros.transport import Transport

from .conftest import DOMAIN, STATE

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
RATE = 500.0
BEHIND = 8
"""Most messages on their way: the echo keeps 10, as ROS does, and loses what comes while those wait."""
SECONDS = float(os.environ.get("PLIANT_ROS_SECONDS", "2"))
NAMES = [f"joint_{k}" for k in range(20)]


def built(folder: Path, idl: str, source: str) -> Path:
    """A program of this folder, built by Debian's tools."""
    for tool in ("fastddsgen", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}: apt install fastddsgen libfastrtps-dev g++")
    if not Path("/usr/include/fastdds/dds").is_dir():
        pytest.skip("no headers of Fast DDS: apt install libfastrtps-dev")
    for name in (f"{idl}.idl", source):
        shutil.copy(HERE / name, folder)
    made = [f"{idl}.cxx", f"{idl}PubSubTypes.cxx", source]
    for command in (
        ["fastddsgen", "-replace", f"{idl}.idl"],
        [
            "g++",
            "-std=c++14",
            "-O1",
            f"-D{idl.upper()}",
            "-o",
            "program",
            *made,
            "-lfastrtps",
            "-lfastcdr",
        ],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "program"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The echo."""
    return built(tmp_path_factory.mktemp("fast_dds"), "joint_state", "fast_dds_echo.cpp")


class Echo:
    """The program while it runs."""

    def __init__(self, program: Path) -> None:
        words = [str(program), str(DOMAIN), "rt/joint_states", "rt/joint_commands"]
        self.process: Any = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "ready\n"

    def end(self) -> tuple[int, int]:
        """How many it heard, and how often one was not the one after the last."""
        out, _ = self.process.communicate(timeout=120)
        count, disorder = out.split()
        return int(count), int(disorder)


@pytest.fixture
def echo(program: Path) -> Iterator[Echo]:
    made = Echo(program)
    yield made
    if made.process.poll() is None:
        made.end()


def matched(writer: Any, reader: Any) -> None:
    """Ask until an answer comes: that we know the other does not mean that it knows us."""
    end = time.monotonic() + 60.0
    while not (writer.matched and reader.matched and reader.take()):
        assert time.monotonic() < end, "no match"
        writer.publish(message(STATE, name=NAMES))
        time.sleep(0.1)


def test_500_a_second_of_20_joints_come_back_all_and_soon(echo: Echo) -> None:
    with Transport(DOMAIN) as links:
        writer, reader = (
            links.publisher("joint_states", STATE),
            links.subscriber("joint_commands", STATE, depth=100),
        )
        matched(writer, reader)
        count = round(SECONDS * RATE)
        trips: list[float] = []
        begin = time.perf_counter()
        sent: list[float] = []
        while len(trips) < count:
            now = time.perf_counter()
            late = len(sent) - len(trips) >= BEHIND
            if len(sent) < count and now >= begin + len(sent) / RATE and not late:
                values = [float(len(sent))] * len(NAMES)
                sent.append(time.perf_counter())
                writer.publish(
                    message(STATE, name=NAMES, position=values, velocity=values, effort=values)
                )
            for one in reader.take():
                assert one.name == NAMES
                if not one.effort:
                    continue  # an answer that `matched` did not wait for
                trips.append(time.perf_counter() - sent[int(one.effort[7])])
            if now > begin + SECONDS + 60.0:
                break
        rate = len(trips) / (time.perf_counter() - begin)
    heard, disorder = echo.end()
    assert len(trips) == count, f"{heard} of {count} heard, {len(trips)} came back"
    assert (heard, disorder) == (count, 0)
    median, worst = 1e3 * statistics.median(trips), 1e3 * max(trips)
    print(f"\n{rate:.0f} Hz, round trip: median {median:.2f} ms, worst {worst:.2f} ms")


def answered(writer: Any, reader: Any) -> None:
    """A message comes back as it was sent."""
    matched(writer, reader)
    writer.publish(message(STATE, name=["a"], position=[7.0]))
    end, got = time.monotonic() + 60.0, list[Any]()
    while not got:
        assert time.monotonic() < end
        got = [one for one in reader.take() if one.position]
        time.sleep(0.01)
    assert (got[0].name, got[0].position) == (["a"], [7.0])


def both(links: Transport) -> tuple[Any, Any]:
    return links.publisher("joint_states", STATE), links.subscriber("joint_commands", STATE)


def test_either_side_may_go_and_come_again(program: Path) -> None:
    with Transport(DOMAIN) as links:
        writer, reader = both(links)
        for _ in range(2):
            other = Echo(program)
            answered(writer, reader)
            assert other.end()[0] >= 1
            end = time.monotonic() + 60.0
            while writer.matched or reader.matched:
                assert time.monotonic() < end
                reader.take()
                time.sleep(0.05)
    late = Echo(program)
    for _ in range(2):
        with Transport(DOMAIN) as links:
            answered(*both(links))
    assert late.end()[0] >= 2


def served(client: Path, service: str, kind: str, act: Callable[[Any], None]) -> list[str]:
    """Lines of a client of a service, which answers with what `act` raises."""
    with Transport(DOMAIN) as here:
        server = here.server(service, kind)
        asking = subprocess.Popen(
            [str(client), str(DOMAIN), service], stdout=subprocess.PIPE, text=True
        )
        end = time.monotonic() + 120.0
        while asking.poll() is None and time.monotonic() < end:
            for request in server.take():
                try:
                    act(request)
                except ValueError as error:
                    server.answer(request, success=False, message=f"{error}")
                else:
                    server.answer(request, success=True, message="so be it")
            time.sleep(0.005)
        said, _ = asking.communicate(timeout=60)
    assert asking.returncode == 0
    return said.splitlines()


def test_another_vendors_client_of_a_service_is_answered(tmp_path: Path) -> None:
    def act(request: Any) -> None:
        if not request.data:
            raise ValueError("off")

    client = built(tmp_path, "set_bool", "fast_dds_client.cpp")
    said = served(client, "/arm/enable", "std_srvs/srv/SetBool", act)
    assert said == ["False off", "True so be it"]


def test_another_vendors_client_sets_gains(tmp_path: Path) -> None:
    asked: list[tuple[Any, ...]] = []

    def act(request: Any) -> None:
        asked.append((request.joint, request.k_p, math.isnan(request.k_i + request.limit)))
        if request.joint != "elbow":
            raise ValueError("no such joint")

    client = built(tmp_path, "set_gains", "fast_dds_client.cpp")
    said = served(client, "/set_gains", "pliant_msgs/srv/SetGains", act)
    assert said == ["False no such joint", "True so be it"]
    assert asked == [("knee", 60.0, True), ("elbow", 60.0, True)]
