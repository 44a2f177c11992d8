"""A chain of modules on one RS-485 bus: when each receives its command and reports its position.

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

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import Actuator, with_law
from pliant.errors import PliantError

__all__ = ["Board", "Bus", "on_bus", "with_encoder"]

BITS_PER_BYTE = 10
SET_INPUTS = 10
"""[byte] Packet that commands a module."""
REQUEST, REPLY = 6, 12
"""[byte] Packets that ask for a measurement and bring three encoders."""
TURNAROUND = 50e-6
"""[s] Of the line from request to reply; no source, assumed."""


@dataclass(frozen=True, kw_only=True)
class Bus:
    """A sweep over `modules` modules.

    Attributes:
        baud: [bit/s] 2 000 000 or 460 800 of the qbmove. reads: whether each module is asked for
            its measurement after its command. host: [s] latency before the sweep; USB adapters have
            some 1 ms. turnaround: [s] of the line.
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

    def measurement_delay(self, module: int) -> float:
        """[s] From the start of a sweep to when the host has the module's measurement.

        Raises:
            PliantError: there is no such module, or the bus measures nothing.
        """
        self._check(module)
        if not self.reads:
            raise PliantError("nothing is measured", field="reads", found=False, accepted="True")
        return self.host + (module + 1) * self._slot

    @property
    def _slot(self) -> float:
        """[s] Of one module."""
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


def on_bus(
    actuators: Mapping[str, Actuator], bus: Bus, places: Mapping[str, int] | None = None
) -> dict[str, Actuator]:
    """Copies of actuators with the command delay of their place on the bus.

    Args:
        actuators: joint to actuator. places: joint to module; the order of `actuators`, if None.
        bus: whose delays they get.

    Raises:
        PliantError: an actuator is not on the bus, or no port for a delay.
    """
    order = dict(zip(actuators, range(len(actuators)), strict=True)) if places is None else places
    found: dict[str, Actuator] = {}
    for joint, actuator in actuators.items():
        if joint not in order:
            raise PliantError("is not on the bus", field=f"joint {joint}", accepted=order)
        delay = bus.command_delay(order[joint])
        late = with_law(actuator, "timing", "command_delay")
        source = f"sweep of {bus.modules} modules at {bus.baud:g} baud (compliant_actuators: 4.2)"
        found[joint] = late.with_values({"timing.delay": delay}, source, "assumed")
    return found


@dataclass(frozen=True, kw_only=True)
class Board:
    """Board of a module, which reports currents and supply of its motors in steps.

        current, supply = Board().read(robot.power.current, 24.0)

    Attributes:
        current: step of the current [A]. The paper of the qbmove prints 5/1638 mA (II-A); its makers' firmware takes
            2.4 mA for a step (NMMI/qbmove-advanced, interruptions.c), so that A must be meant. supply: step of
            the voltage [V].
    """

    current: float = 5.0 / 1638
    supply: float = 15.4e-3

    def read(self, current: ArrayLike, supply: ArrayLike) -> tuple[Floats, Floats]:
        """Currents [A] and voltages [V] of any shape, to the nearest steps; NaN stays."""
        pairs = ((current, self.current), (supply, self.supply))
        amperes, volts = (step * np.floor(np.asarray(x) / step + 0.5) for x, step in pairs)
        return amperes, volts


WANDER = 60.0
"""[s] Time over which a bias of an encoder is forgotten."""
SPREAD = 15000
"""Seeds between those of the two encoders of a joint."""


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
        std: standard deviation of the white part [rad].
        seed: of its noise; another for each joint. The encoders of two motors get two.
        bits: to the turn; None for no steps.
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
