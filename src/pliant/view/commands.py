"""Commands from a page to its scene: plain values, checked by the receiver.

Commands to the clock (`Pause`, `Step`, `Speed`) are the session's; the others change what moves.
"""

from dataclasses import dataclass

from pliant.errors import PliantError

__all__ = [
    "Command",
    "Load",
    "Parameter",
    "Pause",
    "Push",
    "Reference",
    "Reset",
    "Restore",
    "Seek",
    "Speed",
    "Step",
    "Timestep",
    "in_range",
]


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
    """Simulation step [s]; the motion begins anew."""

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
    """`value`, as a number between `low` and `high`.

    Raises:
        PliantError: it is outside, or no number.
    """
    if not low <= value <= high:
        raise PliantError("out of range", field=field, found=value, accepted=f"{low:g} to {high:g}")
    return float(value)
