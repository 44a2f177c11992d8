"""Emulated buses driven by the makers' own programs: dynamixel-sdk and feetech-servo-sdk."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import dynamixel_sdk
import numpy as np
import pytest
import scservo_sdk

from pliant.engines.mujoco.batch.trials import replay
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.record.emulated_bus import Emulated, EmulatedBus, Faults
from pliant.record.line import VirtualLine

BAUD = 1_000_000
Said = TypeVar("Said")


@pytest.fixture(scope="module")
def dynamixels() -> Iterator[EmulatedBus]:
    with EmulatedBus([Emulated("xl330_bam_m6", "xl330", k, 0.2) for k in (1, 2)]) as bus:
        yield bus


@pytest.fixture(scope="module")
def feetechs() -> Iterator[EmulatedBus]:
    servos = [Emulated("feetech_sts3215_7_4V_bam_m1", "sts3215", k, 0.3) for k in (1, 2)]
    with EmulatedBus(servos) as bus:
        yield bus


def opened(sdk, bus: EmulatedBus):
    port = sdk.PortHandler(bus.port)
    assert port.openPort() and port.setBaudRate(BAUD)
    return port


def until(port, wanted: Callable[[Said], bool], ask: Callable[[], Said]) -> Said:
    """An answer that is `wanted`; on a busy machine the servos come late, and their makers' programs give up."""
    for _ in range(200):
        said = ask()
        if wanted(said):
            return said
        time.sleep(0.05)
        port.ser.reset_input_buffer()
    raise AssertionError(said)


def sure(port, ask: Callable[..., tuple[int, ...]], *given: int) -> tuple[int, ...]:
    """An answer to a packet that reached its servo: the one before the last number is 0."""
    return until(port, lambda said: said[-2] == 0, lambda: ask(port, *given))


def test_dynamixels_answer_their_maker_s_program(dynamixels: EmulatedBus) -> None:
    port = opened(dynamixel_sdk, dynamixels)
    to = dynamixel_sdk.PacketHandler(2.0)
    assert sure(port, to.ping, 1) == (1200, 0, 0)
    until(port, lambda said: sorted(said[0]) == [1, 2], lambda: to.broadcastPing(port))
    assert sure(port, to.read2ByteTxRx, 1, 84) == (400, 0, 0)
    assert sure(port, to.write2ByteTxRx, 1, 84, 800) == (0, 0)
    assert sure(port, to.read2ByteTxRx, 1, 84)[0] == 800
    assert sure(port, to.read1ByteTxRx, 1, 146)[0] == 25
    assert sure(port, to.read2ByteTxRx, 1, 144)[0] == 74
    assert to.read4ByteTxRx(port, 9, 132)[1] == dynamixel_sdk.COMM_RX_TIMEOUT
    assert sure(port, to.write1ByteTxRx, 1, 64, 1) == (0, 0)
    assert sure(port, to.write1ByteTxRx, 1, 11, 0)[1] == 7  # kept in memory: not with torque on
    assert sure(port, to.write1ByteTxRx, 1, 64, 0) == (0, 0)
    assert sure(port, to.write2ByteTxRx, 1, 84, 400) == (0, 0)
    port.closePort()


@pytest.mark.parametrize("fast", [False, True])
def test_dynamixels_move_to_their_goals(dynamixels: EmulatedBus, fast: bool) -> None:
    port = opened(dynamixel_sdk, dynamixels)
    to = dynamixel_sdk.PacketHandler(2.0)
    write = dynamixel_sdk.GroupSyncWrite(port, to, 116, 4)
    read = dynamixel_sdk.GroupSyncRead(port, to, 126, 10)
    goals = {1: 2048 + 300, 2: 2048 - 200}
    for servo, goal in goals.items():
        sure(port, to.write1ByteTxRx, servo, 64, 1)
        assert write.addParam(servo, goal.to_bytes(4, "little"))
        assert read.addParam(servo)
    assert write.txPacket() == 0

    def off() -> list[int]:
        if (read.fastSyncRead() if fast else read.txRxPacket()) != 0:
            return []
        return [abs(read.getData(servo, 132, 4) - goal) for servo, goal in goals.items()]

    until(port, lambda said: len(said) == 2 and max(said) < 80, off)
    for servo in goals:
        sure(port, to.write1ByteTxRx, servo, 64, 0)
    port.closePort()


def test_feetechs_answer_and_move_by_their_maker_s_program(feetechs: EmulatedBus) -> None:
    port = opened(scservo_sdk, feetechs)
    to = scservo_sdk.PacketHandler(0)
    assert sure(port, to.ping, 1) == (777, 0, 0)
    assert sure(port, to.read1ByteTxRx, 2, 21)[0] == 32
    assert sure(port, to.write1ByteTxRx, 1, 40, 1) == (0, 0)
    assert sure(port, to.write2ByteTxRx, 1, 42, 2048 - 400) == (0, 0)
    read = scservo_sdk.GroupSyncRead(port, to, 56, 15)
    assert read.addParam(1) and read.addParam(2)

    def places() -> list[int]:
        done = read.txRxPacket() == 0
        return [read.getData(servo, 56, 2) for servo in (1, 2)] if done else []

    found = until(port, lambda said: len(said) == 2 and abs(said[0] - 1648) < 60, places)
    assert abs(found[1] - 2048) < 5
    assert read.getData(1, 62, 1) == 74
    sure(port, to.write1ByteTxRx, 1, 40, 0)
    port.closePort()


def virtual(faults: Faults, numbers: tuple[int, ...] = (1,)):
    """A line in virtual time, so that no other program's haste or leisure counts, and its port."""
    servos = [Emulated("xl330_bam_m6", "xl330", k, 0.2, 0.1) for k in numbers]
    line = VirtualLine(servos, BAUD, faults)
    port = line.handler(dynamixel_sdk)
    assert port.openPort() and port.setBaudRate(BAUD)
    return line, port


def test_what_it_does_is_what_the_simulation_of_the_same_actuator_does() -> None:
    """Goals over the wire against `replay`, which has no bus: within the time of a packet or two."""
    line, port = virtual(Faults())
    to = dynamixel_sdk.PacketHandler(2.0)
    to.write1ByteTxRx(port, 1, 64, 1)
    begin = line.now()
    rows = []
    while (now := line.now() - begin) < 1.0:
        goal = 2048 + round(400 * np.sin(6.0 * now))
        sent = line.now() - begin
        to.write4ByteTxRx(port, 1, 116, goal)
        position, result, _ = to.read4ByteTxRx(port, 1, 132)
        assert result == 0
        rows.append((sent, goal, position, line.now() - begin))
    sent, goal, position, _ = np.array(rows).T
    log = Log(
        name="wire", path=Path("wire"), digest="", device="xl330", trajectory="sine",
        mass=0.2, length=0.1, arm_mass=None, gain=400.0, supply=7.4,
        time=sent - sent[0], position=0.0 * sent, goal=(goal - 2048) * 2 * np.pi / 4096,
        enabled=np.ones(len(sent), bool), velocity=None, voltage=None,
    )  # fmt: skip
    simulated = replay(load_actuator("xl330_bam_m6"), log)
    assert np.abs(simulated - (position - 2048) * 2 * np.pi / 4096).mean() < 0.02


def errors(faults: Faults) -> set[int]:
    """Results of 60 readings on a bus with these faults."""
    _, port = virtual(faults)
    to = dynamixel_sdk.PacketHandler(2.0)
    return {to.read4ByteTxRx(port, 1, 132)[1] for _ in range(60)}


def test_faults_are_what_the_maker_s_program_says_of_them() -> None:
    sdk = dynamixel_sdk
    assert errors(Faults(silence=0.2)) == {sdk.COMM_SUCCESS, sdk.COMM_RX_TIMEOUT}
    assert errors(Faults(checksum=0.2)) >= {sdk.COMM_SUCCESS, sdk.COMM_RX_CORRUPT}
    assert errors(Faults(half=0.2)) >= {sdk.COMM_SUCCESS, sdk.COMM_RX_CORRUPT}
    assert errors(Faults()) == {sdk.COMM_SUCCESS}


def test_a_servo_that_resets_forgets_and_one_that_is_hot_lets_go() -> None:
    line, port = virtual(Faults(), (1, 2))
    to = dynamixel_sdk.PacketHandler(2.0)
    to.write2ByteTxRx(port, 2, 84, 123)
    to.write1ByteTxRx(port, 2, 64, 1)
    line.wire.asked("reset", 2, line.now())
    assert to.read1ByteTxRx(port, 2, 64)[0] == 0
    assert to.read2ByteTxRx(port, 2, 84)[0] == 400
    to.write1ByteTxRx(port, 2, 64, 1)
    line.wire.asked("hot", 2, line.now())
    to.read4ByteTxRx(port, 2, 132)
    value, result, error = to.read1ByteTxRx(port, 2, 64)
    assert (value, result, error) == (0, 0, 0x80)
    assert to.read1ByteTxRx(port, 2, 70)[0] == 1 << 2


def test_a_hot_feetech_says_so_in_its_answers_and_its_status() -> None:
    line = VirtualLine([Emulated("feetech_sts3215_7_4V_bam_m1", "sts3215", 1, 0.3)])
    port = line.handler(scservo_sdk)
    assert port.openPort() and port.setBaudRate(BAUD)
    to = scservo_sdk.PacketHandler(0)
    to.write1ByteTxRx(port, 1, 40, 1)
    line.wire.asked("hot", 1, line.now())
    assert to.read1ByteTxRx(port, 1, 63)[0] == 90
    _, result, error = to.read2ByteTxRx(port, 1, 56)
    assert result == scservo_sdk.COMM_SUCCESS
    assert to.getRxPacketError(error) == "[RxPacketError] Overheat error!"
    assert to.read1ByteTxRx(port, 1, 65)[0] == 4  # register Status: temperature
    assert to.read1ByteTxRx(port, 1, 40)[0] == 0


def test_an_interrupted_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(bus: EmulatedBus, said: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EmulatedBus, "_exchanged", interrupted)
    bus = EmulatedBus([Emulated("xl330_bam_m6", "xl330", 1, 0.2, 0.1)])
    with pytest.raises(KeyboardInterrupt), bus:
        pass
    assert bus._process.poll() is not None


@pytest.mark.parametrize("asked", [True, False])
def test_a_bus_whose_asker_is_gone_ends_without_a_word(asked: bool) -> None:
    servo = asdict(Emulated("xl330_bam_m6", "xl330", 1, 0.2, 0.1))
    request = {"servos": [servo], "baud": 1_000_000, "faults": asdict(Faults())}
    bus = subprocess.Popen(
        [sys.executable, "-m", "pliant.record.emulated_bus"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert bus.stdin is not None and bus.stdout is not None and bus.stderr is not None
    bus.stdout.close()
    if asked:
        bus.stdin.write(json.dumps(request).encode() + b"\n")
    bus.stdin.close()
    assert (bus.stderr.read(), bus.wait()) == (b"", 0)
    bus.stderr.close()
