"""Repeatability: how far a joint is from itself where one command was recorded several times.

No model comes closer to the next run than the runs come to each other.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from pliant.io.log import Log
from pliant.words import counted, mrad

SAME = 2e-3
"""[rad] Mean distance of two commands that are one."""
SHARE = 0.9
"""Part of the longer run that the shorter one must cover."""


def repeatability(logs: Sequence[Log]) -> dict[str, float]:
    """First log of a command that was repeated to the mean distance [rad] of its runs.

    Runs of one command have gain, load and torque off alike; each pair is compared at the samples of
    the first, position with position, as the zeros of their mountings have it.
    """
    found: dict[str, float] = {}
    rest = list(logs)
    while rest:
        first = rest[0]
        alike = [first, *(log for log in rest[1:] if same_command(first, log))]
        rest = [log for log in rest if all(log is not one for one in alike)]
        if len(alike) > 1:
            apart = [_distance(a, b) for a, b in itertools.combinations(alike, 2)]
            found[first.name] = float(np.mean(apart))
    return found


def in_words(found: dict[str, float]) -> str:
    """Meaning of repetitions for all errors."""
    mean = float(np.mean([*found.values()]))
    return (
        f"repetitions of {counted(len(found), 'command')} differ from each other by {mrad(mean)} mrad "
        "on average: errors below that say nothing"
    )


def same_command(a: Log, b: Log) -> bool:
    """Whether two logs are runs of one command."""
    bench = ("mass", "length", "arm_mass", "gain", "derivative_gain", "driven")
    if any(getattr(a, name) != getattr(b, name) for name in bench):
        return False
    ends = sorted((float(a.time[-1]), float(b.time[-1])))
    if ends[0] < SHARE * ends[1] or (a.torque is not None and a.driven == "torque"):
        return False
    inside = a.time <= b.time[-1]
    goal = np.interp(a.time[inside], b.time, b.goal)
    on = np.interp(a.time[inside], b.time, b.enabled.astype(float))
    off = float(np.mean(np.abs(on - a.enabled[inside])))
    return float(np.mean(np.abs(goal - a.goal[inside]))) < SAME and off < 0.02


def _distance(a: Log, b: Log) -> float:
    """[rad] Mean distance of two runs, at the samples of the first."""
    inside = a.time <= b.time[-1]
    there = np.interp(a.time[inside], b.time, b.position) + (b.zero or 0.0)
    return float(np.mean(np.abs(there - a.position[inside] - (a.zero or 0.0))))
