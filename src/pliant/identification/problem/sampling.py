"""Sampling conventions: when a log's commands acted and its positions were true.

A recording loop reads and writes in turn: the goal in the row of a position may act from then on,
only after the next reading, or since the one before; and a position may be older than its time
stamp. An error of one sample (5 ms) here biases damping and friction.

No open-loop fit can separate the age of a position from a command delay: only their sum
shifts the motion. So the age is given, if known, and the fitted delay is then that of the
actuator.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.identification.problem.simulation import LogT

Sampling = Literal["hold", "linear", "next", "before"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
"""Conventions of a command: held from its sample on; linear to the next; held from the next sample
on; held since the sample before."""

OLDEST = 0.1
"""[s] Largest age of a position."""

CHANNELS = (
    "time",
    "goal",
    "enabled",
    "velocity",
    "speed",
    "voltage",
    "supply",
    "current",
    "torque",
)
"""Fields of a log that have an entry for each sample, but for the position."""


def as_recorded(logs: Sequence[LogT], sampling: Sampling, age: float = 0.0) -> list[LogT]:
    """The same logs, with commands that act from their sample on, and positions of its time.

    Args:
        logs: as read.
        sampling: when a command acts, see `SAMPLINGS`; "linear" is for the engine to do.
        age: [s] how much older a position is than the time beside it.

    Raises:
        PliantError: no such convention, or an age out of range.
    """
    check_sampling(sampling, age)
    shift = {"next": 1, "before": -1}.get(sampling, 0)
    return [younger(_shifted(log, shift), age) for log in logs]


def check_sampling(sampling: str, age: float) -> None:
    """Refuse a convention that does not exist, and an age out of range."""
    if sampling not in SAMPLINGS:
        raise PliantError(
            "no such convention", field="sampling", found=sampling, accepted=SAMPLINGS
        )
    if not 0.0 <= age <= OLDEST:
        raise PliantError(
            "out of range", field="sample age", found=age, accepted=f"0 to {OLDEST:g} s"
        )


def _shifted(log: LogT, by: int) -> LogT:
    """The log with goals `by` samples later."""
    if by == 0:
        return log
    one: Any = log
    k = np.clip(np.arange(len(one.time)) - by, 0, len(one.time) - 1)
    return dataclasses.replace(one, goal=one.goal[k])


def younger(log: LogT, age: float) -> LogT:
    """The log with positions at their time stamps, interpolated linearly.

    Args:
        log: as recorded. age: [s] how much older the positions are; below 0 they are younger.
    """
    if age == 0.0:
        return log
    one: Any = log
    time: Floats = one.time
    kept = (time + age >= time[0]) & (time + age <= time[-1])
    position: Floats = one.position
    columns = position.reshape(len(time), -1).T
    later = np.column_stack([np.interp(time + age, time, column) for column in columns])
    channels = {name: np.asarray(getattr(log, name, None)) for name in CHANNELS}
    sampled: dict[str, Any] = {n: x[kept] for n, x in channels.items() if x.shape[:1] == time.shape}
    if others := getattr(one, "others", None):
        sampled["others"] = {kind: values[kept] for kind, values in others.items()}
    return dataclasses.replace(one, position=later.reshape(position.shape)[kept], **sampled)
