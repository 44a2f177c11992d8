"""Modules of the qbmove Maker Pro on their serial bus."""

from pliant.assemble import Actuator
from pliant.io.actuator_file import load_actuator
from pliant.robots.bus import Bus, on_bus, with_encoder

SOURCES = {
    "BAUD": "assumed: the slower one of the device's two",
    "HOST": "assumed: a USB adapter's",
}
"""Place of each number in the paper, or "assumed"."""

BAUD, HOST = 460800.0, 1e-3
"""Baud rate [1/s], and latency of the host before it [s]."""


def modules(
    actuator: str, count: int = 1, baud: float = BAUD, host: float = HOST
) -> list[Actuator]:
    """Modules on one bus, as real ones are: late commands, motors seen through 12 bits."""
    one = with_encoder(load_actuator(actuator))
    bus = Bus(modules=count, baud=baud, host=host)
    return list(on_bus({str(k): one for k in range(count)}, bus).values())
