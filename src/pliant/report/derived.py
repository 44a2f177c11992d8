"""Figures that a data sheet would state, from the laws of an actuator and their numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import ports
from pliant.lower.law import lower_law, plain

FULL = 1e6
"""A goal far enough to drive every controller to its limit."""
FASTEST = 1e3
"""[rad/s] A joint that would turn faster has no speed limit of its own."""
STRONGEST = 1e4
"""[N m] A joint whose friction holds more than this against its motor is locked."""


@dataclass(frozen=True, kw_only=True)
class Derived:
    """None: the actuator has no such figure (no speed limit, no friction budget, locks itself).

    Attributes:
        motor_torque: of the motor at standstill, at full command and nominal supply [N m].
        stall_torque: the rest of it at the joint after static friction: the largest load that the
            joint can start to lift from rest [N m].
        no_load_speed: at full command, at which friction balances the motor's torque [rad/s].
        breakaway_torque: motor torque that starts the unloaded joint moving [N m].
        backdrive_torque: load torque that starts the unpowered joint moving [N m].
    """

    motor_torque: float
    stall_torque: float | None
    no_load_speed: float | None
    breakaway_torque: float | None
    backdrive_torque: float | None

    def rows(self) -> list[tuple[str, float | None, str]]:
        """Name, value, unit."""
        return [
            ("motor torque at standstill, full command", self.motor_torque, "N m"),
            ("stall torque at the joint, friction deducted", self.stall_torque, "N m"),
            ("no-load speed", self.no_load_speed, "rad/s"),
            ("breakaway torque of the motor, at rest, no load", self.breakaway_torque, "N m"),
            ("backdrive torque of the load, at rest, motor off", self.backdrive_torque, "N m"),
        ]


def friction_budget(actuator: Actuator, v: Any, tau_m: Any, tau_e: Any) -> Floats:
    """The largest friction torque [N m] of an actuator; the other arguments are broadcast against each other."""
    budget, rows = _budget(actuator), np.broadcast(v, tau_m, tau_e)
    return np.array([budget(*map(float, row)) for row in rows]).reshape(rows.shape)


def _budget(actuator: Actuator) -> Callable[[float, float, float], float]:
    equations = plain(actuator)
    p, budget = equations["load_parameters"](actuator.values.tolist(), 0), equations["budget"]
    return lambda v, tau_m, tau_e: budget(v, tau_m, tau_e, p)


def has_budget(actuator: Actuator) -> bool:
    """Whether its friction is a budget: one with a memory has no diagram and no breakaway curve."""
    return "friction_budget" in ports(actuator.topology).values()


def derived(actuator: Actuator) -> Derived:
    """The figures of `actuator` at its nominal supply."""
    torque = torque_at_full_command(actuator)
    stall = float(torque(0.0))
    if not has_budget(actuator):
        return Derived(
            motor_torque=stall,
            stall_torque=None,
            no_load_speed=None,
            breakaway_torque=None,
            backdrive_torque=None,
        )

    budget = _budget(actuator)
    # It lifts a load as long as tau_m - load exceeds the budget, and turns freely as long as tau_m does.
    return Derived(
        motor_torque=stall,
        stall_torque=zero(lambda load: load - stall + budget(0.0, stall, -load), stall),
        no_load_speed=zero(lambda v: budget(v, torque(v), 0.0) - torque(v), FASTEST),
        breakaway_torque=zero(lambda tau: tau - budget(0.0, tau, 0.0), STRONGEST),
        backdrive_torque=zero(lambda tau: tau - budget(0.0, 0.0, tau), STRONGEST),
    )


def torque_at_full_command(actuator: Actuator) -> Callable[[float], float]:
    """Torque [N m] of the motor, of two the first, at a speed, at full command; 0 without any."""
    whole = at_full_command(actuator)
    return lambda v: whole(v)[0]


def at_full_command(actuator: Actuator) -> Callable[[float], tuple[float, float]]:
    """Torque [N m] and electrical power [W] of the motor, of two the first, at a speed."""
    own = actuator.numbers
    chain = ("control", "driver", "motor")
    at = {port: port if port in actuator.laws else f"{port}_1" for port in chain}
    if at["motor"] not in actuator.laws:
        return lambda v: (0.0, 0.0)
    parts = {port: lower_law(actuator.laws[at[port]], "python") for port in chain}
    p = {
        port: law.structures["P"](
            *(own[f"{at[port]}.{field.name}"].value for field in actuator.laws[at[port]].parameters)
        )
        for port, law in parts.items()
    }
    control, driver, motor = (parts[port].functions for port in chain)
    supply = own["own.voltage"].value if "own.voltage" in own else 0.0
    start = control["start"](FULL, p["control"])

    def torque_and_power(v: float) -> tuple[float, float]:
        command = control["command"](start, FULL, 0.0, v, p["control"])
        bus = driver["bus"](
            command,
            supply,
            motor["back_emf"](v, p["motor"]),
            motor["resistance"](p["motor"]),
            p["driver"],
        )
        current = motor["current"](command, 1.0, v, bus, p["motor"])
        voltage = current * motor["resistance"](p["motor"]) + motor["back_emf"](v, p["motor"])
        return motor["torque"](command, 1.0, v, bus, p["motor"]), current * voltage

    return torque_and_power


def zero(f: Callable[[float], float], high: float) -> float | None:
    """Root between 0 and `high` where `f` rises through zero, 0 where it is above already; None if there is none."""
    if high <= 0.0 or f(high) < 0.0:
        return None
    if f(0.0) >= 0.0:
        return 0.0
    low = 0.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if f(middle) >= 0.0 else (middle, high)
    return high
