"""The ports of a topology: the functions of each family of laws, and names for assembled types.

A law is a module; a family is the set of functions that its modules offer. A law also declares
`P`, its parameters with units and valid ranges, and, if it has memory, `S`, its state.
Argument order everywhere: state, input, surroundings, parameters, step.

In a topology, a module-level annotation without a value, `motor: Motor`, declares a port of that
family. When an actuator is assembled each port is bound to one law, and `Parameters` and `State`
become named tuples with a field `own` (the topology's `P` and `S`) and one field per port.

A topology may contain another as a part: `side_1: MotorSide`. The part's ports are then ports of
the whole, with the part's number appended to their names: `motor_1`, `control_1`; without a number,
names are unchanged.
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
Power = Annotated[float, "W"]
Temperature = Annotated[float, "K"]
Resistance = Annotated[float, "Ohm"]
Damping = Annotated[float, "N m s/rad"]
Mobility = Annotated[float, "1/(kg m^2)"]
Command = Annotated[float, "command"]
"""Duty ("1"), current ("A") or torque ("N m"), as COMMAND of control and motor laws states."""
Adjuster = Annotated[float, "adjuster"]
"""Position of the stiffness adjuster, "rad" or "m", as ADJUSTER of the spring states."""
AdjusterLoad = Annotated[float, "J/adjuster"]
AdjusterCoupling = Annotated[float, "N m/adjuster"]
Goal = Annotated[float, "goal"]
"""A position ("rad"), or the command itself, as GOAL of every control law states."""


class Own:
    """Placeholder for a law's own parameters as a return type."""


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


class Hysteresis(Protocol):
    """Memory of a spring for its deflections phi = q - theta [rad]; its torque acts in parallel with the spring.

    The link receives -torque. `lost` is the dissipated power, `stiffest` the most that it adds to the
    spring's stiffness.
    """

    @staticmethod
    def start(phi: Angle, p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, phi: Angle, p: Any) -> Any: ...
    @staticmethod
    def torque(s: Any, p: Any) -> Torque: ...
    @staticmethod
    def energy(s: Any, p: Any) -> Energy: ...
    @staticmethod
    def lost(s: Any, rate: Speed, p: Any) -> Power: ...
    @staticmethod
    def stiffest(p: Any) -> Stiffness: ...


class AdjustableCompliance(Protocol):
    """A spring between motor (theta), link (q) and stiffness adjuster (x), with energy V.

    The link receives -dV/dq, the motor -dV/dtheta, the adjuster -dV/dx.
    """

    @staticmethod
    def energy(q: Angle, theta: Angle, x: Adjuster, p: Any) -> Energy: ...
    @staticmethod
    def torque(q: Angle, theta: Angle, x: Adjuster, p: Any) -> Torque: ...
    @staticmethod
    def load(q: Angle, theta: Angle, x: Adjuster, p: Any) -> Torque: ...
    @staticmethod
    def adjuster_load(q: Angle, theta: Angle, x: Adjuster, p: Any) -> AdjusterLoad: ...
    @staticmethod
    def stiffness(q: Angle, theta: Angle, x: Adjuster, p: Any) -> Stiffness: ...
    @staticmethod
    def coupling(q: Angle, theta: Angle, x: Adjuster, p: Any) -> AdjusterCoupling: ...


class Contact(Protocol):
    """Teeth with play between motor and link. phi = q - theta [rad]; the link receives -torque."""

    @staticmethod
    def energy(phi: Angle, p: Any) -> Energy: ...
    @staticmethod
    def torque(phi: Angle, rate: Speed, p: Any) -> Torque: ...
    @staticmethod
    def stiffness(phi: Angle, p: Any) -> Stiffness: ...
    @staticmethod
    def stiffest(p: Any) -> Stiffness: ...
    @staticmethod
    def damping(p: Any) -> Damping: ...


class Clutch(Protocol):
    """A commanded clutch and brake: the largest torque that passes, and damping of the joint."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, command: Number, p: Any, h: Time) -> Any: ...
    @staticmethod
    def capacity(s: Any, p: Any) -> Torque: ...
    @staticmethod
    def damping(s: Any, p: Any) -> Damping: ...
    @staticmethod
    def most_damping(p: Any) -> Damping: ...


class EncoderSide(Protocol):
    """Side of the play that an encoder is on: the joint (q, v) or the motor (theta, omega)."""

    @staticmethod
    def angle(q: Angle, theta: Angle, p: Any) -> Angle: ...
    @staticmethod
    def speed(v: Speed, omega: Speed, p: Any) -> Speed: ...


class DeflectionLimit(Protocol):
    """Limit of a spring's range: the spring sees `inside`; a stop may add its own torque."""

    @staticmethod
    def inside(phi: Angle, p: Any) -> Angle: ...
    @staticmethod
    def is_inside(phi: Angle, p: Any) -> Number: ...
    @staticmethod
    def stop_energy(phi: Angle, p: Any) -> Energy: ...
    @staticmethod
    def stop_torque(phi: Angle, p: Any) -> Torque: ...
    @staticmethod
    def stop_stiffness(phi: Angle, p: Any) -> Stiffness: ...


class Rotor(Protocol):
    """A motor's rotor behind its gearbox: its position, and the effect of a torque on its speed.

    Its state has the fields `theta` and `omega`. tau_m is the motor's torque, tau all other torque.
    `mobility` is the inverse inertia, 0 for a rotor that no torque moves.
    """

    @staticmethod
    def start(q: Angle, p: Any) -> Any: ...
    @staticmethod
    def drift(s: Any, reference: Angle, p: Any, h: Time) -> Any: ...
    @staticmethod
    def kick(s: Any, tau_m: Torque, tau: Torque, p: Any, h: Time) -> Any: ...
    @staticmethod
    def mobility(p: Any) -> Mobility: ...
    @staticmethod
    def damping(p: Any) -> Damping: ...


class ReferenceMap(Protocol):
    """Map of a joint's two commands to the references of its two motors."""

    @staticmethod
    def first(goal: Angle, preset: Angle, p: Any) -> Angle: ...
    @staticmethod
    def second(goal: Angle, preset: Angle, p: Any) -> Angle: ...


class Rate(Protocol):
    """Clock of the controller: `due` is 1 in steps in which it runs; `period` is its own step."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def due(s: Any, p: Any) -> Number: ...
    @staticmethod
    def step(s: Any, p: Any, h: Time) -> Any: ...
    @staticmethod
    def period(p: Any, h: Time) -> Time: ...


class FrictionBudget(Protocol):
    """The largest friction torque [N m] at speed v under motor torque tau_m and load tau_e."""

    @staticmethod
    def budget(v: Speed, tau_m: Torque, tau_e: Torque, p: Any) -> Torque: ...


class GearLoad(Protocol):
    """The fraction of the torque on one side of a gear that the gear carries, given the inertia there.

    `step` sees the speed at the start of each step; `carried` is called after it.
    """

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, v: Speed, p: Any, h: Time) -> Any: ...
    @staticmethod
    def carried(s: Any, tau: Torque, inertia: Inertia, p: Any) -> Torque: ...


class Reversal(Protocol):
    """The share of a friction budget, 0 to 1, that acts at speed v under torque tau [N m].

    `step` sees the speed at the start of each step; `share` is called after it.
    """

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, v: Speed, p: Any, h: Time) -> Any: ...
    @staticmethod
    def share(s: Any, v: Speed, tau: Torque, p: Any) -> Number: ...


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
    """Command in (duty or ampere), torque out. `on` is 1 while the driver is enabled, else 0.

    `lowest` and `highest` are the torques that the driver could reach with its full voltage; if left
    out, both equal `torque`: the command is a voltage. `warmed` returns the parameters at another
    temperature, given the factors of resistance and torque constant.
    """

    @staticmethod
    def current(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Current: ...
    @staticmethod
    def torque(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Torque: ...
    @staticmethod
    def lowest(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Torque: ...
    @staticmethod
    def highest(command: Command, on: Number, v: Speed, bus: Voltage, p: Any) -> Torque: ...
    @staticmethod
    def warmed(resistance: Number, constant: Number, p: Any) -> Own: ...
    @staticmethod
    def back_emf(v: Speed, p: Any) -> Voltage: ...
    @staticmethod
    def resistance(p: Any) -> Resistance: ...


class Thermal(Protocol):
    """Heat of the winding: its temperature, and the factors of resistance and torque constant."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, heat: Power, p: Any, h: Time) -> Any: ...
    @staticmethod
    def temperature(s: Any, p: Any) -> Temperature: ...
    @staticmethod
    def resistance(s: Any, p: Any) -> Number: ...
    @staticmethod
    def constant(s: Any, p: Any) -> Number: ...


class Protection(Protocol):
    """The firmware's protection of the servo: how much of a command passes, and whether torque is on.

    `command` is the controller's, `temperature` the winding's.
    """

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(
        s: Any, goal: Goal, q: Angle, command: Command, temperature: Temperature, p: Any, h: Time
    ) -> Any: ...
    @staticmethod
    def passed(s: Any, command: Command, p: Any) -> Command: ...
    @staticmethod
    def enabled(s: Any, p: Any) -> Number: ...


class Unpowered(Protocol):
    """The motor while its driver is off (`on` is 0): its torque, and the factor of its friction."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, on: Number, p: Any) -> Any: ...
    @staticmethod
    def torque(on: Number, v: Speed, p: Any) -> Torque: ...
    @staticmethod
    def friction_factor(s: Any, p: Any) -> Number: ...


class Winding(Protocol):
    """Torque [N m] of the motor with its inductance, from the torque without.

    `asked` is the torque without inductance; `low` and `high` are those at which full voltage would settle.
    """

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(
        s: Any, asked: Torque, low: Torque, high: Torque, resistance: Resistance, p: Any, h: Time
    ) -> Any: ...
    @staticmethod
    def torque(s: Any, asked: Torque, p: Any) -> Torque: ...


class Control(Protocol):
    """The firmware: the driver's command, from the goal and the measured motion."""

    @staticmethod
    def start(q: Angle, p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, goal: Goal, q: Angle, v: Speed, p: Any, h: Time) -> Any: ...
    @staticmethod
    def command(s: Any, goal: Goal, q: Angle, v: Speed, p: Any) -> Command: ...


class Driver(Protocol):
    """The power stage: its supply voltage [V] while the motor draws current."""

    @staticmethod
    def bus(
        duty: Number, supply: Voltage, back_emf: Voltage, resistance: Resistance, p: Any
    ) -> Voltage: ...


class Sensing(Protocol):
    """An angle [rad] as the firmware measures it; `step` draws the noise of a step, if any."""

    @staticmethod
    def start(p: Any) -> Any: ...
    @staticmethod
    def step(s: Any, p: Any, h: Time) -> Any: ...
    @staticmethod
    def measured(s: Any, x: Angle, p: Any) -> Angle: ...


class Timing(Protocol):
    """Time [s] at which the command that acts at time t [s] was given."""

    @staticmethod
    def issued(t: Time, p: Any) -> Time: ...


class Plant(Protocol):
    """Load of the joint: its inertia [kg m^2] and the torque of gravity on it [N m].

    `angle` is the true angle when the encoder shows q, `told` the command when the log has goal; if
    left out, both return their argument.
    """

    @staticmethod
    def inertia(p: Any) -> Inertia: ...
    @staticmethod
    def load(q: Angle, p: Any) -> Torque: ...
    @staticmethod
    def angle(q: Angle, p: Any) -> Angle: ...
    @staticmethod
    def told(goal: Goal, p: Any) -> Goal: ...


FAMILIES: dict[str, type] = {
    "adjustable_compliance": AdjustableCompliance,
    "clutch": Clutch,
    "compliance": Compliance,
    "contact": Contact,
    "control": Control,
    "deflection_limit": DeflectionLimit,
    "driver": Driver,
    "encoder_side": EncoderSide,
    "friction_budget": FrictionBudget,
    "friction_state": FrictionState,
    "gear_load": GearLoad,
    "hysteresis": Hysteresis,
    "motor": Motor,
    "plant": Plant,
    "protection": Protection,
    "rate": Rate,
    "reference_map": ReferenceMap,
    "reversal": Reversal,
    "rotor": Rotor,
    "sensing": Sensing,
    "thermal": Thermal,
    "timing": Timing,
    "unpowered": Unpowered,
    "winding": Winding,
}
"""Folder name of each family to the functions that its laws offer."""


NULL = "none"
MAY_LACK = frozenset(
    "clutch gear gear_load hysteresis parallel protection reversal thermal unpowered".split()
)
"""Ports that an actuator file may leave out, without their number; they then have the law `none`."""

_NOTHING = "def {}({}) -> float:\n    return 0.0"
_DRIVEN = "command: float, on: float, v: float, bus: float, p: P"
_STATIC = "def {}({}) -> float:\n    return torque(command, on, v, bus, p)"
OPTIONAL: dict[str, dict[str, str]] = {
    "compliance": {"damping": _NOTHING.format("damping", "rate: float, p: P")},
    "motor": {
        **{name: _STATIC.format(name, _DRIVEN) for name in ("lowest", "highest")},
        "warmed": "def warmed(resistance: float, constant: float, p: P) -> P:\n    return p",
    },
    "plant": {
        "angle": "def angle(q: float, p: P) -> float:\n    return q",
        "told": "def told(goal: float, p: P) -> float:\n    return goal",
    },
    "topology": {
        **{
            name: _NOTHING.format(name, "p: Parameters")
            for name in ("armature", "fastest", "stiffest", "damping")
        },
        "budget": _NOTHING.format("budget", "v: float, tau_m: float, tau_e: float, p: Parameters"),
        **{name: _NOTHING.format(name, "s: State") for name in ("carried", "slips")},
        "damping_power": _NOTHING.format("damping_power", "s: State, v: float, p: Parameters"),
        "most": "def most(s: State, v: float, p: Parameters) -> float:\n    return 1e30",
        "resisted": "def resisted(s: State, v: float, tau_m: float, tau_e: float, inertia: float, "
        "p: Parameters) -> float:\n    return budget(v, tau_m, tau_e, p)",
        "reached": "def reached(s: State, q: float, p: Parameters) -> float:\n"
        "    return stiffness(s, q, p)",
        "lost": "def lost(s: State, q: float, v: float, p: Parameters) -> float:\n"
        "    return damping_power(s, v, p)",
        **{
            f"borne_{k}": f"def borne_{k}(s: State, q: float, v: float, p: Parameters) -> float:\n"
            f"    return load_{k}(s, q, p)"
            for k in (1, 2)
        },
        **{
            name: _NOTHING.format(name, "s: State, q: float, p: Parameters")
            for name in ("stiffness", "energy", "load_1", "load_2")
        },
    },
}
"""Family to the functions that a law may leave out and their defaults: a spring's damping, the range of a
current loop, a topology's spring.

A topology's are: the inertia that it adds to the joint [kg m^2], the fastest rate of its own masses [rad/s],
its friction budget; the largest stiffness and the damping [N m s/rad] between link and motors; the speed of the spring's other end, whether it slips there, and the most torque [N m] that passes; power [W]
lost in its damping, or in everything in between; the present stiffness and energy, and the elastic torque on
both motors; the largest stiffness in the next step; the torque on both motors including damping [N m]; the
present friction budget with a load of that inertia.
"""


class MotorSide:
    """A part: one motor with its controller and rotor, up to the spring (`_motor_side`)."""

    def __getattr__(self, name: str) -> Any: ...


class LimitedSpring:
    """A part: a spring with its deflection limit (`_limited_spring`)."""

    def __getattr__(self, name: str) -> Any: ...


PARTS: dict[type, str] = {MotorSide: "_motor_side", LimitedSpring: "_limited_spring"}
"""Parts that a topology can hold, and the files of their wiring."""


class Parameters:
    """Parameters of the topology (`own`) and of the law at each port."""

    def __getattr__(self, port: str) -> Any: ...


class State:
    """State of the topology (`own`, if it has one) and of each law with memory."""

    def __init__(self, **parts: Any) -> None: ...
    def __getattr__(self, port: str) -> Any: ...
