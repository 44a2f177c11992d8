"""The box that is searched on a robot: parameters of each joint, position offsets, factors of masses.

Names are those of an engine for robots: "<joint>.<parameter>" (`shoulder.friction.K_c`),
"<joint>.position_offset", "<joint>.command_offset" and "mass.<body>". Where one is asked for, `*` stands for anything
(`*.motor.R`, `shoulder.*`).
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

import numpy as np

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.space import Bounds, Space, search_space
from pliant.identification.problem.task import Fit, as_fit

DELAY = "timing.delay"
MASS = "mass."
OFFSET = "position_offset"
COMMAND = "command_offset"
OFFSETS = (OFFSET, COMMAND)
MASS_BOUNDS = (0.8, 1.25)
"""Factor of a body's mass and inertia."""
OFFSET_BOUNDS = (-0.1, 0.1)
"""[rad, m] Mounting error of an encoder; zero of the commands against that of the positions."""


def robot_space(
    actuators: Mapping[str, Actuator],
    *,
    fit: Fit | None = None,
    fix: Iterable[str] = (),
    masses: Mapping[str, float] | None = None,
    offsets: Mapping[str, float] | None = None,
) -> Space:
    """The box that is searched; by default what `search_space` takes of each joint's actuator.

    Args:
        actuators: joint to actuator.
        fit: names to add, or with other bounds. fix: names to take out.
        masses, offsets: where factors and offsets begin; else at 1 and 0.

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
        space = search_space(actuator, fit=own, bench={})
        boxes = zip(space.names, space.low, space.high, space.start, strict=True)
        chosen |= {f"{joint}.{name}": (low, high, at) for name, low, high, at in boxes}
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
    low, high, start = np.array(list(chosen.values()), dtype=float).T
    return Space(tuple(chosen), low, high, np.clip(start, low, high))


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
