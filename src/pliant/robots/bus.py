"""Timing of a chain of modules on one RS-485 bus: when each gets its command and reports its position.

    bus = Bus(modules=12, baud=2_000_000)
    bus.command_delay(11)                                   6e-4 s
    actuators = on_bus({"j1": qbmove, "j2": qbmove}, bus)   with these delays

A packet is '::', id, length, command, payload, checksum; a byte is 10 bits on the line. The host
serves one module after the other.                                  compliant_actuators: 4.2

Left out: collisions, lost packets, the host holding measurements until the next sweep.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

from pliant.assemble import Actuator, with_law
from pliant.errors import PliantError

BITS_PER_BYTE = 10
SET_INPUTS = 10
"""[byte] Packet that commands a module."""
REQUEST, REPLY = 6, 12
"""[byte] Packets that ask for a measurement and bring three encoders."""
TURNAROUND = 50e-6
"""[s] Turnaround of the line from request to reply; no source, assumed."""


@dataclass(frozen=True, kw_only=True)
class Bus:
    """A sweep over `modules` modules.

    Attributes:
        baud: [bit/s] 2 000 000 or 460 800 of the qbmove. reads: whether each module is asked for
            its measurement after its command. host: [s] latency before the sweep; about 1 ms for
            USB adapters. turnaround: [s] of the line.
    """

    modules: int
    baud: float = 2e6
    reads: bool = False
    host: float = 0.0
    turnaround: float = TURNAROUND

    def __post_init__(self) -> None:
        if self.modules < 1 or not self.baud > 0.0 or min(self.host, self.turnaround) < 0.0:
            raise PliantError(
                "not a valid bus",
                field="Bus",
                found=self,
                accepted="1 module or more, baud > 0, times >= 0",
            )

    @property
    def sweep(self) -> float:
        """[s] Time on the line for all modules."""
        return self.modules * self._slot

    def command_delay(self, module: int) -> float:
        """[s] From the host's decision to when module 0, 1, ... has its whole command."""
        self._check(module)
        return self.host + module * self._slot + self._time(SET_INPUTS)

    @property
    def _slot(self) -> float:
        """[s] Time on the line for one module."""
        if not self.reads:
            return self._time(SET_INPUTS)
        return self._time(SET_INPUTS + REQUEST + REPLY) + self.turnaround

    def _time(self, size: int) -> float:
        return size * BITS_PER_BYTE / self.baud

    def _check(self, module: int) -> None:
        if not 0 <= module < self.modules:
            raise PliantError(
                "no such module on the bus",
                field="module",
                found=module,
                accepted=f"0 to {self.modules - 1}",
            )


def on_bus(actuators: Mapping[str, Actuator], bus: Bus) -> dict[str, Actuator]:
    """Copies of actuators with the command delay of their position on the bus.

    Args:
        actuators: joint to actuator, in the order of the modules. bus: whose delays they get.

    Raises:
        PliantError: there are more actuators than modules, or one has no port for a delay.
    """
    found: dict[str, Actuator] = {}
    for module, (joint, actuator) in enumerate(actuators.items()):
        delay = bus.command_delay(module)
        late = with_law(actuator, "timing", "command_delay")
        source = f"sweep of {bus.modules} modules at {bus.baud:g} baud (compliant_actuators: 4.2)"
        found[joint] = late.with_values({"timing.delay": delay}, source, "assumed")
    return found


WANDER = 60.0
"""[s] Time over which a bias of an encoder is forgotten."""
SPREAD = 15000
"""Difference between the seeds of the two encoders of a joint."""


def with_encoder(actuator: Actuator, bits: int = 12) -> Actuator:
    """Copy of `actuator` whose controllers read encoders of `bits` bits per turn.

    Raises:
        PliantError: the number of bits is not 1 to 24.
    """
    if not 1 <= bits <= 24:
        raise PliantError("no such encoder", field="bits", found=bits, accepted="1 to 24")
    for port in [port for port in actuator.laws if port.startswith("sensing")]:
        actuator = with_law(actuator, port, "encoder")
        quantum = {f"{port}.quantum": 2.0 * pi / 2**bits}
        source = f"{bits} bits to the turn (compliant_actuators: 4.2)"
        actuator = actuator.with_values(quantum, source, "datasheet")
    return actuator


def with_noise(
    actuator: Actuator, std: float, *, seed: int, bits: int | None = None, drift: float = 0.0
) -> Actuator:
    """Copy of `actuator` whose controllers read encoders with noise.

    Args:
        actuator: any with encoders.
        std: standard deviation of the white noise [rad].
        seed: of the noise; use a different one for each joint. The encoders of two motors get two.
        bits: resolution per turn; None for no quantisation.
        drift: standard deviation of a bias that wanders within a minute [rad].

    Raises:
        PliantError: a number is out of range.
    """
    quantum = 0.0 if bits is None else 2.0 * pi / 2**bits
    for k, port in enumerate(port for port in actuator.laws if port.startswith("sensing")):
        actuator = with_law(actuator, port, "noisy_encoder")
        values = {
            "std": std,
            "drift": drift,
            "wander": WANDER,
            "quantum": quantum,
            "seed": seed + SPREAD * k,
        }
        numbers = {f"{port}.{name}": float(value) for name, value in values.items()}
        actuator = actuator.with_values(numbers, "noise of the encoders", "assumed")
    return actuator
