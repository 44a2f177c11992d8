"""Logs cut into short pieces, each simulated from where the recording was at its start.

A pendulum that only a torque drives does not forget: near the upright any error grows e-fold in
sqrt(l / g), and an open-loop error over the whole log says little. A piece says how well the drive
is known over a time that matters. It begins with the speed of the recording, which is taken from
its positions shortly before and after (10 ms): so far it looks ahead.
"""

import dataclasses
from itertools import pairwise

import numpy as np

from pliant.errors import PliantError
from pliant.io.log import Log
from pliant.io.velocity import derivative

LEAST = 5
"""Samples of a piece."""


def windows(log: Log, seconds: float) -> list[Log]:
    """`log` as pieces of so many seconds, one after the other; what is left at its end is not used.

    Each is named after its beginning ("run@1.5"), and its `velocity` is that of its positions.

    Raises:
        PliantError: it is shorter than that, or has too few samples in it.
    """
    count = int((log.time[-1] + 1e-9) / seconds) if seconds > 0.0 else 0
    least = LEAST * float(np.median(np.diff(log.time)))
    if count < 1 or seconds < least:
        raise PliantError(
            "pieces of this length do not fit the log",
            file=log.path,
            field="seconds",
            found=seconds,
            accepted=f"{least:.2g} to {log.time[-1]:.3g} s",
        )
    velocity = derivative(log.time, log.position)
    whole = dataclasses.replace(log, velocity=velocity)
    edges = np.searchsorted(log.time, seconds * np.arange(count + 1) - 1e-9)
    return [_piece(whole, slice(a, b), seconds * k) for k, (a, b) in enumerate(pairwise(edges))]


def _piece(log: Log, place: slice, begin: float) -> Log:
    parts = {
        name: None if (values := getattr(log, name)) is None else values[place]
        for name in ("position", "goal", "enabled", "velocity", "voltage", "torque", "temperature")
    }
    time = log.time[place] - log.time[place][0]
    return dataclasses.replace(log, name=f"{log.name}@{begin:g}", time=time, **parts)
