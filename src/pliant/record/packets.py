"""Packets of the two protocols, as a servo sees them: Dynamixel 2.0 and Feetech STS.

Written from ROBOTIS' e-Manual, "Protocol 2.0", and Feetech's "Communication protocol user manual".

    Dynamixel   FF FF FD 00 | id | length (2) | instruction | parameters | CRC-16
    Feetech     FF FF | id | length | instruction | parameters | ~sum
"""

from collections.abc import Sequence
from dataclasses import dataclass

BROADCAST = 0xFE
PING, READ, WRITE, REBOOT = 0x01, 0x02, 0x03, 0x08
SYNC_READ, SYNC_WRITE, FAST_SYNC_READ = 0x82, 0x83, 0x8A
STATUS = 0x55
LONGEST = 1024
"""[bytes] A packet that says it is longer is noise."""


@dataclass(frozen=True)
class Instruction:
    """One instruction to a servo, or to all."""

    servo: int
    code: int
    parameters: bytes


class Dynamixel:
    """Protocol 2.0: numbers have two bytes, FD is stuffed, a CRC ends a packet."""

    WIDE = 2
    HEAD = b"\xff\xff\xfd\x00"

    @staticmethod
    def taken(buffer: bytearray) -> Instruction | None:
        """The next whole packet, taken out of the buffer; noise before it is dropped."""
        while True:
            at = buffer.find(Dynamixel.HEAD)
            if at < 0:
                del buffer[:-3]
                return None
            del buffer[:at]
            if len(buffer) < 7:
                return None
            length = int.from_bytes(buffer[5:7], "little")
            if not 3 <= length <= LONGEST:
                del buffer[:1]
                continue
            if len(buffer) < 7 + length:
                return None
            packet = bytes(buffer[: 7 + length])
            del buffer[: 7 + length]
            if crc16(packet[:-2]) == int.from_bytes(packet[-2:], "little"):
                body = packet[8:-2].replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")
                return Instruction(packet[4], packet[7], body)

    @staticmethod
    def status(servo: int, error: int, parameters: bytes) -> bytes:
        """The answer of a servo."""
        body = bytes([STATUS, error]) + parameters.replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        packet = Dynamixel.HEAD + bytes([servo]) + (len(body) + 2).to_bytes(2, "little") + body
        return packet + crc16(packet).to_bytes(2, "little")

    @staticmethod
    def fast_status(answers: Sequence[tuple[int, int, bytes]]) -> bytes:
        """One packet with the answers of all servos (id, error, data) to a fast sync read."""
        first = True
        packet = b""
        size = sum(len(data) + 4 for _, _, data in answers)
        for servo, error, data in answers:
            if first:
                packet = Dynamixel.HEAD + bytes([BROADCAST]) + (size + 1).to_bytes(2, "little")
                packet += bytes([STATUS])
                first = False
            packet += bytes([error, servo]) + data
            packet += crc16(packet).to_bytes(2, "little")
        return packet


class Feetech:
    """Feetech's protocol: numbers have one byte, an inverted sum ends a packet."""

    WIDE = 1
    HEAD = b"\xff\xff"

    @staticmethod
    def taken(buffer: bytearray) -> Instruction | None:
        """See `Dynamixel.taken`."""
        while True:
            at = buffer.find(Feetech.HEAD)
            if at < 0:
                del buffer[:-1]
                return None
            del buffer[:at]
            if len(buffer) < 4:
                return None
            length = buffer[3]
            if buffer[2] == 0xFF or length < 2:
                del buffer[:1]
                continue
            if len(buffer) < 4 + length:
                return None
            packet = bytes(buffer[: 4 + length])
            del buffer[: 4 + length]
            if packet[-1] == checksum(packet[2:-1]):
                return Instruction(packet[2], packet[4], packet[5:-1])

    @staticmethod
    def status(servo: int, error: int, parameters: bytes) -> bytes:
        """The answer of a servo."""
        body = bytes([servo, len(parameters) + 2, error]) + parameters
        return Feetech.HEAD + body + bytes([checksum(body)])


def checksum(data: bytes) -> int:
    """The inverted sum of bytes."""
    return ~sum(data) & 0xFF


def crc16(data: bytes) -> int:
    """CRC-16 of the polynomial 0x8005, first bit first, from 0."""
    crc = 0
    for byte in data:
        crc = (crc << 8) & 0xFFFF ^ _TABLE[(crc >> 8 ^ byte) & 0xFF]
    return crc


def _row(byte: int) -> int:
    crc = byte << 8
    for _ in range(8):
        crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


_TABLE = [_row(byte) for byte in range(256)]
