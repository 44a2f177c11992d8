"""The line to servos, and the clock beside it: a serial port, or emulated servos in virtual time."""

import importlib
import os
import select
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from pliant.record.emulated_wire import Emulated, EmulatedWire, Faults

SHARE = 1e-4
"""[s] That a program takes for a packet, in virtual time."""
REST = 1e-6
"""[s] With the time to wake up it becomes some 60 µs."""
WAIT = 1e-3
"""[s] For bytes, before a reader looks at its time limit."""


class Line(Protocol):
    """A way to servos, and the time there."""

    name: str
    """Port, as messages name it."""
    lasting: bool
    """Whether servos are there, and powered, after this process has ended."""

    def handler(self, sdk: Any) -> Any:
        """The port for a maker's SDK."""
        ...

    def now(self) -> float:
        """Monotonic time [s]."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def rest(self) -> None:
        """Leave the core for a moment to the thread of the kernel that carries bytes on."""
        ...


class SerialLine:
    """A serial port, or a URL that pyserial knows ("socket://HOST:PORT"), and the system's clock."""

    lasting = True

    def __init__(self, name: str) -> None:
        self.name = name

    def handler(self, sdk: Any) -> Any:
        """The port for a maker's SDK."""

        class Handler(sdk.PortHandler):
            answered = True
            """Whether an answer comes to what is sent next: what is there before it would be taken for it."""

            def clearPort(self) -> None:  # noqa: N802 - the SDK's names
                # Feetech's waits for what is sent instead, and takes a late answer for that to the next question.
                if self.answered:
                    self.ser.reset_input_buffer()

            def readPort(self, length: int) -> bytes:  # noqa: N802
                # The SDK asks again and again, and would take the core that the kernel needs to bring the bytes.
                if not hasattr(self.ser, "fd"):  # Windows; a URL
                    return bytes(self.ser.read(length))
                if not select.select([self.ser.fd], [], [], WAIT)[0]:
                    return b""
                if not (found := os.read(self.ser.fd, length)):
                    raise OSError("it was closed")
                return found

            def writePort(self, packet: Sequence[int]) -> int:  # noqa: N802
                # pyserial would ask the port whether it takes more, and so wait for the kernel's thread.
                if not hasattr(self.ser, "fd"):
                    return int(self.ser.write(bytes(packet)))
                return os.write(self.ser.fd, bytes(packet))

            def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802
                if "://" in self.port_name:
                    self.ser = importlib.import_module("serial").serial_for_url(self.port_name)
                    self.is_open, self.tx_time_per_byte = True, 1e4 / self.baudrate
                    if (line := getattr(self.ser, "_socket", None)) is not None:
                        # TCP would keep a question back until the last one is acknowledged, 40 ms.
                        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    done = True
                else:
                    done = sdk.PortHandler.setupPort(self, cflag_baud)
                if not hasattr(self.ser, "fd"):
                    self.ser.timeout = WAIT
                # Adapters hold bytes back for up to 16 ms unless asked not to; other ports refuse, and need not.
                with suppress(AttributeError, OSError, ValueError, NotImplementedError):
                    self.ser.set_low_latency_mode(True)
                return bool(done)

        return Handler(self.name)

    def now(self) -> float:
        """Monotonic time [s]."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def rest(self) -> None:
        """Leave the core to the kernel. Not on Windows, whose shortest sleep is longer than an exchange."""
        if os.name == "posix":
            time.sleep(REST)


class VirtualLine:
    """Emulated servos in this process; time is counted, not waited for.

    Bytes take the time of the wire, servos their delays, and each packet `SHARE` for the program. So a
    recording is as fast as its simulation, and the same every time.

    Args:
        servos: on the line. baud: [1/s]. faults: that happen by themselves.

    Raises:
        PliantError: the servos cannot be emulated on one wire.
    """

    name = "virtual time"
    lasting = False

    def __init__(
        self, servos: Sequence[Emulated], baud: int = 1_000_000, faults: Faults | None = None
    ) -> None:
        self.wire = EmulatedWire(servos, baud, faults or Faults())
        self._time = 0.0
        self._coming: list[tuple[float, bytes]] = []
        self._here = bytearray()

    def handler(self, sdk: Any) -> Any:
        """The port for a maker's SDK: all of it but the system's port is the maker's."""
        line = self

        class Handler(sdk.PortHandler):
            def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802 - the SDK's names
                self.is_open = True
                self.tx_time_per_byte = 1e4 / self.baudrate
                return True

            def closePort(self) -> None:  # noqa: N802
                self.is_open = False

            def clearPort(self) -> None:  # noqa: N802
                line.clear()

            def getBytesAvailable(self) -> int:  # noqa: N802
                return line.waiting()

            def readPort(self, length: int) -> bytes:  # noqa: N802
                return line.read(length)

            def writePort(self, packet: Sequence[int]) -> int:  # noqa: N802
                line.write(bytes(packet))
                return len(packet)

            def getCurrentTime(self) -> float:  # noqa: N802
                return 1e3 * line.now()

        return Handler(self.name)

    def now(self) -> float:
        """Virtual time [s]."""
        return self._time

    def sleep(self, seconds: float) -> None:
        """Count on."""
        self._time += seconds

    def rest(self) -> None:
        """Nothing: no kernel carries these bytes."""

    def write(self, packet: bytes) -> None:
        """Send bytes; the wire may still be busy with others."""
        self._time += SHARE
        self._coming += self.wire.answers(packet, self._time)

    def read(self, length: int) -> bytes:
        """At most `length` bytes; where none are there, time goes on until some are."""
        self._arrive()
        if not self._here:
            self._time = self._coming[0][0] if self._coming else self._time + WAIT
            self._arrive()
        found = bytes(self._here[:length])
        del self._here[:length]
        return found

    def waiting(self) -> int:
        """Bytes that are there."""
        self._arrive()
        return len(self._here)

    def clear(self) -> None:
        """Forget what is there."""
        self._arrive()
        self._here.clear()

    def _arrive(self) -> None:
        while self._coming and self._coming[0][0] <= self._time:
            self._here += self._coming.pop(0)[1]
