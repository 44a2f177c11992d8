"""An emulated bus: servos on a pseudo-terminal, at the pace of a wire, with faults on request.

    with EmulatedBus([Emulated("xl330_bam_m6", "xl330", 1)]) as bus:
        port = dynamixel_sdk.PortHandler(bus.port)

The servos live in a process of their own, so that they keep time whatever the reader does.
"""

import json
import os
import pty
import select
import subprocess
import sys
import time
import tty
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

from pliant.errors import PliantError
from pliant.record import packets
from pliant.record.packets import BROADCAST, Dynamixel, Feetech, Instruction
from pliant.record.tables import model_of

BITS = 10
"""On the wire for each byte."""
IDLE = 0.005
"""[s] After which the simulations go on without being asked."""


@dataclass(frozen=True)
class Emulated:
    """One servo: its actuator in the catalogue (or a file), its control table, its id and load."""

    actuator: str
    model: str
    number: int
    mass: float = 0.5
    length: float = 0.1


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Faults of a bus, as shares of the answers.

    Attributes:
        checksum: answers with a bit that flipped. silence: answers that never come.
        half: answers that end in the middle. twice: answers that come twice.
        latency: [s] longest additional delay of an answer.
        seed: of the random numbers.
    """

    checksum: float = 0.0
    silence: float = 0.0
    half: float = 0.0
    twice: float = 0.0
    latency: float = 0.0
    seed: int = 1


@dataclass
class EmulatedBus:
    """A bus that a servo's SDK can open at `port`.

    Args:
        servos: on it; all of one family. baud: [1/s]. faults: that happen by themselves.

    Raises:
        PliantError: no servos, two of one id, or of two families.
    """

    servos: Sequence[Emulated]
    baud: int = 1_000_000
    faults: Faults = field(default_factory=Faults)
    port: str = ""

    def __post_init__(self) -> None:
        numbers = [one.number for one in self.servos]
        families = {model_of(one.model).family for one in self.servos}
        if len(set(numbers)) < len(numbers) or not numbers:
            raise PliantError("each servo needs its own id", field="id", found=numbers)
        if len(families) > 1:
            raise PliantError("one bus cannot have servos of two protocols", found=families)
        self.family = families.pop()

    def __enter__(self) -> "EmulatedBus":
        """Start the servos, and wait until they answer."""
        # A program of its own, not a fork: it needs nothing of the caller's, whose main may not be imported.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pliant.record.emulated_bus"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        said = self._exchanged(
            {
                "servos": [asdict(one) for one in self.servos],
                "baud": self.baud,
                "faults": asdict(self.faults),
            }
        )
        if "port" not in said:
            self.pull()
            raise PliantError(str(said.get("error", "the emulated servos did not start")))
        self.port = str(said["port"])
        return self

    def _exchanged(self, said: dict[str, Any]) -> dict[str, Any]:
        """Say something to the process, and have its answer; {} if it is gone."""
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None and taken is not None
        try:
            given.write(json.dumps(said).encode() + b"\n")
            given.flush()
        except OSError:
            return {}
        line = taken.readline()
        return json.loads(line) if line else {}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bus away."""
        self.pull()

    def pull(self) -> None:
        """Pull the cable: the port is gone, without a word."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def happen(self, what: str, servo: int) -> None:
        """Let a servo "reset" (it forgets, torque off), be "hot", be "deaf", or "recover"."""
        self._exchanged({"what": what, "servo": servo})

    def state(self, servo: int) -> dict[str, float]:
        """The true position [rad], velocity [rad/s], torque_enable and position_p_gain of a servo."""
        return self._exchanged({"what": "state", "servo": servo})


def main() -> None:
    """The process of a bus: what it is comes on the standard input, as what happens to it later does."""
    asked = json.loads(sys.stdin.readline())
    servos = [Emulated(**one) for one in asked["servos"]]
    _serve(servos, asked["baud"], Faults(**asked["faults"]))


def _say(said: object) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def _serve(servos: Sequence[Emulated], baud: int, faults: Faults) -> None:
    """Answer at a pseudo-terminal, until the standard input ends."""
    from pliant.io.actuator_file import load_actuator
    from pliant.record.emulated_servo import Joint, Load, Servo

    try:
        made = {
            one.number: Servo(
                one.number,
                model_of(one.model),
                Joint(load_actuator(_named(one.actuator)), Load(one.mass, one.length)),
            )
            for one in servos
        }
    except PliantError as error:
        _say({"error": str(error)})
        return
    leader, follower = pty.openpty()
    tty.setraw(follower)
    _say({"port": os.ttyname(follower)})
    family = model_of(servos[0].model).family
    bus = _Bus(made, Dynamixel if family == "dynamixel" else Feetech, baud, faults)
    buffer = bytearray()
    while True:
        ready, _, _ = select.select([leader, sys.stdin.fileno()], [], [], IDLE)
        now = time.monotonic()
        if not ready:
            bus.advance(now)
        if sys.stdin.fileno() in ready:
            line = sys.stdin.readline()
            if not line:
                return
            said = json.loads(line)
            _say(bus.asked(said["what"], said["servo"], now))
        if leader in ready:
            try:
                buffer += os.read(leader, 4096)
            except OSError:  # nobody has the port open
                time.sleep(0.01)
                continue
            while (instruction := bus.protocol.taken(buffer)) is not None:
                bus.answer(instruction, now, leader)


def _named(actuator: str) -> str | Path:
    return Path(actuator) if actuator.endswith(".toml") else actuator


class _Bus:
    """The servos of one wire, and what goes wrong on it."""

    def __init__(self, servos: dict[int, Any], protocol: Any, baud: int, faults: Faults) -> None:
        self.servos, self.protocol, self.baud, self.faults = servos, protocol, baud, faults
        self.random = Random(faults.seed)  # noqa: S311 - of faults, not of secrets
        self.deaf: set[int] = set()

    def asked(self, what: str, servo: int, now: float) -> dict[str, float]:
        """Something that happens to a servo, from outside."""
        one = self.servos[servo]
        if what == "state":
            one.joint.advance(now)
            return {
                "position": one.joint.position,
                "velocity": one.joint.velocity,
                "torque_enable": one.get("torque_enable"),
                "position_p_gain": one.get("position_p_gain"),
            }
        if what == "reset":
            one.reset()
        elif what == "hot":
            one.temperature = 90
        elif what == "deaf":
            self.deaf.add(servo)
        elif what == "recover":
            self.deaf.discard(servo)
        return {}

    def advance(self, now: float) -> None:
        """Let the simulations keep up while nobody asks."""
        for servo in self.servos.values():
            servo.joint.advance(now)

    def answer(self, said: Instruction, now: float, leader: int) -> None:
        """Do what an instruction says, and send the answers when the wire would have them."""
        wire = 1.0 / self.baud * BITS
        due = now + wire * (len(said.parameters) + 10)
        for packet, delay in self._done(said, now):
            due += delay + wire * len(packet) + self.random.random() * self.faults.latency
            for piece in self._spoiled(packet):
                while (left := due - time.monotonic()) > 0.0:
                    time.sleep(left if left > 2e-4 else 0.0)
                os.write(leader, piece)

    def _spoiled(self, packet: bytes) -> list[bytes]:
        """The packet as it comes over the wire: whole, twice, in part, or not at all."""
        dice = self.random.random
        if dice() < self.faults.silence:
            return []
        if dice() < self.faults.half:
            return [packet[: len(packet) // 2]]
        if dice() < self.faults.checksum:
            at = self.random.randrange(len(packet) - 3, len(packet))
            packet = packet[:at] + bytes([packet[at] ^ 0x10]) + packet[at + 1 :]
        return [packet, packet] if dice() < self.faults.twice else [packet]

    def _done(self, said: Instruction, now: float) -> list[tuple[bytes, float]]:
        """The answers to an instruction, each with its servo's delay."""
        if said.code in (packets.SYNC_READ, packets.FAST_SYNC_READ):
            return self._read_all(said, now)
        if said.code == packets.SYNC_WRITE:
            self._write_all(said, now)
            return []
        everyone = [k for k in sorted(self.servos) if k not in self.deaf]
        meant = everyone if said.servo == BROADCAST else [k for k in everyone if k == said.servo]
        answers = [(self._one(self.servos[k], said, now), self._delay(k)) for k in meant]
        told = said.servo != BROADCAST or said.code == packets.PING
        return [(packet, delay) for packet, delay in answers if told]

    def _one(self, servo: Any, said: Instruction, now: float) -> bytes:
        """The answer of one servo to what only it was told."""
        wide, alert = self.protocol.WIDE, 0x80 if servo.alert else 0
        error, data = 0, b""
        address = int.from_bytes(said.parameters[:wide], "little")
        if said.code == packets.PING:
            data = servo.memory[0:2] + servo.memory[6:7] if wide == 2 else b""
        elif said.code == packets.READ:
            size = int.from_bytes(said.parameters[wide : 2 * wide], "little")
            found = servo.read(address, size, now)
            error, data = (4, b"") if found is None else (0, found)
        elif said.code == packets.WRITE:
            error = servo.write(address, said.parameters[wide:], now)
        elif said.code == packets.REBOOT:
            servo.reset()
        else:
            error = 2
        return self.protocol.status(servo.number, error | alert, bytes(data))

    def _read_all(self, said: Instruction, now: float) -> list[tuple[bytes, float]]:
        wide = self.protocol.WIDE
        address, size = (
            int.from_bytes(said.parameters[k * wide : (k + 1) * wide], "little") for k in (0, 1)
        )
        meant = [k for k in said.parameters[2 * wide :] if k in self.servos and k not in self.deaf]
        read = [(k, self.servos[k].read(address, size, now) or b"") for k in meant]
        if said.code == packets.FAST_SYNC_READ:
            whole = self.protocol.fast_status(
                [(k, 0x80 * self.servos[k].alert, d) for k, d in read]
            )
            return [(whole, self._delay(meant[0]))] if meant else []
        alerts = {k: 0x80 if self.servos[k].alert else 0 for k in meant}
        return [(self.protocol.status(k, alerts[k], data), self._delay(k)) for k, data in read]

    def _write_all(self, said: Instruction, now: float) -> None:
        wide = self.protocol.WIDE
        address, size = (
            int.from_bytes(said.parameters[k * wide : (k + 1) * wide], "little") for k in (0, 1)
        )
        rest = said.parameters[2 * wide :]
        for at in range(0, len(rest) - size, size + 1):
            if rest[at] in self.servos and rest[at] not in self.deaf:
                self.servos[rest[at]].write(address, rest[at + 1 : at + 1 + size], now)

    def _delay(self, servo: int) -> float:
        """[s] of a servo before it answers."""
        return 2e-6 * self.servos[servo].get("return_delay_time")


if __name__ == "__main__":
    main()
