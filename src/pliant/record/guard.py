"""Guard of a recording: a process that switches torque off if the recorder dies.

`python -m pliant.record.guard PORT BAUD MODEL IDS`; it waits on its standard input. A line "done" means
that the recorder has left the servos in a safe state. If the input ends without it, the recorder has died,
for example by kill -9, and the guard takes over the port.
"""

import signal
import subprocess
import sys
from collections.abc import Sequence

from pliant.errors import PliantError
from pliant.processes import APART
from pliant.record.line import SerialLine
from pliant.record.sdk_bus import ServoBus
from pliant.record.tables import Model, model_of


class Guard:
    """The guard's process, from the side of the recorder."""

    def __init__(self, port: str, baud: int, model: Model, servos: Sequence[int]) -> None:
        words = [port, str(baud), model.name, ",".join(map(str, servos))]
        self._process = subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, "-m", "pliant.record.guard", *words],
            stdin=subprocess.PIPE,
            **APART,
        )

    def dismiss(self) -> None:
        """Report that the servos are safe; the guard ends."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"done\n")
            self._process.stdin.close()
        except OSError:
            pass
        self._process.wait()


def main(words: Sequence[str]) -> None:
    """Wait for the recorder to end, and switch torque off if it died."""
    port, baud, model, servos = words
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.stdin.buffer.readline() == b"done\n":
        return
    numbers = [int(number) for number in servos.split(",")]
    for _ in range(5):
        try:
            release(port, int(baud), model_of(model), numbers)
        except PliantError:
            continue
        return


def release(port: str, baud: int, model: Model, servos: Sequence[int]) -> None:
    """Take torque off.

    Raises:
        PliantError: the port or a servo does not answer.
    """
    bus = ServoBus(SerialLine(port), baud, model, servos, ["present_position"])
    try:
        for servo in servos:
            bus.put(servo, "torque_enable", 0)
    finally:
        bus.close()


if __name__ == "__main__":
    main(sys.argv[1:])
