"""Logs of a bench that was mounted anew in between: each mounting has a zero of its own."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from pliant.identify.problem.hold_out import HOLD_OUT
from pliant.io.log import Log

MOUNTINGS: dict[str, Callable[[Log], str]] = {
    "length": lambda log: f"{log.length:g}m",
    "mass": lambda log: f"{log.mass:g}kg",
    "load": HOLD_OUT["load"],
}
"""Properties that logs of one mounting may share."""

ZERO = "plant.position_offset"


def mountings(logs: Sequence[Log], zero_by: str | None) -> dict[str, list[int]]:
    """Mounting to its logs, by their places; none where there are not two."""
    if zero_by is None:
        return {}
    found: dict[str, list[int]] = {}
    for k, log in enumerate(logs):
        found.setdefault(MOUNTINGS[zero_by](log), []).append(k)
    return found if len(found) > 1 else {}


def rezeroed(logs: Sequence[Log], zeros: Iterable[tuple[Sequence[int], float]]) -> list[Log]:
    """The logs with one zero for all.

    Args:
        logs: as recorded. zeros: logs of each mounting, and its zero [rad]; each is shifted by how
            far that is from the mean zero.
    """
    moved, known = list(logs), list(zeros)
    mean = sum(zero for _, zero in known) / max(len(known), 1)
    for members, zero in known:
        for k in members:
            log, shift = logs[k], zero - mean
            moved[k] = dataclasses.replace(
                log, position=log.position + shift, goal=log.goal + shift
            )
    return moved


def rezeroed_by(logs: Sequence[Log], zero_by: str | None, zeros: Mapping[str, float]) -> list[Log]:
    """The same by the names of mountings; those without a known zero stay as they are."""
    if zero_by is None or not zeros:
        return list(logs)
    key = MOUNTINGS[zero_by]
    places = {name: [k for k, log in enumerate(logs) if key(log) == name] for name in zeros}
    return rezeroed(logs, [(places[name], zero) for name, zero in zeros.items()])
