"""The wire of an emulated bus: servos, the time that bytes take, and what goes wrong.

It knows no clock: who uses it says when bytes come, and sends the answers when they are due.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from pliant.errors import PliantError
from pliant.record import packets
from pliant.record.packets import BROADCAST, Dynamixel, Feetech, Instruction
from pliant.record.tables import model_of

if TYPE_CHECKING:
    from pliant.record.emulated_servo import Servo

BITS = 10
"""On the wire for each byte."""


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


def family_of(servos: Sequence[Emulated]) -> str:
    """The protocol of servos on one bus."""
    numbers = [one.number for one in servos]
    if len(set(numbers)) < len(numbers) or not numbers:
        raise PliantError("each servo needs its own id", field="id", found=numbers)
    families = {model_of(one.model).family for one in servos}
    if len(families) > 1:
        raise PliantError("one bus cannot have servos of two protocols", found=families)
    return families.pop()


class EmulatedWire:
    """Servos on one wire.

    Args:
        servos: on it; all of one family. baud: [1/s]. faults: that happen by themselves.

    Raises:
        PliantError: an actuator cannot be emulated; see `family_of`.
    """

    def __init__(self, servos: Sequence[Emulated], baud: int, faults: Faults) -> None:
        # MuJoCo is for who simulates: a recorder that names servos does not wait for it.
        from pliant.io.actuator_file import load_actuator
        from pliant.record.emulated_servo import Joint, Load, Servo

        self.protocol: Any = Dynamixel if family_of(servos) == "dynamixel" else Feetech
        self.servos = {
            one.number: Servo(
                one.number,
                model_of(one.model),
                Joint(load_actuator(actuator_place(one.actuator)), Load(one.mass, one.length)),
            )
            for one in servos
        }
        self.faults, self.byte = faults, BITS / baud
        self._random = Random(faults.seed)  # noqa: S311 - of faults, not of secrets
        self._deaf: set[int] = set()
        self._buffer = bytearray()
        self._free = 0.0  # [s] when the last byte so far has gone over the wire

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
            self._deaf.add(servo)
        elif what == "recover":
            self._deaf.discard(servo)
        return {}

    def advance(self, now: float) -> None:
        """Let the simulations keep up while nobody asks."""
        for servo in self.servos.values():
            servo.joint.advance(now)

    def answers(self, told: bytes, now: float) -> list[tuple[float, bytes]]:
        """Answers to bytes that are sent from `now` [s] on: the time [s] at which each piece is there, and the piece.

        One byte after the other: an instruction waits until the wire is free.
        """
        self._buffer += told
        found: list[tuple[float, bytes]] = []
        self._free = max(self._free, now) + self.byte * len(told)
        while (instruction := self.protocol.taken(self._buffer)) is not None:
            for packet, delay in self._done(instruction, self._free):
                late = delay + self._random.random() * self.faults.latency
                self._free += late + self.byte * len(packet)
                found += [(self._free, piece) for piece in self._spoiled(packet)]
        return found

    def _spoiled(self, packet: bytes) -> list[bytes]:
        """The packet as it comes over the wire: whole, twice, in part, or not at all."""
        dice = self._random.random
        if dice() < self.faults.silence:
            return []
        if dice() < self.faults.half:
            return [packet[: len(packet) // 2]]
        if dice() < self.faults.checksum:
            at = self._random.randrange(len(packet) - 3, len(packet))
            packet = packet[:at] + bytes([packet[at] ^ 0x10]) + packet[at + 1 :]
        return [packet, packet] if dice() < self.faults.twice else [packet]

    def _done(self, said: Instruction, now: float) -> list[tuple[bytes, float]]:
        """The answers to an instruction, each with its servo's delay."""
        if said.code in (packets.SYNC_READ, packets.FAST_SYNC_READ):
            return self._read_all(said, now)
        if said.code == packets.SYNC_WRITE:
            self._write_all(said, now)
            return []
        everyone = [k for k in sorted(self.servos) if k not in self._deaf]
        meant = everyone if said.servo == BROADCAST else [k for k in everyone if k == said.servo]
        answers = [(self._one(self.servos[k], said, now), self._delay(k)) for k in meant]
        told = said.servo != BROADCAST or said.code == packets.PING
        return [(packet, delay) for packet, delay in answers if told]

    def _one(self, servo: "Servo", said: Instruction, now: float) -> bytes:
        """The answer of one servo to what only it was told."""
        wide = self.protocol.WIDE
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
        return self.protocol.status(servo.number, error | servo.error, bytes(data))

    def _read_all(self, said: Instruction, now: float) -> list[tuple[bytes, float]]:
        wide = self.protocol.WIDE
        address, size = (
            int.from_bytes(said.parameters[k * wide : (k + 1) * wide], "little") for k in (0, 1)
        )
        meant = [k for k in said.parameters[2 * wide :] if k in self.servos and k not in self._deaf]
        read = [(k, self.servos[k].read(address, size, now) or b"") for k in meant]
        if said.code == packets.FAST_SYNC_READ:
            whole = self.protocol.fast_status([(k, self.servos[k].error, d) for k, d in read])
            return [(whole, self._delay(meant[0]))] if meant else []
        return [
            (self.protocol.status(k, self.servos[k].error, data), self._delay(k))
            for k, data in read
        ]

    def _write_all(self, said: Instruction, now: float) -> None:
        wide = self.protocol.WIDE
        address, size = (
            int.from_bytes(said.parameters[k * wide : (k + 1) * wide], "little") for k in (0, 1)
        )
        rest = said.parameters[2 * wide :]
        for at in range(0, len(rest) - size, size + 1):
            if rest[at] in self.servos and rest[at] not in self._deaf:
                self.servos[rest[at]].write(address, rest[at + 1 : at + 1 + size], now)

    def _delay(self, servo: int) -> float:
        """[s] of a servo before it answers."""
        return 2e-6 * self.servos[servo].get("return_delay_time")


def actuator_place(actuator: str) -> str | Path:
    """A name of the catalogue, or the path of a file, by how it ends."""
    return Path(actuator) if actuator.endswith(".toml") else actuator
