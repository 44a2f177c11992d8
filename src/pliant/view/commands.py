"""Plain values between a page and its scene: one instant as arrays, and commands, checked by the receiver.

Commands to the clock (`Pause`, `Step`, `Speed`) are the session's; the others change what moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import mujoco

from pliant.arrays import Floats
from pliant.errors import PliantError


@dataclass(frozen=True)
class Reference:
    """Reference 1 or 2 of a joint [rad, m, N m, by its mode]."""

    joint: str
    number: int
    value: float


@dataclass(frozen=True)
class Parameter:
    """A number of a joint's actuator, by its name and in its unit."""

    joint: str
    name: str
    value: float


@dataclass(frozen=True)
class Load:
    """Mass [kg] in the hand: added at the centre of mass of the last body."""

    mass: float


@dataclass(frozen=True)
class Push:
    """A force (3,) [N] on a body at a point (3,) [m] of the world, for some time [s]."""

    body: int
    force: tuple[float, ...]
    point: tuple[float, ...] | None = None
    seconds: float = 0.1


@dataclass(frozen=True)
class Reset:
    """Back to the first pose; references, parameters and load stay."""


@dataclass(frozen=True)
class Restore:
    """Go on from the state of an earlier frame."""

    state: bytes


@dataclass(frozen=True)
class Seek:
    """Show a recording at a time [s]."""

    time: float


@dataclass(frozen=True)
class Timestep:
    """Simulation step [s]; the motion restarts."""

    seconds: float


@dataclass(frozen=True)
class Pause:
    """Stop the clock, or let it run."""

    paused: bool


@dataclass(frozen=True)
class Step:
    """Some steps while the clock stands."""

    count: int = 1


@dataclass(frozen=True)
class Speed:
    """Speed of the clock, in times of real time."""

    factor: float


Command = (
    Reference | Parameter | Load | Push | Reset | Restore | Seek | Timestep | Pause | Step | Speed
)


def in_range(field: str, value: float, low: float, high: float) -> float:
    """`value`, as a number between `low` and `high`."""
    if not low <= value <= high:
        raise PliantError("out of range", field=field, found=value, accepted=f"{low:g} to {high:g}")
    return float(value)


@dataclass(frozen=True)
class Reading:
    """A number that every joint has, or lacks (NaN): its name, how it is shown, its unit."""

    name: str
    text: str
    unit: str


READINGS = (
    Reading("goal", "goal", "rad"),
    Reading("preset", "second reference", "rad"),
    Reading("position", "position", "rad"),
    Reading("measured", "measured position", "rad"),
    Reading("error", "simulated less measured", "rad"),
    Reading("velocity", "speed", "rad/s"),
    Reading("motor_1", "motor 1", "rad"),
    Reading("motor_2", "motor 2", "rad"),
    Reading("deflection", "deflection", "rad"),
    Reading("deflection_2", "deflection of spring 2", "rad"),
    Reading("stiffness", "stiffness", "N m/rad"),
    Reading("torque", "torque on the joint", "N m"),
    Reading("motor_torque", "motor torque", "N m"),
    Reading("torque_low", "lowest motor torque", "N m"),
    Reading("torque_high", "highest motor torque", "N m"),
    Reading("budget", "friction budget", "N m"),
    Reading("friction", "friction used", "N m"),
    Reading("sticking", "sticking", "1"),
    Reading("current", "current", "A"),
    Reading("power", "electrical power", "W"),
    Reading("energy", "energy drawn", "J"),
    Reading("supply", "supply", "V"),
)


@dataclass(frozen=True)
class Knob:
    """A number that can be turned: its name, unit, meaning, value and bounds."""

    name: str
    unit: str
    meaning: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Joint:
    """A joint as the page shows it.

    Attributes:
        device: title of its actuator. slides: whether it is a slide (m, N) and no hinge (rad, N m).
        references: its commands, one or two. parameters: of its actuator.
        deflection_limit: [rad] of its spring; None without one.
    """

    name: str
    device: str
    slides: bool
    references: tuple[Knob, ...]
    parameters: tuple[Knob, ...]
    deflection_limit: float | None = None


@dataclass(frozen=True, eq=False)
class Frame:
    """One instant as it is shown; n joints, B bodies.

    Attributes:
        time: [s] simulated. steps: taken since the beginning.
        readings: name of a reading to its (n,) values, NaN where a joint has none.
        position: (B, 3) [m] and matrix: (B, 3, 3) of the bodies.
        anchor: (n, 3) [m] of the joints, axis: (n, 3) they turn about, and direction: (n, 3) from
            there to what they carry, at a right angle to the axis.
        state: from which the motion goes on; empty where it cannot.
    """

    time: float
    steps: int
    readings: Mapping[str, Floats]
    position: Floats
    matrix: Floats
    anchor: Floats
    axis: Floats
    direction: Floats
    state: bytes = field(default=b"", repr=False)


def unit_of(joint: Joint, unit: str) -> str:
    """A reading's unit, on a slide in metres and newtons."""
    if not joint.slides:
        return unit
    return {"rad": "m", "rad/s": "m/s", "N m": "N", "N m/rad": "N/m"}.get(unit, unit)


class Scene(Protocol):
    """Something that moves in steps.

    Attributes:
        title: of the page. model: its bodies, to be drawn.
        changes: counts how often model or joints became others.
    """

    title: str
    model: mujoco.MjModel
    changes: int

    @property
    def timestep(self) -> float:
        """Time of one step [s]."""
        ...

    @property
    def duration(self) -> float | None:
        """Time at which it ends [s]; None: never."""
        ...

    @property
    def whole(self) -> Sequence[Frame] | None:
        """Every frame from beginning to end, where they are known beforehand."""
        ...

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with their knobs as they stand."""
        ...

    @property
    def loads(self) -> tuple[float, float]:
        """The mass in the hand and the most there may be [kg]; 0, 0 where there is no hand."""
        ...

    def advance(self, steps: int) -> None:
        """Take steps."""
        ...

    def apply(self, command: Command) -> None:
        """Change something between two steps.

        Raises:
            PliantError: it is none of its joints, or out of range; nothing has changed then.
        """
        ...

    def frame(self) -> Frame:
        """The present instant."""
        ...
