"""The ports of a topology: what each family of laws offers, and how a topology names the rest.

A law is a module; a family is the set of functions that its modules have. Beside these a law has
`P`, its parameters with units and admissible range, and, if it remembers anything, `S`, its state.
Argument order everywhere: state, input, surroundings, parameters, step.

In a topology, a module-level annotation without a value, `motor: Motor`, declares a port of that
family. When an actuator is assembled each port is bound to one law, and `Parameters` and `State`
become named tuples with a field `own` (the topology's `P` and `S`) and one field per port.
"""

from typing import Annotated, Any, Protocol

Number = Annotated[float, "1"]
Angle = Annotated[float, "rad"]
Speed = Annotated[float, "rad/s"]
Time = Annotated[float, "s"]
Torque = Annotated[float, "N m"]
Energy = Annotated[float, "J"]
Stiffness = Annotated[float, "N m/rad"]
Inertia = Annotated[float, "kg m^2"]
Voltage = Annotated[float, "V"]
Current = Annotated[float, "A"]
Resistance = Annotated[float, "Ohm"]
Command = Annotated[float, "command"]
"""Duty ("1") or current ("A"): the COMMAND of every control and motor law says which."""
Goal = Annotated[float, "goal"]
"""A position ("rad"), or the command itself: the GOAL of every control law says which."""


class Compliance(Protocol):
    """A spring between motor and link. phi = q - theta [rad]; the link receives -torque."""

    @staticmethod
    def energy(phi: Angle, p: Any) -> Energy: ...
    @staticmethod
    def torque(phi: Angle, p: Any) -> Torque: ...
    @staticmethod
    def stiffness(phi: Angle, p: Any) -> Stiffness: ...
    @staticmethod
    def damping(rate: Speed, p: Any) -> Torque: ...


class FrictionBudget(Protocol):
    """The largest friction torque [N m] at speed v under motor torque tau_m and load tau_e."""

    @staticmethod
    def budget(v: Speed, tau_m: Torque, tau_e: Torque, p: Any) -> Torque: ...


class FrictionState(Protocol):
    """Friction with a memory. `torque` [N m] is subtracted from the torque on the moving part."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, dtheta: Angle, p: Any) -> Any: ...
    @staticmethod
    def torque(s: Any, p: Any) -> Torque: ...
    @staticmethod
    def energy(s: Any, p: Any) -> Energy: ...
    @staticmethod
    def stiffness(p: Any) -> Stiffness: ...


class Motor(Protocol):
    """Command in (duty or ampere), torque out. `on` is 1 while the driver is enabled, else 0."""

    @staticmethod
    def current(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Current: ...
    @staticmethod
    def torque(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Torque: ...
    @staticmethod
    def back_emf(v: Speed, p: Any) -> Voltage: ...
    @staticmethod
    def resistance(p: Any) -> Resistance: ...


class Control(Protocol):
    """The firmware: what the driver is told, from the goal and the measured motion."""

    @staticmethod
    def start(q: Angle, p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, goal: Goal, q: Angle, v: Speed, p: Any, h: Time) -> Any: ...
    @staticmethod
    def command(s: Any, goal: Goal, q: Angle, v: Speed, p: Any) -> Command: ...


class Driver(Protocol):
    """The power stage: the voltage [V] that arrives at it while the motor draws current."""

    @staticmethod
    def bus(
        duty: Number, supply: Voltage, back_emf: Voltage, resistance: Resistance, p: Any
    ) -> Voltage: ...


class Sensing(Protocol):
    """What the firmware sees of an angle [rad]."""

    @staticmethod
    def measured(x: Angle, p: Any) -> Angle: ...


class Timing(Protocol):
    """When [s] the command was given that acts at time t [s]."""

    @staticmethod
    def issued(t: Time, p: Any) -> Time: ...


class Plant(Protocol):
    """What the joint moves: its inertia [kg m^2] and the torque of gravity on it [N m]."""

    @staticmethod
    def inertia(p: Any) -> Inertia: ...
    @staticmethod
    def load(q: Angle, p: Any) -> Torque: ...


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
