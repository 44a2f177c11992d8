"""The port of an emulated bus: a pseudo-terminal; on a system without one, TCP on this machine alone."""

import os
import select
import socket
import time
from contextlib import suppress
from typing import Protocol

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
