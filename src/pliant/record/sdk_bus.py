"""Servos on a real port, by their makers' own programs: dynamixel-sdk, feetech-servo-sdk.

The two have the same form, so that one class serves both.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.record.line import Line
from pliant.record.tables import Model, Register

_port_error: type[Exception] = OSError
with suppress(ImportError):  # Windows
    import termios

    _port_error = termios.error  # which pyserial passes on

EXTRA = "record"
_MODULES = {"dynamixel": ("dynamixel_sdk", 2.0), "feetech": ("scservo_sdk", 0)}
RETRIES = 3
"""Attempts to read a register before its servo counts as lost."""
SETTLED = 0.05
"""[s] In which an answer that is late still comes: the next question would take it for its own."""


@dataclass(frozen=True)
class Sample:
    """One reading of all servos.

    Attributes:
        begin, end: monotonic time [s] before and after it. data: servo to the bytes that it sent; None
            where the bus did not answer. first: address of the first byte. registers: in the bytes.
    """

    begin: float
    end: float
    data: Mapping[int, bytes] | None
    first: int
    registers: Mapping[str, Register]

    @cached_property
    def counts(self) -> dict[int, dict[str, int]] | None:
        """Servo to register to count."""
        if self.data is None:
            return None
        places = [
            (name, one, one.address - self.first, one.address - self.first + one.size)
            for name, one in self.registers.items()
        ]
        return {
            servo: {
                name: one.decoded(int.from_bytes(raw[at:end], "little"))
                for name, one, at, end in places
            }
            for servo, raw in self.data.items()
        }


class ServoBus:
    """A port with servos of one kind.

    Args:
        line: to the servos. baud: [1/s]. model: of the servos. servos: their ids.
        registers: that each sample reads, in one packet.

    Raises:
        PliantError: the SDK is not installed, the port cannot be opened, or a servo does not answer.
    """

    def __init__(
        self, line: Line, baud: int, model: Model, servos: Sequence[int], registers: Sequence[str]
    ) -> None:
        name, protocol = _MODULES[model.family]
        self._sdk = extra_module(name, EXTRA)
        self.model, self.servos = model, tuple(servos)
        self._registers = {one: model.register(one) for one in registers}
        self._first = min(one.address for one in self._registers.values())
        self._size = max(one.address + one.size for one in self._registers.values()) - self._first
        self.line = line
        self._port: Any = line.handler(self._sdk)
        self._to: Any = self._sdk.PacketHandler(protocol)
        try:
            if not (self._port.openPort() and self._port.setBaudRate(baud)):
                raise PliantError("cannot be opened at this rate", file=line.name, found=baud)
        except PliantError:
            raise
        except (OSError, ValueError, _port_error) as error:
            raise PliantError(f"cannot be opened: {error}", file=line.name) from None
        self._read: Any = self._sdk.GroupSyncRead(self._port, self._to, self._first, self._size)
        goal = model.register("goal_position")
        self._write: Any = self._sdk.GroupSyncWrite(self._port, self._to, goal.address, goal.size)
        for servo in self.servos:
            self._check(servo)
            self._read.addParam(servo)

    def close(self) -> None:
        """Give the port back."""
        self._port.closePort()

    def clear(self) -> None:
        """Forget an exchange that was interrupted: the SDK would take the port for busy."""
        self._port.is_using = False
        self._called(self._port.clearPort)

    def get(self, servo: int, register: str) -> int:
        """The count in a register.

        Raises:
            PliantError: the servo does not answer.
        """
        one = self.model.register(register)
        ask = {1: "read1ByteTxRx", 2: "read2ByteTxRx", 4: "read4ByteTxRx"}[one.size]
        for _ in range(RETRIES):
            raw, result, _error = self._asked(ask, servo, one.address)
            if result == 0:
                return one.decoded(int(raw))
            self.line.sleep(SETTLED)
        raise PliantError("does not answer", field=f"servo {servo}", found=register)

    def peek(self, servo: int, register: str) -> int | None:
        """The count in a register of one byte, asked for once; None without an answer.

        Raises:
            PliantError: the port is gone.
        """
        one = self.model.register(register)
        raw, result, _error = self._asked("read1ByteTxRx", servo, one.address)
        return one.decoded(int(raw)) if result == 0 else None

    def put(self, servo: int, register: str, count: int) -> None:
        """Write a register, and read it back.

        Raises:
            PliantError: the servo does not answer, or keeps another number.
        """
        one = self.model.register(register)
        tell = {1: "write1ByteTxRx", 2: "write2ByteTxRx", 4: "write4ByteTxRx"}[one.size]
        for _ in range(RETRIES):
            result, _error = self._asked(tell, servo, one.address, one.encoded(count))
            if result == 0:
                break
            self.line.sleep(SETTLED)
        if (found := self.get(servo, register)) != count:
            raise PliantError(
                "holds another value than was written",
                field=f"servo {servo}, {register}",
                found=found,
                accepted=str(count),
            )

    def kept(self, servo: int) -> dict[str, int]:
        """All registers of a servo, as they are now."""
        return {name: self.get(servo, name) for name in self.model.registers}

    def tell(self, goals: Mapping[int, int]) -> tuple[float, float]:
        """Give servos goals [counts] in one packet; monotonic times before and after [s].

        Raises:
            PliantError: the port is gone.
        """
        goal = self.model.register("goal_position")
        self._write.clearParam()
        for servo, count in goals.items():
            raw = goal.encoded(count).to_bytes(goal.size, "little")
            self._write.addParam(servo, list(raw))
        begin = self.line.now()
        # The wire waits for the goals: nothing is cleared away before them.
        self._port.answered = False
        try:
            self._called(self._write.txPacket)
        finally:
            self._port.answered = True
        return begin, self.line.now()

    def read(self, registers: Sequence[str]) -> None:
        """Read these registers of all servos once, to see how long it takes.

        Raises:
            PliantError: the port is gone.
        """
        spans = [self.model.register(name) for name in registers]
        first = min(one.address for one in spans)
        size = max(one.address + one.size for one in spans) - first
        group: Any = self._sdk.GroupSyncRead(self._port, self._to, first, size)
        for servo in self.servos:
            group.addParam(servo)
        self._called(group.txRxPacket)

    def ask(self) -> None:
        """Ask all servos for a reading in one packet; `answer` has it.

        Until then the wire is busy, and the program is free: what a sample needs is done here, so that
        the next packet does not wait for it.

        Raises:
            PliantError: the port is gone.
        """
        self._asked_at = self.line.now()
        self._sent = self._called(self._read.txPacket)
        self.line.rest()

    def answer(self) -> Sample:
        """The reading that was asked for.

        Raises:
            PliantError: the port is gone.
        """
        result = self._called(self._read.rxPacket) if self._sent == 0 else self._sent
        end = self.line.now()
        data = {k: bytes(self._read.data_dict[k]) for k in self.servos}
        whole = result == 0 and all(len(one) == self._size for one in data.values())
        return Sample(self._asked_at, end, data if whole else None, self._first, self._registers)

    def sample(self) -> Sample:
        """Read all servos in one packet: `ask` and `answer`."""
        self.ask()
        return self.answer()

    def _check(self, servo: int) -> None:
        """Refuse a servo that does not answer, or is of another kind."""
        number = self.get(servo, "model_number")
        if number not in self.model.numbers:
            raise PliantError(
                f"is not a {self.model.name}: it has another model number",
                field=f"servo {servo}",
                found=number,
                accepted=", ".join(map(str, self.model.numbers)),
            )

    def _asked(self, name: str, *given: int) -> Any:
        return self._called(lambda: getattr(self._to, name)(self._port, *given))

    def _called(self, call: Any) -> Any:
        """Call the SDK; a port that is gone raises whatever its system does."""
        try:
            return call()
        except (OSError, ValueError, TypeError, AttributeError, _port_error) as error:
            self._port.is_using = False
            raise PliantError(f"the port is gone: {error}", file=self._port.port_name) from None
