"""An emulated bus: servos at a port, at the pace of a wire, with faults on request.

    with EmulatedBus([Emulated("xl330_bam_m6", "xl330", 1)]) as bus:
        line = SerialLine(bus.port)  # where it is a pseudo-terminal, the maker's PortHandler does too

The servos live in a process of their own, so that they keep time whatever the reader does.
"""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from queue import SimpleQueue
from typing import Any, Protocol

from pliant.errors import PliantError
from pliant.processes import APART
from pliant.record.emulated_wire import Emulated, EmulatedWire, Faults, family_of

MOST = 4096
"""[bytes] Read at once."""


class Port(Protocol):
    """The bytes between servos and a program.

    Attributes:
        name: that pyserial opens.
    """

    name: str

    def read(self, wait: float) -> bytes:
        """Bytes that came within `wait` [s]; none if there were none."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes."""
        ...


def emulated_port() -> Port:
    """The port that this system has."""
    try:
        return PseudoTerminal()
    except ImportError:
        return TcpPort()


class PseudoTerminal:
    """A serial port as programs know it; ImportError on Windows."""

    def __init__(self) -> None:
        import pty
        import tty

        self._leader, follower = pty.openpty()
        tty.setraw(follower)
        self.name = os.ttyname(follower)

    def read(self, wait: float) -> bytes:
        """Bytes that came within `wait` [s]."""
        if not select.select([self._leader], [], [], wait)[0]:
            return b""
        try:
            return os.read(self._leader, MOST)
        except OSError:  # nobody has the port open
            time.sleep(0.01)
            return b""

    def write(self, data: bytes) -> None:
        """Send bytes."""
        os.write(self._leader, data)


class TcpPort:
    """A port of the loopback interface; who came last is answered."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self._line: socket.socket | None = None
        self.name = f"socket://127.0.0.1:{self._door.getsockname()[1]}"

    def read(self, wait: float) -> bytes:
        """Bytes that came within `wait` [s]."""
        ends = [self._door] if self._line is None else [self._door, self._line]
        ready = select.select(ends, [], [], wait)[0]
        if self._door in ready:
            self._leave()
            self._line, _ = self._door.accept()
            self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        elif self._line is not None and ready:
            with suppress(OSError):
                if data := self._line.recv(MOST):
                    return data
            self._leave()
        return b""

    def write(self, data: bytes) -> None:
        """Send bytes."""
        if self._line is not None:
            with suppress(OSError):  # it has hung up: `read` finds that out
                self._line.sendall(data)

    def _leave(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


IDLE = 0.005
"""[s] After which the simulations go on without being asked."""
SPIN = 3e-4
"""[s] Before an answer is due, and after it, in which the process does not sleep: a wire is there at once, a
process wakes late."""
TOGETHER = 12
"""[bytes] At the end of an answer that are given at once. Those before come earlier, as a serial port passes
them on: its reader is awake when the last are there."""
REST = 3e-5
"""[s] After an answer: the kernel's thread that carries its bytes on may need this very core."""


@dataclass
class EmulatedBus:
    """A bus whose servos answer at `port`, which `SerialLine` opens.

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
        self.family = family_of(self.servos)

    def __enter__(self) -> "EmulatedBus":
        """Start the servos, and wait until they answer."""
        # A program of its own, not a fork: it needs nothing of the caller's, whose main may not be imported.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pliant.record.emulated_bus"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **APART,
        )
        try:
            said = self._exchanged(
                {
                    "servos": [asdict(one) for one in self.servos],
                    "baud": self.baud,
                    "faults": asdict(self.faults),
                }
            )
            if "port" not in said:
                raise PliantError(str(said.get("error", "the emulated servos did not start")))
        except BaseException:  # Ctrl-C too: what was not entered is not left either
            self.pull()
            raise
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

    def __exit__(self, *_: object) -> None:
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
    line = sys.stdin.readline()
    if not line:
        return
    asked = json.loads(line)
    servos = [Emulated(**one) for one in asked["servos"]]
    try:
        wire = EmulatedWire(servos, asked["baud"], Faults(**asked["faults"]))
    except PliantError as error:
        _say({"error": str(error)})
        return
    _serve(wire)


def _say(said: object) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def _serve(wire: EmulatedWire) -> None:
    """Answer at a port, until the standard input ends."""
    port, lines = emulated_port(), SimpleQueue[str]()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    _say({"port": port.name})
    awake, wait = 0.0, IDLE
    while True:
        told = port.read(wait)
        now = time.monotonic()
        if not told and wait == IDLE:
            wire.advance(now)
        if not lines.empty():
            if not (line := lines.get()):
                return
            said = json.loads(line)
            _say(wire.asked(said["what"], said["servo"], now))
        if told:
            for due, piece in wire.answers(told, now):
                if early := piece[:-TOGETHER]:
                    _wait_until(due - TOGETHER * wire.byte)
                    port.write(early)
                _wait_until(due)
                port.write(piece[-TOGETHER:])
            awake, wait = time.monotonic() + SPIN, REST
            continue
        wait = 0.0 if now < awake else IDLE


def _listen(lines: SimpleQueue[str]) -> None:
    """Pass on what is said to the bus, an empty line at the end: Windows cannot wait for a pipe and a port."""
    while line := sys.stdin.readline():
        lines.put(line)
    lines.put("")


def _wait_until(due: float) -> None:
    """Sleep until shortly before a time, and wake for the rest."""
    if (left := due - time.monotonic() - SPIN) > 0.0:
        time.sleep(left)
    while time.monotonic() < due:
        pass


if __name__ == "__main__":
    with suppress(OSError):  # whoever asked for the bus is gone
        main()
    os._exit(0)  # the thread may still listen, and Python would abort while it takes that down
