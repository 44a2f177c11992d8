"""Parameters of a robot that a fit searches, the robot with them, and those that no motion can separate."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.ambiguities import AGE
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.space import Bounds, Space, search_space
from pliant.identification.problem.task import Fit, as_fit
from pliant.io.robot_log import RobotLog

DELAY = "timing.delay"
MASS = "mass."
OFFSET = "position_offset"
COMMAND = "command_offset"
OFFSETS = (OFFSET, COMMAND)
MASS_BOUNDS = (0.8, 1.25)
"""Factor of a body's mass and inertia."""
OFFSET_BOUNDS = (-0.1, 0.1)
"""[rad, m] Mounting error of an encoder; offset between the zeros of commands and positions."""


def robot_space(
    actuators: Mapping[str, Actuator],
    *,
    fit: Fit | None = None,
    fix: Iterable[str] = (),
    masses: Mapping[str, float] | None = None,
    offsets: Mapping[str, float] | None = None,
) -> Space:
    """The box that is searched; by default the parameters from `search_space` of each joint's actuator.

    Args:
        actuators: joint to actuator.
        fit: names to add, or with other bounds. fix: names to take out.
        masses, offsets: starting values of factors and offsets; else 1 and 0.

    Raises:
        PliantError: a name is not a parameter, bounds are out of order or beyond the range of the
            law, or nothing is left to identify.
    """
    known = [f"{joint}.{name}" for joint, a in actuators.items() for name in (*a.fields, *OFFSETS)]
    added: dict[str, Bounds] = {}
    for pattern, bounds in as_fit(fit).items():
        for name in matches(pattern, known):
            added[name] = bounds
    chosen: dict[str, tuple[float, float, float]] = {}
    for joint, actuator in actuators.items():
        own = {
            name.removeprefix(f"{joint}."): b
            for name, b in added.items()
            if name.startswith(f"{joint}.")
        }
        moved = {name: own.pop(name) for name in OFFSETS if name in own}
        boxes = search_space(actuator, fit=own, bench={}).boxes()
        chosen |= {f"{joint}.{name}": box for name, box in boxes.items()}
        for short, box in moved.items():
            name = f"{joint}.{short}"
            begin = (offsets or {}).get(name, 0.0)
            chosen[name] = (*_ordered(name, box or OFFSET_BOUNDS), begin)
    for name, bounds in added.items():
        if name.startswith(MASS):
            body = name.removeprefix(MASS)
            begin = (masses or {}).get(body, 1.0)
            chosen[name] = (*_ordered(name, bounds or MASS_BOUNDS, least=0.0), begin)
    for pattern in fix:
        for name in matches(pattern, [*known, *chosen]):
            chosen.pop(name, None)
    if not chosen:
        raise PliantError("nothing to identify", accepted="at least one parameter with bounds")
    return Space.of(chosen)


def bodies(space: Space) -> list[str]:
    """Bodies whose mass is searched."""
    return [name.removeprefix(MASS) for name in space.names if name.startswith(MASS)]


def longest_delays(space: Space) -> dict[str, float]:
    """Joint to the longest delay in the box [s]."""
    ends = zip(space.names, space.high, strict=True)
    return {n.removesuffix(f".{DELAY}"): float(h) for n, h in ends if n.endswith(f".{DELAY}")}


def matches(pattern: str, known: Iterable[str]) -> list[str]:
    """The names that a pattern matches.

    Raises:
        PliantError: none.
    """
    found = list(dict.fromkeys(name for name in known if fnmatchcase(name, pattern)))
    if pattern.startswith(MASS) and not found:
        return [pattern]
    if not found:
        raise PliantError(
            "no such parameter",
            field="fit or fix",
            found=pattern,
            accepted=[*known, f"{MASS}<body>"],
        )
    return found


def _ordered(name: str, bounds: tuple[float, float], least: float = -np.inf) -> tuple[float, float]:
    low, high = bounds
    if not (least < low < high < np.inf):
        raise PliantError(
            "bounds out of order",
            field=name,
            found=bounds,
            accepted=f"finite, {least:g} < low < high",
        )
    return low, high


@dataclass(frozen=True, eq=False)
class RobotCandidate:
    """Everything in a robot that a fit may change.

    Attributes:
        actuators: joint to actuator. led: joints that follow their recording.
        masses: body to factor of its mass. offsets: "<joint>.position_offset" and
            "<joint>.command_offset" [rad, m].
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
    """

    actuators: Mapping[str, Actuator]
    led: tuple[str, ...] = ()
    masses: Mapping[str, float] = field(default_factory=dict[str, float])
    offsets: Mapping[str, float] = field(default_factory=dict[str, float])
    hold: bool = True


def alone(robot: RobotCandidate, joint: str) -> RobotCandidate:
    """One joint with its actuator, the others led."""
    others = tuple(name for name in robot.actuators if name != joint)
    return dataclasses.replace(
        robot, actuators={joint: robot.actuators[joint]}, led=(*robot.led, *others)
    )


def with_values(
    robot: RobotCandidate, values: Mapping[str, float], source: str = "so far"
) -> RobotCandidate:
    """The robot with other numbers, not marked as identified."""
    actuators: dict[str, Actuator] = {}
    for joint, actuator in robot.actuators.items():
        own = {
            name: values[f"{joint}.{name}"]
            for name in actuator.fields
            if f"{joint}.{name}" in values
        }
        actuators[joint] = actuator.with_values(own, source, "assumed")
    masses = {n.removeprefix(MASS): x for n, x in values.items() if n.startswith(MASS)}
    known = [f"{joint}.{offset}" for joint in actuators for offset in OFFSETS]
    offsets = {name: values[name] for name in known if name in values}
    return dataclasses.replace(
        robot,
        actuators=actuators,
        masses={**robot.masses, **masses},
        offsets={**robot.offsets, **offsets},
    )


STROKE = 0.3
"""[rad] A joint that moves less determines little of its friction."""
SCALES = ("motor.k_t", "motor.R", "control.gain", "motor.scale")
"""Numbers that scale a joint's torque."""


def ambiguities(
    actuators: Mapping[str, Actuator], space: Space, logs: Sequence[RobotLog], sample_age: float
) -> Iterator[Doubt]:
    """Parameters of which `logs` determine only a combination, or little.

    Args:
        actuators: joint to actuator. space: what is searched. logs: to fit.
        sample_age: [s] as given.
    """
    yield from _masses(space)
    for joint, actuator in actuators.items():
        yield from _of_joint(joint, actuator, space, logs)
    delays = tuple(name for name in space.names if name.endswith(f".{DELAY}"))
    if delays and sample_age == 0.0:
        yield Doubt("sample age", delays, AGE.text.replace(DELAY, ", ".join(delays)))


def _of_joint(
    joint: str, actuator: Actuator, space: Space, logs: Sequence[RobotLog]
) -> Iterator[Doubt]:
    searched = [n.removeprefix(f"{joint}.") for n in space.names if n.startswith(f"{joint}.")]
    commands = np.concatenate([np.diff(log.goal[:, log.column(joint)]) for log in logs])
    if DELAY in searched and not commands.any():
        yield Doubt(
            "constant command",
            (f"{joint}.{DELAY}",),
            f"{joint}: its command never changes in these logs, so they do not determine {DELAY}",
        )
    friction = tuple(f"{joint}.{name}" for name in searched if name.startswith("friction."))
    stroke = max(float(np.ptp(log.position[:, log.column(joint)])) for log in logs)
    if stroke < STROKE and friction:
        yield Doubt(
            "short stroke",
            friction,
            f"{joint} moves by {stroke:.2g} rad at most: its friction at other speeds is not known",
        )
    always = all(log.enabled[:, log.column(joint)].all() for log in logs)
    voltage = "motor" in actuator.laws and actuator.laws["motor"].name == "dc_voltage"
    if always and voltage and {"friction.K_v", "motor.R"} <= set(searched):
        yield Doubt(
            "brake alike",
            (f"{joint}.motor.R", f"{joint}.friction.K_v"),
            f"{joint}: the torque was never off: back-EMF (k_t^2 / R) and viscous friction have the "
            "same effect, and only their sum is known",
        )


def _masses(space: Space) -> Iterator[Doubt]:
    """Torque and mass: motion determines only their ratio."""
    free = tuple(n for n in space.names if n.split(".", 1)[-1] in SCALES)
    fitted = tuple(name for name in space.names if name.startswith(MASS))
    if not free:
        return
    if not fitted:
        yield Doubt(
            "masses",
            free,
            "the model's masses are taken as they are: if all of them are wrong by one factor, torque, "
            "friction and rotor inertia are wrong by the same factor, and no motion shows it",
        )
        return
    listed = ", ".join(name.removeprefix(MASS) for name in fitted)
    yield Doubt(
        "masses",
        (*fitted, *free),
        f"the factor of mass ({listed}) is relative to the masses that are held; with {free[0]} and "
        "friction free it is barely identifiable if gravity on that body is most of the load: "
        "weigh it instead",
    )
