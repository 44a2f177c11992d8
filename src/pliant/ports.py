"""The ports of a topology: what each family of laws offers, and how a topology names the rest.

A law is a module; a family is the set of functions that its modules have. Beside these a law has
`P`, its parameters with units and admissible range, and, if it remembers anything, `S`, its state.
Argument order everywhere: state, input, surroundings, parameters, step.

In a topology, a module-level annotation without a value, `motor: Motor`, declares a port of that
family. When an actuator is assembled each port is bound to one law, and `Parameters` and `State`
become named tuples with a field `own` (the topology's `P` and `S`) and one field per port.
"""

from typing import Any, Protocol


class Compliance(Protocol):
    """A spring between motor and link. phi = q - theta [rad]; the link receives -torque."""

    @staticmethod
    def energy(phi: float, p: Any) -> float: ...
    @staticmethod
    def torque(phi: float, p: Any) -> float: ...
    @staticmethod
    def stiffness(phi: float, p: Any) -> float: ...
    @staticmethod
    def damping(rate: float, p: Any) -> float: ...


class FrictionBudget(Protocol):
    """The largest friction torque [N m] at speed v under motor torque tau_m and load tau_e."""

    @staticmethod
    def budget(v: float, tau_m: float, tau_e: float, p: Any) -> float: ...


class FrictionState(Protocol):
    """Friction with a memory. `torque` [N m] is subtracted from the torque on the moving part."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, dtheta: float, p: Any) -> Any: ...
    @staticmethod
    def torque(s: Any, p: Any) -> float: ...
    @staticmethod
    def energy(s: Any, p: Any) -> float: ...
    @staticmethod
    def stiffness(p: Any) -> float: ...


class Motor(Protocol):
    """Command in (duty or ampere), torque out. `on` is 1 while the driver is enabled, else 0."""

    @staticmethod
    def current(command: float, on: float, v: float, bus: float, p: Any) -> float: ...
    @staticmethod
    def torque(command: float, on: float, v: float, bus: float, p: Any) -> float: ...
    @staticmethod
    def back_emf(v: float, p: Any) -> float: ...
    @staticmethod
    def resistance(p: Any) -> float: ...


class Control(Protocol):
    """The firmware: what the driver is told, from the goal and the measured motion."""

    @staticmethod
    def start(q: float, p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, goal: float, q: float, v: float, p: Any, h: float) -> Any: ...
    @staticmethod
    def command(s: Any, goal: float, q: float, v: float, p: Any) -> float: ...


class Driver(Protocol):
    """The power stage: the voltage [V] that arrives at it while the motor draws current."""

    @staticmethod
    def bus(duty: float, supply: float, back_emf: float, resistance: float, p: Any) -> float: ...


class Sensing(Protocol):
    """What the firmware sees of an angle [rad]."""

    @staticmethod
    def measured(x: float, p: Any) -> float: ...


class Timing(Protocol):
    """When [s] the command was given that acts at time t [s]."""

    @staticmethod
    def issued(t: float, p: Any) -> float: ...


class Plant(Protocol):
    """What the joint moves: its inertia [kg m^2] and the torque of gravity on it [N m]."""

    @staticmethod
    def inertia(p: Any) -> float: ...
    @staticmethod
    def load(q: float, p: Any) -> float: ...


FAMILIES: dict[str, type] = {
    "compliance": Compliance,
    "control": Control,
    "driver": Driver,
    "friction_budget": FrictionBudget,
    "friction_state": FrictionState,
    "motor": Motor,
    "plant": Plant,
    "sensing": Sensing,
    "timing": Timing,
}
"""Folder name of each family, and what its laws offer."""


class Parameters:
    """Parameters of the topology (`own`) and of the law at each port."""

    def __getattr__(self, port: str) -> Any: ...


class State:
    """State of the topology (`own`, if it has one) and of each law that remembers something."""

    def __init__(self, **parts: Any) -> None: ...
    def __getattr__(self, port: str) -> Any: ...
