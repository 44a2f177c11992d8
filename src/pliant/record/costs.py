"""Time that each reading takes on a bus, measured before a recording.

One packet reads the registers of all readings and those between them, so some readings cost nothing.
"""

from collections.abc import Mapping
from statistics import median

from pliant.record.recorder import Session
from pliant.record.sdk_bus import ServoBus

REPEATED = 15
"""Readings of each kind, one after the other, of which the median counts."""
LEAST = 5e-6
"""[s] Smaller costs count as zero, as do those within the spread of equal readings."""
WAITING = "return delay"
"""The servos' own wait before they answer, by the register that sets it."""


def reading_costs(bus: ServoBus, session: Session) -> dict[str, float]:
    """Seconds of a whole reading ("all"), of its `WAITING`, and the saving without each channel."""
    model = session.model
    names = [name for name, register in model.channels.items() if register in session.registers]
    registers = {name: model.channels[name] for name in names}
    kinds = {"all": list(registers.values())} | {
        name: [register for other, register in registers.items() if other != name]
        for name in names
        if name != "position" and len(names) > 1
    }
    # In turns: a temporary disturbance of the bus or this machine then affects all of them equally.
    rounds = [{kind: _time(bus, read) for kind, read in kinds.items()} for _ in range(REPEATED)]
    typical = {kind: median(one[kind] for one in rounds) for kind in kinds}
    whole = typical.pop("all")
    spread = median(abs(one["all"] - whole) for one in rounds)
    saved = {name: whole - time for name, time in typical.items()}
    costs = {name: cost if cost > max(LEAST, spread) else 0.0 for name, cost in saved.items()}
    return {"all": whole, WAITING: waiting(bus)} | costs


def waiting(bus: ServoBus) -> float:
    """[s] of a reading in which the servos wait before they answer, by their registers.

    Raises:
        PliantError: a servo does not answer.
    """
    name = "return_delay_time"
    return bus.model.register(name).scale * sum(bus.get(servo, name) for servo in bus.servos)


def told(costs: Mapping[str, float]) -> str:
    """One line of it for people."""
    parts = [
        f"{name} {1e3 * cost:.2f}" for name, cost in costs.items() if name != "all" and cost > 0.0
    ]
    of_it = f", of it {', '.join(parts)} ms" if parts else ""
    return f"a reading takes {1e3 * costs['all']:.2f} ms{of_it}; other channels cost nothing extra"


def _time(bus: ServoBus, registers: list[str]) -> float:
    begin = bus.line.now()
    bus.read(registers)
    return bus.line.now() - begin
